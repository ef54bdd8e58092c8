#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "operator/net/server.h"
#include "operator/net/transport.h"
#include "test/sim/sim_loop.h"

namespace atl::sim {

/// Where in an external call a fault strikes.
enum class Point {
    BeforeSend,    ///< nothing has left the process
    Received,      ///< the server has the request, no effect yet
    EffectDone,    ///< the effect happened, no response was sent
    ResponseSent,  ///< the response is on its way, not processed yet
};

/// What the fault does.
enum class Fault {
    None,
    Reset,  ///< the connection breaks: ConnectFailed at BeforeSend, else ConnectionLost
    Crash,  ///< the calling process ends here
};

/// One external call, as a fault plan sees it.
struct Call {
    std::uint64_t index = 0;  ///< 0, 1, 2, … per client
    net::Request request;
};

/// Servers by endpoint, in the same process: the wire between simulated processes.
class SimNetwork {
public:
    explicit SimNetwork(SimLoop& loop) : loop_(loop) {}

    /// Requests to this endpoint (Endpoint::to_string()) go to the handler, which the caller keeps alive. nullptr takes
    /// it away: connections are then refused, and open streams of that endpoint break.
    void serve(const std::string& endpoint, net::Handler* handler);

    SimLoop& loop() { return loop_; }
    net::Handler* find(const std::string& endpoint) const;
    /// Rises whenever a handler is put in place or taken away.
    std::uint64_t epoch(const std::string& endpoint) const;

private:
    SimLoop& loop_;
    std::map<std::string, net::Handler*> handlers_;
    std::map<std::string, std::uint64_t> epochs_;
};

/// One simulated process's way out. Every exchange takes `latency` each way and asks `fault` at its four points.
class SimTransport final : public net::Transport {
public:
    explicit SimTransport(SimNetwork& network) : network_(network) {}

    Task<net::Response> send(net::Request request, net::Limits limits) override;
    Task<net::StreamResponse> open(net::Request request, net::Limits limits) override;

    /// Asked at each point of each call; empty: never a fault.
    std::function<Fault(const Call&, Point)> fault;
    /// What a Crash does: ends this process (drops its Spawner), soon. The call itself never returns.
    std::function<void()> crash;
    Duration latency = std::chrono::milliseconds(1);
    std::uint64_t calls() const { return calls_; }

private:
    Task<> strike(const Call& call, Point point);
    SimNetwork& network_;
    std::uint64_t calls_ = 0;
};

}  // namespace atl::sim
