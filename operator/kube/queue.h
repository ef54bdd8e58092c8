#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "operator/base/clock.h"
#include "operator/base/metrics.h"
#include "operator/base/random.h"
#include "operator/kube/object.h"

namespace atl::kube {

/// How soon a key is wanted: fresh events go before old news (the first list, rechecks); every eighth turn goes to old
/// news all the same.
enum class Priority { Fresh, Background };

/// Keys of objects that want a pass. A key is in it once, however often it is added, and never given out again before
/// done(): one that is added meanwhile comes again after that. Namespaces take turns, so that one with many objects
/// does not hold up the others. Plain state, timers by the clock; not a coroutine.
class Queue {
public:
    struct Options {
        std::string name;
        Duration backoff_base = std::chrono::milliseconds(5);
        Duration backoff_max = std::chrono::seconds(1000);
    };

    Queue(Clock& clock, Random& random, Metrics& metrics, Options options);
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    ~Queue();

    /// Wants a pass now; an earlier wish for later is dropped.
    void add(const ObjectKey& key, Priority priority = Priority::Fresh);
    /// Wants a pass after the delay; the earliest wish holds.
    void add_after(const ObjectKey& key, Duration delay);
    /// Wants a pass after the key's back-off, which doubles each time, or after `at_least` where that is longer.
    /// Returns the delay.
    Duration retry(const ObjectKey& key, std::optional<Duration> at_least = std::nullopt);
    /// The key went well: its back-off starts anew.
    void forget(const ObjectKey& key);
    /// How often retry() was called since forget().
    unsigned failures(const ObjectKey& key) const;

    /// The next key, which the caller now works on; nothing if none is ready.
    std::optional<ObjectKey> take();
    /// The caller's work on the key has ended.
    void done(const ObjectKey& key);

    /// Called when a key has become ready, from within the call that made it so.
    std::function<void()> on_ready;

    /// Keys that are ready and not being worked on.
    std::size_t depth() const { return ready_.size(); }
    /// Keys that are being worked on.
    std::size_t working() const { return working_.size(); }
    /// Keys that wait for their time.
    std::size_t delayed() const { return delayed_at_.size(); }
    /// When the next delayed key becomes ready; nothing if there is none.
    std::optional<Instant> next_delayed() const;
    /// Sets the gauges that change by themselves (workqueue_unfinished_work_seconds and its kin); before a scrape.
    void measure();

private:
    /// One priority: the keys of each namespace in the order of their coming, and whose turn it was.
    struct Lane {
        std::map<std::string, std::map<std::uint64_t, ObjectKey>> by_namespace;
        std::string last_served;
        ObjectKey pop();
    };
    struct Ready {
        Priority priority;
        std::uint64_t order;
        Instant since;
    };
    Lane& lane(Priority priority) { return lanes_[priority == Priority::Fresh ? 0 : 1]; }
    void raise(const ObjectKey& key, Ready& ready);
    void make_ready(const ObjectKey& key, Priority priority);
    void undelay(const ObjectKey& key);
    void arm();
    void fire();

    Clock& clock_;
    Random& random_;
    Metrics& metrics_;
    Options options_;
    Lane lanes_[2];
    std::map<ObjectKey, Ready> ready_;
    std::uint64_t next_order_ = 0;
    std::map<ObjectKey, Instant> working_;
    std::map<ObjectKey, Priority> again_;  ///< added while being worked on
    std::map<ObjectKey, Instant> delayed_at_;
    std::set<std::pair<Instant, ObjectKey>> delayed_;
    std::map<ObjectKey, unsigned> failures_;
    std::optional<Clock::TimerId> timer_;
    Instant timer_at_{};
    unsigned turns_ = 0;
};

}  // namespace atl::kube
