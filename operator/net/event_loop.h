#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/base/clock.h"
#include "operator/base/spawner.h"

namespace atl::net {

/// For a wait that nothing bounds but its own task.
inline constexpr Duration kForever = Duration::max();

enum class Direction { Read, Write };

/// An open, non-blocking descriptor whose readiness can be awaited. Owns the descriptor: closes it when destroyed.
///
/// No operation is ever left behind in the kernel: only readiness is awaited, reads and writes happen at once. So a
/// wait can be dropped at any time, and buffers belong to their users.
class Descriptor {
public:
    virtual ~Descriptor() = default;
    /// For system calls.
    virtual int number() const = 0;
    /// Waits until the descriptor can be read or written, or has an error or hang-up; false once it took longer than
    /// `patience`. May be true though there is nothing. Fails with ConnectionLost if it is closed here meanwhile.
    virtual Task<bool> ready(Direction direction, Duration patience) = 0;
    /// Closes it now.
    virtual void close() = 0;
};

/// A socket address of any family, as connect(2) takes it.
struct SocketAddress {
    int family = 0;
    std::string bytes;
};

/// The production binding of Executor and Clock: one thread, one Asio io_context, real time. Must outlive all that uses
/// it. Ignores SIGPIPE for the whole process.
class EventLoop final : public Executor, public Clock {
public:
    EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;
    ~EventLoop() override;

    void post(std::function<void()> callback) override;

    Instant now() const override;
    WallTime wall_now() const override;
    TimerId call_at(Instant when, std::function<void()> callback) override;
    void cancel_timer(TimerId timer) override;

    /// Runs callbacks until stop(). An exception that escapes a callback comes out here.
    void run();
    /// Makes run() return soon. From any thread. Once stopped, run() may be called again.
    void stop();
    /// Calls back on the loop at the first SIGTERM or SIGINT. A second one ends the process at once.
    void on_stop_signal(std::function<void(int signal)> callback);

    /// Takes over an open descriptor and makes it non-blocking.
    std::unique_ptr<Descriptor> adopt(int descriptor);
    /// The addresses of a host name or literal address; at least one. Fails with ConnectFailed. Names are looked up by
    /// getaddrinfo on a thread of Asio's, one after the other.
    Task<std::vector<SocketAddress>> resolve(std::string host, std::uint16_t port);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace atl::net
