#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "operator/base/clock.h"
#include "operator/base/random.h"
#include "operator/base/spawner.h"

namespace atl::sim {

/// Virtual time and a seeded scheduler on one thread: the simulation's binding of Clock and Executor.
///
/// Callbacks that are ready run in an order drawn from the seed (seed 0: in the order of their coming). Time stands
/// still while anything is ready, then jumps to the next timer. Every choice goes into trace(): the same seed gives the
/// same trace.
class SimLoop final : public Clock, public Executor {
public:
    explicit SimLoop(std::uint64_t seed = 0);
    SimLoop(const SimLoop&) = delete;
    SimLoop& operator=(const SimLoop&) = delete;
    /// Drops the callbacks that are left; what they own may still call back into the loop.
    ~SimLoop() override;

    Instant now() const override { return now_; }
    WallTime wall_now() const override;
    TimerId call_at(Instant when, std::function<void()> callback) override;
    void cancel_timer(TimerId timer) override;
    void post(std::function<void()> callback) override;

    /// Runs one ready callback, or jumps to the next timer and runs it. False if there is nothing to do at all.
    bool step();
    /// Runs until the predicate holds (checked between steps), nothing is left, or virtual time passes the limit.
    /// Returns the predicate.
    bool run_until(const std::function<bool()>& predicate, Duration limit);
    /// Runs for so much virtual time.
    void run_for(Duration duration);
    /// Moves the calendar, not the monotonic clock.
    void step_wall(Duration by) { wall_offset_ += by; }

    Random& random() { return random_; }
    /// A hash over all choices so far.
    std::uint64_t trace() const { return trace_; }
    /// Adds a fact to the trace.
    void note(std::uint64_t value);

private:
    std::uint64_t seed_;
    SeededRandom random_;
    Instant now_{std::chrono::hours(1)};
    Duration wall_offset_{0};
    std::uint64_t trace_ = 0;
    TimerId next_timer_ = 1;
    std::uint64_t next_ready_ = 0;
    struct Ready {
        std::uint64_t id;
        std::function<void()> callback;
    };
    std::vector<Ready> ready_;
    std::map<std::pair<Instant, TimerId>, std::function<void()>> timers_;
    std::map<TimerId, Instant> timer_times_;
};

/// Runs one task to its end on the loop and gives its result; for tests. An error with reason "Stuck" if it cannot end.
template <class T>
Result<typename Task<T>::Value> run(SimLoop& loop, Task<T> task, Duration limit = std::chrono::hours(1)) {
    std::optional<Result<typename Task<T>::Value>> outcome;
    std::exception_ptr bug;
    RootTask<T> root(std::move(task), [&](auto result, std::exception_ptr escaped) {
        bug = escaped;
        outcome.emplace(std::move(result));
    });
    root.start();
    loop.run_until([&] { return outcome.has_value(); }, limit);
    if (bug) std::rethrow_exception(bug);
    if (!outcome) return transient("Stuck", "the task did not end within the limit");
    return std::move(*outcome);
}

}  // namespace atl::sim
