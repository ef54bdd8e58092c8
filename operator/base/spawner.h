#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "operator/base/root_task.h"

namespace atl {

/// The loop that runs callbacks, one at a time, on one thread. Production binds it to Asio, simulation to the seeded
/// scheduler.
class Executor {
public:
    virtual ~Executor() = default;
    /// Runs the callback soon, never from within post itself. May be called from any thread.
    virtual void post(std::function<void()> callback) = 0;
};

/// Starts tasks that nobody awaits and owns them: destroying the Spawner cancels all of them. A process has one; a
/// simulated process that "crashes" is its Spawner being destroyed.
///
/// A task that ends with an Error, or lets an exception escape, is reported to `on_failure`; the others go on.
class Spawner {
public:
    using OnFailure = std::function<void(const std::string& name, const Error& error, bool bug)>;
    using JobId = std::uint64_t;

    Spawner(Executor& executor, OnFailure on_failure);
    Spawner(const Spawner&) = delete;
    Spawner& operator=(const Spawner&) = delete;
    /// Cancels all tasks. Not from within one of them.
    ~Spawner();

    /// Runs the task, beginning soon. The name stands in logs. The task takes its arguments by value.
    JobId start(std::string name, Task<> task);
    /// Cancels the task soon; one that is done, or unknown, is ignored. May be called from within the task.
    void cancel(JobId job);
    /// Runs the callback soon, unless this Spawner is destroyed before.
    void post(std::function<void()> callback);
    /// How many tasks are not done.
    std::size_t running() const;
    Executor& executor();

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace atl
