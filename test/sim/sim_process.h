#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "operator/net/transport.h"
#include "test/sim/sim_loop.h"

namespace atl::sim {

/// One simulated process that can be stopped and go on, as by SIGSTOP and SIGCONT: its timers, callbacks and answers
/// that come meanwhile are there all at once when it goes on, in an order drawn from the seed. Time does not wait for
/// it.
class SimProcess final : public Clock, public Executor {
public:
    explicit SimProcess(SimLoop& loop);
    ~SimProcess() override;

    void pause();
    void go_on();

    Instant now() const override { return loop_.now(); }
    WallTime wall_now() const override { return loop_.wall_now(); }
    TimerId call_at(Instant when, std::function<void()> callback) override;
    void cancel_timer(TimerId timer) override;
    void post(std::function<void()> callback) override;

    /// The way out of this process, by way of another.
    std::unique_ptr<net::Transport> through(net::Transport& transport);
    /// Ends at once, or as soon as the process goes on.
    Task<> awake();

private:
    struct State {
        bool paused = false;
        std::map<TimerId, TimerId> timers;  ///< of the loop, by ours
        std::vector<std::function<void()>> held;
    };
    SimLoop& loop_;
    std::shared_ptr<State> state_ = std::make_shared<State>();
    TimerId next_ = 1;
};

}  // namespace atl::sim
