#include "operator/base/clock.h"

namespace atl {

Task<> sleep_until(Clock& clock, Instant when) {
    std::function<Cancel(Callback<Unit>)> start = [&clock, when](Callback<Unit> woken) -> Cancel {
        Clock::TimerId timer = clock.call_at(when, [woken] { woken.resolve(ok()); });
        return [&clock, timer] { clock.cancel_timer(timer); };
    };
    co_await await_callback<Unit>(start);
}

Task<> sleep_for(Clock& clock, Duration duration) {
    return sleep_until(clock, clock.now() + duration);
}

}  // namespace atl
