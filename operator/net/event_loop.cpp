#include "operator/net/event_loop.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <optional>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

namespace atl::net {

namespace asio = boost::asio;
using boost::system::error_code;

struct EventLoop::State {
    // First, so destroyed last: what the context's callbacks own may take timers back while it is destroyed.
    TimerId next_timer = 1;
    std::map<std::pair<Instant, TimerId>, std::function<void()>> timers;
    std::map<TimerId, Instant> timer_times;
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
    asio::steady_timer alarm{context};
    std::optional<Instant> alarm_time;
    asio::signal_set signals{context};

    void set_alarm();
    void ring();
};

/// Wakes the loop for the earliest timer.
void EventLoop::State::set_alarm() {
    if (timers.empty()) return;
    const Instant earliest = timers.begin()->first.first;
    if (alarm_time && *alarm_time <= earliest) return;
    alarm_time = earliest;
    alarm.expires_at(earliest);
    alarm.async_wait([this](error_code error) {
        if (error) return;
        alarm_time.reset();
        ring();
        set_alarm();
    });
}

/// Runs the timers that are due now; those that they add wait for the next round.
void EventLoop::State::ring() {
    const Instant now = std::chrono::steady_clock::now();
    const TimerId end = next_timer;
    while (!timers.empty() && timers.begin()->first.first <= now && timers.begin()->first.second < end) {
        auto first = timers.begin();
        auto callback = std::move(first->second);
        timer_times.erase(first->first.second);
        timers.erase(first);
        callback();
    }
}

EventLoop::EventLoop() : state_(std::make_unique<State>()) {
    std::signal(SIGPIPE, SIG_IGN);
}

EventLoop::~EventLoop() {
    // Their callbacks may own things that refer to the loop.
    auto timers = std::exchange(state_->timers, {});
    timers.clear();
}

void EventLoop::post(std::function<void()> callback) {
    asio::post(state_->context, std::move(callback));
}

Instant EventLoop::now() const {
    return std::chrono::steady_clock::now();
}

WallTime EventLoop::wall_now() const {
    return std::chrono::system_clock::now();
}

Clock::TimerId EventLoop::call_at(Instant when, std::function<void()> callback) {
    const TimerId id = state_->next_timer++;
    state_->timers.emplace(std::pair(when, id), std::move(callback));
    state_->timer_times.emplace(id, when);
    state_->set_alarm();
    return id;
}

void EventLoop::cancel_timer(TimerId timer) {
    const auto when = state_->timer_times.find(timer);
    if (when == state_->timer_times.end()) return;
    // Destroyed last: what the callback owns may call back into this loop.
    const auto taken = state_->timers.extract(std::pair(when->second, timer));
    state_->timer_times.erase(when);
}

void EventLoop::run() {
    state_->context.restart();
    state_->context.run();
}

void EventLoop::stop() {
    state_->context.stop();
}

void EventLoop::on_stop_signal(std::function<void(int)> callback) {
    state_->signals.add(SIGTERM);
    state_->signals.add(SIGINT);
    state_->signals.async_wait([state = state_.get(), callback = std::move(callback)](error_code error, int signal) {
        if (error) return;
        // Back to the system's default: the next one kills the process even if the loop hangs.
        state->signals.clear();
        callback(signal);
    });
}

namespace {

/// Takes a timer back when its wait ends, however it ends.
struct TimerGuard {
    Clock& clock;
    Clock::TimerId timer = 0;
    ~TimerGuard() { clock.cancel_timer(timer); }
};

class AsioDescriptor final : public Descriptor {
public:
    AsioDescriptor(EventLoop& loop, asio::io_context& context, int number)
        : loop_(loop), state_(std::make_shared<State>(context, number)) {
        state_->descriptor.non_blocking(true);
    }
    AsioDescriptor(const AsioDescriptor&) = delete;
    AsioDescriptor& operator=(const AsioDescriptor&) = delete;
    ~AsioDescriptor() override { state_->close(); }

