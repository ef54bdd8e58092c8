#pragma once

#include <utility>
#include <variant>

#include "operator/base/error.h"

namespace atl {

/// What a Result or Task without a value holds.
struct Unit {
    bool operator==(const Unit&) const = default;
};

/// A value, or the Error that stands in its place. `co_await result` in a Task gives the value or ends the task with
/// the error.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    /// The value; only when ok().
    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    /// The error; only when not ok().
    const Error& error() const& { return std::get<1>(state_); }
    Error&& error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

/// Success without a value.
inline Result<Unit> ok() {
    return Unit{};
}

}  // namespace atl
