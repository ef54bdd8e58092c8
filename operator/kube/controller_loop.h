#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operator/kube/controller.h"
#include "operator/kube/outcome.h"
#include "operator/kube/status_patch.h"

namespace atl::kube {

/// Own writes of each object's last pass that its caches have not shown yet: until they have, or 10 s have passed, the
/// object gets no pass.
class Unseen {
public:
    explicit Unseen(const Clock& clock) : clock_(clock) {}
    void expect(const ObjectKey& key, const Cache& cache, const Pass::Written& written);
    /// Whether all of them are seen by now. Forgets those that are.
    bool settled(const ObjectKey& key);
    void forget(const ObjectKey& key) { expected_.erase(key); }
    bool empty() const { return expected_.empty(); }

private:
    struct Expected {
        const Cache* cache;
        ObjectKey key;
        std::string resource_version;
        Instant until;
    };
    const Clock& clock_;
    std::map<ObjectKey, std::vector<Expected>> expected_;
};

/// The inside of Controller.
class Controller::Loop {
public:
    Loop(Runtime runtime, ControllerOptions options, Reconciler& reconciler);

    void watch(const Scope& scope, Mapper mapper);
    void start();
    void enqueue(const ObjectKey& key);
    /// Looks at an object because of news from outside. What a pass that fails does to the outside is news too, so the
    /// more passes have failed in a row, the later: else such a pass would wake itself without end.
    void hint(const ObjectKey& key);
    void stop() { stopped_ = true; }
    void take_up(const Selection& which);
    void drop(const Selection& which);
    bool works_on(const Selection& which) const;
    bool synced() const;
    bool at_rest() const { return queue_.working() == 0 && (stopped_ || (parked_.empty() && queue_.depth() == 0)); }
    const Cache& cache() const { return *cache_; }
    const ControllerOptions& options() const { return options_; }
    Queue& queue() { return queue_; }

private:
    /// That a pass of an object runs: until end(), or until the pass is cut off, begun or not.
    class Working {
    public:
        Working(Loop& loop, ObjectKey key) : loop_(&loop), key_(std::move(key)) {}
        Working(Working&& other) noexcept : loop_(std::exchange(other.loop_, nullptr)), key_(std::move(other.key_)) {}
        Working(const Working&) = delete;
        Working& operator=(const Working&) = delete;
        ~Working() {
            if (loop_ != nullptr) loop_->cut_off(key_);
        }
        const ObjectKey& key() const { return key_; }
        void end() { std::exchange(loop_, nullptr)->end(key_); }

    private:
        Loop* loop_;
        ObjectKey key_;
    };
    struct Watched {
        Cache* cache;
        Mapper mapper;
    };
    void follow();
    void on_primary(const Change& change);
    void on_secondary(const Change& change, const Mapper& mapper);
    void dispatch();
    void leave_to_others(const ObjectKey& key);
    void end(const ObjectKey& key);
    void cut_off(const ObjectKey& key);
    void park(const ObjectKey& key);
    void unpark();

    /// One pass of one object, from the cache to the queue; never fails.
    Task<> work(Working working);
    Task<Result<Recheck>> reconcile(Pass& pass);
    /// Says so in the pass's conditions, if so.
    bool is_to_be_left_alone(Pass& pass) const;
    Task<> leave_alone(Pass& pass);
    Task<> settle(Pass& pass, Result<Recheck> result, Instant begun);
    Task<Result<Unit>> write_status(Pass& pass, Settled settled);
    void requeue(const ObjectKey& key, const Outcome& outcome);
    void expect(const Pass& pass);
    void send_events(const Pass& pass);
    void count(const Outcome& outcome, const Result<Recheck>& result, Instant begun);
    void log_error(const Pass& pass, const Error& error, unsigned failures);
    History history_of(const ObjectKey& key, const Result<Recheck>& result);
    Log log_of(const Object& object);

    Runtime runtime_;
    ControllerOptions options_;
    Reconciler& reconciler_;
    Cache* cache_;
    Queue queue_;
    Unseen unseen_;
    std::vector<Watched> watched_;
    std::set<const Cache*> listening_;
    std::set<ObjectKey> parked_;
    std::map<ObjectKey, Spawner::JobId> jobs_;  ///< of passes that run
    std::map<ObjectKey, Instant> troubled_since_;
    std::size_t to_sync_ = 0;
    std::uint64_t next_pass_ = 1;
    bool running_ = false;
    bool stopped_ = false;
    bool dispatching_ = false;
};

}  // namespace atl::kube
