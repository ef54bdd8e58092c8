#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "operator/base/task.h"

namespace atl {

/// Owns and runs one task that nobody awaits. Dropping it cancels the task; never from within the task itself.
///
/// `done` is called once, on completion, with the result and the exception that escaped, if any (a bug; the result is
/// then an Error with the reason "Bug"). It may drop the RootTask.
template <class T>
class RootTask {
public:
    using Value = typename Task<T>::Value;
    using Done = std::function<void(Result<Value>, std::exception_ptr)>;

    RootTask(Task<T> task, Done done) : driver_(drive(std::move(task), std::move(done))) {}
    RootTask(const RootTask&) = delete;
    RootTask& operator=(const RootTask&) = delete;
    ~RootTask() { driver_.handle.destroy(); }

    /// Runs the task up to its first wait. Call once.
    void start() { driver_.handle.resume(); }

private:
    struct Driver {
        struct promise_type {
            Done done;
            std::optional<Result<Value>> result;
            std::exception_ptr bug;

            Driver get_return_object() { return Driver{std::coroutine_handle<promise_type>::from_promise(*this)}; }
            std::suspend_always initial_suspend() noexcept { return {}; }
            struct Notify {
                bool await_ready() noexcept { return false; }
                // The coroutine counts as suspended here, so that `done` may destroy it.
                void await_suspend(std::coroutine_handle<promise_type> self) noexcept {
                    Done notify = std::move(self.promise().done);
                    Result<Value> outcome = std::move(*self.promise().result);
                    std::exception_ptr escaped = std::move(self.promise().bug);
                    notify(std::move(outcome), std::move(escaped));
                }
                void await_resume() noexcept {}
            };
            Notify final_suspend() noexcept { return {}; }
            void return_void() noexcept {}
            void unhandled_exception() noexcept { std::terminate(); }
        };
        std::coroutine_handle<promise_type> handle;
    };
    struct Run {
        typename Task<T>::Handle child;
        bool await_ready() const {
            child.resume();
            return child.promise().complete();
        }
        void await_suspend(std::coroutine_handle<> waiter) { child.promise().continuation = waiter; }
        void await_resume() {}
    };
    struct Self {
        typename Driver::promise_type* promise = nullptr;
        bool await_ready() const noexcept { return false; }
        bool await_suspend(std::coroutine_handle<typename Driver::promise_type> handle) noexcept {
            promise = &handle.promise();
            return false;
        }
        typename Driver::promise_type* await_resume() const noexcept { return promise; }
    };

    static Driver drive(Task<T> task, Done done) {
        auto* self = co_await Self();
        self->done = std::move(done);
        co_await Run{task.handle()};
        self->bug = task.handle().promise().bug;
        if (self->bug) {
            self->result.emplace(Error(ErrorClass::Transient, "Bug", "an exception escaped a task"));
        } else {
            self->result.emplace(std::move(*task.handle().promise().result));
        }
    }
    Driver driver_;
};

/// Runs all tasks at once and gives their results in the order of the arguments, once the last one is done.
template <class T>
Task<std::vector<Result<typename Task<T>::Value>>> all(std::vector<Task<T>> tasks) {
    using Value = typename Task<T>::Value;
    struct Join {
        std::vector<std::optional<Result<Value>>> results;
        std::size_t left = 0;
        std::exception_ptr bug;
    };
    auto join = std::make_shared<Join>();
    join->results.resize(tasks.size());
    join->left = tasks.size();
    std::vector<std::unique_ptr<RootTask<T>>> running;
    // Runs while this frame is alive, so what it refers to is too.
    std::function<Cancel(Callback<Unit>)> start_all = [&running, &tasks, join](Callback<Unit> finished) -> Cancel {
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            auto done = [join, i, finished](Result<Value> result, std::exception_ptr bug) {
                join->results[i].emplace(std::move(result));
                if (bug) join->bug = bug;
                if (--join->left == 0) finished.resolve(ok());
            };
            running.push_back(std::make_unique<RootTask<T>>(std::move(tasks[i]), done));
        }
        if (running.empty()) finished.resolve(ok());
        for (auto& task : running) task->start();
        return {};
    };
    co_await await_callback<Unit>(start_all);
    if (join->bug) std::rethrow_exception(join->bug);
    std::vector<Result<Value>> results;
    for (auto& result : join->results) results.push_back(std::move(*result));
    co_return results;
}

}  // namespace atl