    int number() const override { return state_->descriptor.native_handle(); }
    void close() override { state_->close(); }

    Task<bool> ready(Direction direction, Duration patience) override {
        TimerGuard guard{loop_};
        std::function<Cancel(Callback<bool>)> start = [&](Callback<bool> done) -> Cancel {
            state_->wait(direction, done);
            if (patience != kForever) {
                guard.timer = loop_.call_at(loop_.now() + patience, [done] { done.resolve(false); });
            }
            return {};
        };
        const bool is_ready = co_await await_callback<bool>(start);
        co_return is_ready;
    }

private:
    /// At most one wait per direction is pending in Asio; the waiters share it. It outlives waiters that are dropped,
    /// because Asio can only take back all waits of a descriptor at once.
    struct State : std::enable_shared_from_this<State> {
        struct Slot {
            bool armed = false;
            std::vector<Callback<bool>> waiters;
        };
        State(asio::io_context& context, int number) : descriptor(context, number) {}

        void wait(Direction direction, const Callback<bool>& done) {
            if (!descriptor.is_open()) return done.resolve(closed());
            Slot& slot = slots[static_cast<std::size_t>(direction)];
            std::erase_if(slot.waiters, [](const Callback<bool>& waiter) { return !waiter.wanted(); });
            slot.waiters.push_back(done);
            if (!std::exchange(slot.armed, true)) arm(direction);
        }
        void arm(Direction direction) {
            const auto kind = direction == Direction::Read ? asio::posix::descriptor_base::wait_read
                                                           : asio::posix::descriptor_base::wait_write;
            descriptor.async_wait(kind, [self = shared_from_this(), direction](error_code error) {
                Slot& slot = self->slots[static_cast<std::size_t>(direction)];
                slot.armed = false;
                const auto waiters = std::exchange(slot.waiters, {});
                for (const auto& waiter : waiters) waiter.resolve(error ? Result<bool>(closed()) : Result<bool>(true));
            });
        }
        void close() {
            error_code ignored;
            if (descriptor.is_open()) (void)descriptor.close(ignored);
        }
        static Error closed() { return transient("ConnectionLost", "the connection was closed on this side"); }

        asio::posix::stream_descriptor descriptor;
        std::array<Slot, 2> slots;
    };
    EventLoop& loop_;
    std::shared_ptr<State> state_;
};

using Resolver = asio::ip::tcp::resolver;

SocketAddress address_of(const asio::ip::tcp::endpoint& endpoint) {
    return {endpoint.protocol().family(), std::string(reinterpret_cast<const char*>(endpoint.data()), endpoint.size())};
}

}  // namespace

std::unique_ptr<Descriptor> EventLoop::adopt(int descriptor) {
    return std::make_unique<AsioDescriptor>(*this, state_->context, descriptor);
}

Task<std::vector<SocketAddress>> EventLoop::resolve(std::string host, std::uint16_t port) {
    error_code not_literal;
    const auto literal = asio::ip::make_address(host, not_literal);
    if (!not_literal) co_return std::vector{address_of({literal, port})};

    Resolver resolver(state_->context);
    std::function<Cancel(Callback<std::vector<SocketAddress>>)> start =
        [&](Callback<std::vector<SocketAddress>> done) -> Cancel {
        auto answer = [done, host](error_code error, const Resolver::results_type& results) {
            std::vector<SocketAddress> addresses;
            for (const auto& result : results) addresses.push_back(address_of(result.endpoint()));
            if (error || addresses.empty()) {
                done.resolve(transient("ConnectFailed", "looking up \"" + host + "\": " + error.message()));
            } else {
                done.resolve(std::move(addresses));
            }
        };
        resolver.async_resolve(host, std::to_string(port), Resolver::numeric_service, answer);
        return {};
    };
    std::vector<SocketAddress> addresses = co_await await_callback<std::vector<SocketAddress>>(start);
    co_return addresses;
}

}  // namespace atl::net
