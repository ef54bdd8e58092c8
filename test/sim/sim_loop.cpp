#include "test/sim/sim_loop.h"

#include <utility>

namespace atl::sim {

SimLoop::SimLoop(std::uint64_t seed) : seed_(seed), random_(seed) {}

SimLoop::~SimLoop() {
    while (!ready_.empty() || !timers_.empty()) {
        const auto ready = std::exchange(ready_, {});
        const auto timers = std::exchange(timers_, {});
        timer_times_.clear();
    }
}

WallTime SimLoop::wall_now() const {
    // Virtual time begins on 2026-01-01, 00:00 UTC.
    constexpr WallTime kStart{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};
    return kStart + std::chrono::duration_cast<WallTime::duration>(now_.time_since_epoch() + wall_offset_);
}

Clock::TimerId SimLoop::call_at(Instant when, std::function<void()> callback) {
    const TimerId id = next_timer_++;
    timers_.emplace(std::pair(when, id), std::move(callback));
    timer_times_.emplace(id, when);
    return id;
}

void SimLoop::cancel_timer(TimerId timer) {
    const auto when = timer_times_.find(timer);
    if (when == timer_times_.end()) return;
    timers_.erase(std::pair(when->second, timer));
    timer_times_.erase(when);
}

void SimLoop::post(std::function<void()> callback) {
    ready_.push_back({next_ready_++, std::move(callback)});
}

void SimLoop::note(std::uint64_t value) {
    trace_ = (trace_ ^ value) * 0x100000001b3U;
}

bool SimLoop::step() {
    if (ready_.empty()) {
        if (timers_.empty()) return false;
        auto first = timers_.begin();
        now_ = std::max(now_, first->first.first);
        timer_times_.erase(first->first.second);
        auto callback = std::move(first->second);
        note(first->first.second);
        timers_.erase(first);
        callback();
        return true;
    }
    const std::size_t chosen = seed_ == 0 ? 0 : static_cast<std::size_t>(random_.below(ready_.size()));
    Ready next = std::move(ready_[chosen]);
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
    note(next.id);
    next.callback();
    return true;
}

bool SimLoop::run_until(const std::function<bool()>& predicate, Duration limit) {
    const Instant end = now_ + limit;
    while (!predicate()) {
        if (ready_.empty() && (timers_.empty() || timers_.begin()->first.first > end)) return false;
        step();
    }
    return true;
}

void SimLoop::run_for(Duration duration) {
    const Instant end = now_ + duration;
    run_until([] { return false; }, duration);
    now_ = std::max(now_, end);
}

}  // namespace atl::sim
