#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "operator/base/task.h"

namespace atl {

using Duration = std::chrono::steady_clock::duration;
/// A point of monotonic time; only differences mean something.
using Instant = std::chrono::steady_clock::time_point;
/// A point of calendar time, UTC. Never used to measure how long something took.
using WallTime = std::chrono::system_clock::time_point;

/// Time, as the process sees it. Production binds it to the system, simulation to virtual time.
class Clock {
public:
    using TimerId = std::uint64_t;

    virtual ~Clock() = default;
    virtual Instant now() const = 0;
    virtual WallTime wall_now() const = 0;
    /// Calls back on the loop's thread, not before `when`, never from within call_at itself.
    virtual TimerId call_at(Instant when, std::function<void()> callback) = 0;
    /// Takes a timer back; one that has fired, or is unknown, is ignored.
    virtual void cancel_timer(TimerId timer) = 0;
};

/// Waits until the instant. The one way to sleep.
Task<> sleep_until(Clock& clock, Instant when);
Task<> sleep_for(Clock& clock, Duration duration);

}  // namespace atl
