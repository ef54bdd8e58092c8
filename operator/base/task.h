#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "operator/base/result.h"

namespace atl {

/// The part of a coroutine's promise that does not depend on its value type. Not for use outside of this header.
class PromiseBase {
public:
    std::coroutine_handle<> continuation = std::noop_coroutine();
    PromiseBase* parent = nullptr;  // set only while a parent waits that passes our error on
    std::exception_ptr bug;

    virtual void fail(Error error) = 0;
    virtual bool failed() const = 0;
    virtual Error take_error() = 0;

    /// What runs next: the waiter, or the first waiter up the chain that looks at errors itself.
    std::coroutine_handle<> finish() noexcept {
        PromiseBase* promise = this;
        while (promise->failed() && promise->parent) {
            promise->parent->fail(promise->take_error());
            promise = promise->parent;
        }
        return promise->continuation;
    }

    struct Final {
        bool await_ready() noexcept { return false; }
        template <class P>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<P> handle) noexcept {
            return handle.promise().finish();
        }
        void await_resume() noexcept {}
    };
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void unhandled_exception() { bug = std::current_exception(); }

protected:
    ~PromiseBase() = default;
};

template <class T>
class TaskPromise : public PromiseBase {
public:
    std::optional<Result<T>> result;
    void fail(Error error) final { result.emplace(std::move(error)); }
    bool failed() const final { return result && !result->ok(); }
    Error take_error() final { return std::move(*result).error(); }
    bool complete() const { return result || bug; }
};

/// Work in time: a coroutine that gives a T or ends with an Error.
///
/// Lazy (starts where it is awaited), owned by one, awaited at once: a Task is never kept in a variable or member; only
/// all(), with_deadline() and Spawner::start() take one. `co_await task` gives the value or ends the awaiting task with
/// the error; `co_await task.attempt()` gives the Result. Exceptions are bugs: they pass through to the loop.
///
/// Dropping a Task that is suspended cancels it: its frame and those of the tasks it awaits are destroyed, and each
/// pending wait takes itself back. A Task must not be dropped by code that it is running itself; Spawner sees to that.
template <class T = void>
class [[nodiscard]] Task {
public:
    using Value = std::conditional_t<std::is_void_v<T>, Unit, T>;
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct ValuePromise : TaskPromise<Value> {
        template <class U = Value>
        void return_value(U&& value) {
            this->result.emplace(std::forward<U>(value));
        }
    };
    struct VoidPromise : TaskPromise<Value> {
        void return_void() { this->result.emplace(Unit{}); }
    };
    struct promise_type final : std::conditional_t<std::is_void_v<T>, VoidPromise, ValuePromise> {
        Task get_return_object() { return Task(Handle::from_promise(*this)); }
    };

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    /// Starts the child where it is awaited: one that finishes at once costs no suspension and no stack.
    struct Awaiter {
        Handle child;
        bool await_ready() const {
            child.resume();
            return child.promise().complete() && !child.promise().failed();
        }
        template <class P>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<P> waiter) noexcept {
            auto& promise = child.promise();
            if (promise.complete()) {
                waiter.promise().fail(promise.take_error());
                return waiter.promise().finish();
            }
            promise.parent = &waiter.promise();
            promise.continuation = waiter;
            return std::noop_coroutine();
        }
        T await_resume() {
            if (child.promise().bug) std::rethrow_exception(child.promise().bug);
            if constexpr (!std::is_void_v<T>) return std::move(*child.promise().result).value();
        }
    };
    struct Attempt {
        Handle child;
        bool await_ready() const {
            child.resume();
            return child.promise().complete();
        }
        template <class P>
        void await_suspend(std::coroutine_handle<P> waiter) noexcept {
            child.promise().continuation = waiter;
        }
        Result<Value> await_resume() {
            if (child.promise().bug) std::rethrow_exception(child.promise().bug);
            return std::move(*child.promise().result);
        }
    };
    Awaiter operator co_await() && noexcept { return Awaiter{handle_}; }
    /// Awaits the outcome without passing an error on.
    Attempt attempt() && noexcept { return Attempt{handle_}; }

    /// For the drivers of root tasks only (Spawner, all, with_deadline, tests).
    Handle handle() const { return handle_; }

