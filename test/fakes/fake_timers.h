#pragma once

#include <functional>
#include <memory>
#include <set>

#include "operator/base/clock.h"

namespace atl::fakes {

/// Delayed work of a fake; taken back when the fake goes.
class FakeTimers {
public:
    explicit FakeTimers(Clock& clock) : clock_(clock) {}
    FakeTimers(const FakeTimers&) = delete;
    FakeTimers& operator=(const FakeTimers&) = delete;
    ~FakeTimers() { clear(); }

    void after(Duration delay, std::function<void()> work) {
        auto id = std::make_shared<Clock::TimerId>(0);
        *id = clock_.call_at(clock_.now() + delay, [this, id, work = std::move(work)] {
            pending_.erase(*id);
            work();
        });
        pending_.insert(*id);
    }
    void clear() {
        for (const Clock::TimerId timer : pending_) clock_.cancel_timer(timer);
        pending_.clear();
    }
    Clock& clock() { return clock_; }

private:
    Clock& clock_;
    std::set<Clock::TimerId> pending_;
};

}  // namespace atl::fakes
