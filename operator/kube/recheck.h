#pragma once

#include <optional>

#include "operator/base/clock.h"

namespace atl::kube {

/// When to look again at an object whose pass went well, if nothing happens before.
struct Recheck {
    std::optional<Duration> after;

    template <class Rep, class Period>
    explicit Recheck(std::chrono::duration<Rep, Period> delay) : after(delay) {}
    /// Not before something changes.
    static Recheck never() { return Recheck(); }

private:
    Recheck() = default;
};

}  // namespace atl::kube
