#include "operator/net/limiter.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace atl::net {

namespace {

double seconds_of(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

struct Limiter::State : std::enable_shared_from_this<Limiter::State> {
    State(Executor& executor_in, Clock& clock_in, LimiterOptions options_in)
        : executor(executor_in), clock(clock_in), options(options_in) {}

    Executor& executor;
    Clock& clock;
    LimiterOptions options;

    double rate = options.rate;
    double tokens = options.burst;
    Instant counted = clock.now();
    Instant paused_until = clock.now();
    Instant last_refusal = clock.now() - options.window;
    std::size_t running = 0;
    Clock::TimerId timer = 0;
    /// Keys with waiters; the first is served next.
    std::deque<std::string> rotation;
    std::map<std::string, std::deque<Callback<Turn>>> waiting;

    void count();
    void pump();
    void pump_soon();
    void wake_at(Instant when);
    std::optional<Callback<Turn>> next_waiter();
    Duration until_token() const;
};

/// Brings tokens and rate up to now.
void Limiter::State::count() {
    const double passed = seconds_of(clock.now() - counted);
    counted = clock.now();
    tokens = std::min(options.burst, tokens + passed * rate);
    rate = std::min(options.rate, rate + passed * options.rate / 2 / seconds_of(options.recovery));
}

/// The waiter whose turn it is by the rotation between keys; those that were dropped are passed over.
std::optional<Callback<Limiter::Turn>> Limiter::State::next_waiter() {
    while (!rotation.empty()) {
        const std::string key = rotation.front();
        rotation.pop_front();
        auto& queue = waiting[key];
        while (!queue.empty() && !queue.front().wanted()) queue.pop_front();
        if (queue.empty()) {
            waiting.erase(key);
            continue;
        }
        Callback<Turn> next = queue.front();
        queue.pop_front();
        if (queue.empty()) {
            waiting.erase(key);
        } else {
            rotation.push_back(key);
        }
        return next;
    }
    return std::nullopt;
}

Duration Limiter::State::until_token() const {
    const double missing = std::max(0.0, 1.0 - tokens);
    // One microsecond more, so that rounding never wakes us a hair too early.
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(missing / rate)) +
           std::chrono::microseconds(1);
}

/// Gives turns as long as the budget allows.
void Limiter::State::pump() {
    count();
    while (!rotation.empty() && running < options.concurrency) {
        if (clock.now() < paused_until) return wake_at(paused_until);
        if (tokens < 1.0) return wake_at(clock.now() + until_token());
        const auto next = next_waiter();
        if (!next) return;
        tokens -= 1.0;
        ++running;
        next->resolve(Turn(shared_from_this()));
    }
}

void Limiter::State::pump_soon() {
    std::weak_ptr<State> weak = weak_from_this();
    executor.post([weak] {
        if (const auto state = weak.lock()) state->pump();
    });
}

void Limiter::State::wake_at(Instant when) {
    clock.cancel_timer(timer);
    std::weak_ptr<State> weak = weak_from_this();
    timer = clock.call_at(when, [weak] {
        if (const auto state = weak.lock()) state->pump();
    });
}

Limiter::Limiter(Executor& executor, Clock& clock, LimiterOptions options)
    : state_(std::make_shared<State>(executor, clock, options)) {}

Limiter::~Limiter() {
    state_->clock.cancel_timer(state_->timer);
}

Limiter::Turn::~Turn() {
    if (!state_) return;
    --state_->running;
    state_->pump_soon();
}

Task<Limiter::Turn> Limiter::turn(std::string key) {
    const auto state = state_;
    std::function<Cancel(Callback<Turn>)> start = [&state, &key](Callback<Turn> granted) -> Cancel {
        auto& queue = state->waiting[key];
        if (queue.empty()) state->rotation.push_back(key);
        queue.push_back(granted);
        state->pump_soon();
        return {};
    };
    Turn turn = co_await await_callback<Turn>(start);
    co_return turn;
}

void Limiter::throttled(std::optional<Duration> retry_after) {
    State& state = *state_;
    state.count();
    const Instant now = state.clock.now();
    if (now - state.last_refusal >= state.options.window) {
        state.last_refusal = now;
        state.rate = std::max(state.options.lowest_rate, state.rate / 2);
    }
    // What was saved up was saved for a rate that is too high.
    state.tokens = std::min(state.tokens, 0.0);
    if (retry_after) {
        state.paused_until = std::max(state.paused_until, now + std::min(*retry_after, state.options.longest_pause));
    }
}

double Limiter::rate() const {
    state_->count();
    return state_->rate;
}

std::size_t Limiter::waiting() const {
    std::size_t total = 0;
    for (const auto& [key, queue] : state_->waiting) {
        for (const auto& waiter : queue) total += waiter.wanted() ? 1U : 0U;
    }
    return total;
}

std::size_t Limiter::running() const {
    return state_->running;
}

}  // namespace atl::net
