#include "test/sim/sim_process.h"

#include <utility>

namespace atl::sim {

namespace {

class PausedStream final : public net::BodyStream {
public:
    PausedStream(SimProcess& process, std::unique_ptr<net::BodyStream> body)
        : process_(process), body_(std::move(body)) {}
    Task<std::optional<std::string>> next() override {
        auto piece = co_await body_->next().attempt();
        co_await process_.awake();
        co_return piece;
    }

private:
    SimProcess& process_;
    std::unique_ptr<net::BodyStream> body_;
};

class PausedTransport final : public net::Transport {
public:
    PausedTransport(SimProcess& process, net::Transport& transport) : process_(process), transport_(transport) {}
    Task<net::Response> send(net::Request request, net::Limits limits) override {
        auto response = co_await transport_.send(std::move(request), limits).attempt();
        co_await process_.awake();
        co_return response;
    }
    Task<net::StreamResponse> open(net::Request request, net::Limits limits) override {
        auto response = co_await transport_.open(std::move(request), limits).attempt();
        co_await process_.awake();
        if (response.ok()) response->body = std::make_unique<PausedStream>(process_, std::move(response->body));
        co_return response;
    }

private:
    SimProcess& process_;
    net::Transport& transport_;
};

}  // namespace

SimProcess::SimProcess(SimLoop& loop) : loop_(loop) {}

SimProcess::~SimProcess() = default;

void SimProcess::pause() {
    state_->paused = true;
}

void SimProcess::go_on() {
    state_->paused = false;
    for (auto& callback : std::exchange(state_->held, {})) loop_.post(std::move(callback));
}

Clock::TimerId SimProcess::call_at(Instant when, std::function<void()> callback) {
    const TimerId id = next_++;
    std::weak_ptr<State> weak = state_;
    auto fire = [weak, id, callback = std::move(callback)] {
        const auto state = weak.lock();
        if (state && state->timers.erase(id) > 0) callback();
    };
    state_->timers[id] = loop_.call_at(when, [weak, fire = std::move(fire)] {
        const auto state = weak.lock();
        if (!state) return;
        if (state->paused) {
            state->held.push_back(fire);
        } else {
            fire();
        }
    });
    return id;
}

void SimProcess::cancel_timer(TimerId timer) {
    const auto found = state_->timers.extract(timer);
    if (found) loop_.cancel_timer(found.mapped());
}

void SimProcess::post(std::function<void()> callback) {
    std::weak_ptr<State> weak = state_;
    loop_.post([weak, callback = std::move(callback)] {
        const auto state = weak.lock();
        if (!state) return;
        if (state->paused) {
            state->held.push_back(callback);
        } else {
            callback();
        }
    });
}

std::unique_ptr<net::Transport> SimProcess::through(net::Transport& transport) {
    return std::make_unique<PausedTransport>(*this, transport);
}

Task<> SimProcess::awake() {
    if (!state_->paused) co_return;
    CallbackAwaiter<Unit>::Start start = [this](Callback<Unit> done) {
        state_->held.push_back([done] { done.resolve(ok()); });
        return Cancel();
    };
    co_await await_callback<Unit>(std::move(start));
}

}  // namespace atl::sim
