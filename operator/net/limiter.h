#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "operator/base/clock.h"
#include "operator/base/deadline.h"
#include "operator/base/spawner.h"

namespace atl::net {

/// What an account of a cloud allows, as far as is known beforehand.
struct LimiterOptions {
    /// Calls per second at best, and how many may go at once after a rest.
    double rate = 20;
    double burst = 20;
    /// The rate never falls below this.
    double lowest_rate = 0.2;
    /// Calls under way at one time.
    std::size_t concurrency = 16;
    /// From half the rate back to the whole, if nothing is refused.
    Duration recovery = std::chrono::seconds(100);
    /// Refusals closer together than this count as one: they were sent at the same rate.
    Duration window = std::chrono::seconds(1);
    /// A Retry-After beyond this is cut down to it.
    Duration longest_pause = std::chrono::minutes(15);
};

/// One budget of calls per (provider, account, region, API class), shared by everybody who calls it.
///
/// A token bucket whose rate is halved when the other side refuses a call (Throttled) and grows back slowly; turns go
/// round between keys (Clusters), so that one with many calls does not starve the others, and within a key in the order
/// of their coming.
class Limiter {
    struct State;

public:
    Limiter(Executor& executor, Clock& clock, LimiterOptions options = {});
    Limiter(const Limiter&) = delete;
    Limiter& operator=(const Limiter&) = delete;
    /// Turns may outlive it; who still waits then waits for ever.
    ~Limiter();

    /// The right to make one call, from taking it to its end.
    class Turn {
    public:
        explicit Turn(std::shared_ptr<State> state) : state_(std::move(state)) {}
        Turn(Turn&& other) noexcept = default;
        Turn& operator=(Turn&& other) noexcept {
            std::swap(state_, other.state_);
            return *this;
        }
        ~Turn();

    private:
        std::shared_ptr<State> state_;
    };

    /// Waits for a turn; until then nothing is spent, so the wait may be dropped.
    Task<Turn> turn(std::string key);
    /// The other side refused a call: halves the rate, and stops all calls for as long as it asked.
    void throttled(std::optional<Duration> retry_after);

    /// Calls per second, now.
    double rate() const;
    std::size_t waiting() const;
    std::size_t running() const;

private:
    std::shared_ptr<State> state_;
};

/// Makes one call in its turn; an error of the class Throttled slows the limiter down.
template <class T>
Task<T> limited(Limiter& limiter, std::string key, Task<T> call) {
    const Limiter::Turn turn = co_await limiter.turn(std::move(key));
    auto outcome = co_await std::move(call).attempt();
    if (!outcome.ok() && outcome.error().error_class() == ErrorClass::Throttled) {
        limiter.throttled(outcome.error().retry_after());
    }
    if constexpr (std::is_void_v<T>) {
        co_await std::move(outcome);
    } else {
        co_return std::move(outcome);
    }
}

}  // namespace atl::net