private:
    explicit Task(Handle handle) : handle_(handle) {}
    Handle handle_;
};

/// `co_await fail(error)` ends the current task with the error. The way to fail in a Task<void>; others may `co_return
/// error`.
struct FailAwaiter {
    Error error;
    bool await_ready() const noexcept { return false; }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> waiter) noexcept {
        waiter.promise().fail(std::move(error));
        return waiter.promise().finish();
    }
    void await_resume() const noexcept {}
};
inline FailAwaiter fail(Error error) {
    return FailAwaiter{std::move(error)};
}

/// `co_await result` gives the value, or ends the current task with the error.
template <class T>
struct ResultAwaiter {
    Result<T> result;
    bool await_ready() const noexcept { return result.ok(); }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> waiter) noexcept {
        waiter.promise().fail(std::move(result).error());
        return waiter.promise().finish();
    }
    T await_resume() { return std::move(result).value(); }
};
template <class T>
ResultAwaiter<T> operator co_await(Result<T> result) {
    return ResultAwaiter<T>{std::move(result)};
}

/// The other end of an await_callback(): hands the outcome to the waiting task. Copyable; resolving twice, or after
/// the waiter was dropped, does nothing. Must be called on the thread of the waiter's loop; it resumes the waiter
/// inline.
template <class T>
class Callback {
public:
    struct State {
        std::optional<Result<T>> result;
        std::function<void()> resume;  // set while a task waits
        bool dropped = false;
    };
    explicit Callback(std::shared_ptr<State> state) : state_(std::move(state)) {}

    void resolve(Result<T> result) const {
        if (state_->dropped || state_->result) return;
        state_->result.emplace(std::move(result));
        if (auto resume = std::exchange(state_->resume, nullptr)) resume();
    }
    /// Whether somebody still waits for the outcome.
    bool wanted() const { return !state_->dropped && !state_->result; }

private:
    std::shared_ptr<State> state_;
};

/// Takes back an operation whose waiter was dropped. Called at most once, never after the outcome.
using Cancel = std::function<void()>;

template <class T>
class CallbackAwaiter {
public:
    using Start = std::function<Cancel(Callback<T>)>;
    explicit CallbackAwaiter(Start start) : start_(std::move(start)) {}
    CallbackAwaiter(const CallbackAwaiter&) = delete;
    CallbackAwaiter& operator=(const CallbackAwaiter&) = delete;
    ~CallbackAwaiter() {
        state_->dropped = true;
        if (cancel_ && !state_->result) cancel_();
    }

    bool await_ready() {
        cancel_ = start_(Callback<T>(state_));
        return state_->result && state_->result->ok();
    }
    template <class P>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<P> waiter) {
        if (state_->result) {
            waiter.promise().fail(std::move(*state_->result).error());
            return waiter.promise().finish();
        }
        State* state = state_.get();
        state_->resume = [waiter, state] {
            if (state->result->ok()) {
                waiter.resume();
            } else {
                waiter.promise().fail(Error(state->result->error()));
                waiter.promise().finish().resume();
            }
        };
        return std::noop_coroutine();
    }
    T await_resume() { return std::move(*state_->result).value(); }

private:
    using State = typename Callback<T>::State;
    std::shared_ptr<State> state_ = std::make_shared<State>();
    Start start_;
    Cancel cancel_;
};

/// The bridge from callbacks to tasks: calls start with a Callback; waits until it is resolved. start returns how to
/// take the operation back (may be empty); if the waiting task is dropped first, that runs and the Callback goes dead.
template <class T>
CallbackAwaiter<T> await_callback(typename CallbackAwaiter<T>::Start start) {
    return CallbackAwaiter<T>(std::move(start));
}

}  // namespace atl
