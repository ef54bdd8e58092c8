#pragma once

#include <memory>
#include <string>

#include "operator/base/clock.h"
#include "operator/base/root_task.h"

namespace atl {

/// Waits for the outcome of the callback, as a task whose error can be looked at.
template <class Value>
Task<Value> outcome_of_callback(typename CallbackAwaiter<Value>::Start start) {
    Value value = co_await await_callback<Value>(std::move(start));
    co_return value;
}

/// Runs the task until it is done or the deadline passes. Then the task is cancelled and the result is a Transient
/// error with the reason DeadlineExceeded whose message is "timed out while <what>" (`what` in -ing form: "listing
/// machines").
template <class T>
Task<T> with_deadline(Clock& clock, Instant deadline, Task<T> task, std::string what) {
    using Value = typename Task<T>::Value;
    std::unique_ptr<RootTask<T>> running;
    std::exception_ptr bug;
    // Runs while this frame is alive, so what it refers to is too.
    std::function<Cancel(Callback<Value>)> start = [&](Callback<Value> finished) -> Cancel {
        Clock::TimerId timer = clock.call_at(deadline, [finished, &running, &what] {
            running.reset();
            finished.resolve(transient("DeadlineExceeded", "timed out while " + what));
        });
        auto done = [finished, &clock, timer, &bug](Result<Value> result, std::exception_ptr escaped) {
            clock.cancel_timer(timer);
            bug = escaped;
            finished.resolve(std::move(result));
        };
        running = std::make_unique<RootTask<T>>(std::move(task), done);
        running->start();
        return [&clock, timer] { clock.cancel_timer(timer); };
    };
    Result<Value> result = co_await outcome_of_callback<Value>(start).attempt();
    // An exception is a bug, not an error: it goes on as one.
    if (bug) std::rethrow_exception(bug);
    if constexpr (std::is_void_v<T>) {
        co_await std::move(result);
    } else {
        co_return result;
    }
}

}  // namespace atl
