#pragma once

#include <cstddef>
#include <memory>

#include "operator/net/event_loop.h"
#include "operator/net/transport.h"

namespace atl::net {

/// How BeastTransport uses connections.
struct BeastTransportOptions {
    /// Per endpoint: exchanges at one time; further ones wait their turn.
    std::size_t exchanges = 16;
    /// Per endpoint: open streams at one time, beside the exchanges.
    std::size_t streams = 256;
    /// For one address of a host, TLS handshake included; the next address is tried after it.
    Duration connect_limit = std::chrono::seconds(10);
    /// Connections at rest are closed after this. Less than servers keep theirs.
    Duration resting_limit = std::chrono::seconds(30);
};

/// Transport over our own sockets on the EventLoop: HTTP, HTTPS and unix sockets; exchanges and streams.
///
/// Equal TlsConfigs share parsed keys and trust, and connections. Peers that vanish are found by TCP keepalive and user
/// time-out. Redirects are not followed. Must outlive its tasks and streams.
class BeastTransport final : public Transport {
public:
    explicit BeastTransport(EventLoop& loop, BeastTransportOptions options = {});
    BeastTransport(const BeastTransport&) = delete;
    BeastTransport& operator=(const BeastTransport&) = delete;
    ~BeastTransport() override;

    Task<Response> send(Request request, Limits limits) override;
    Task<StreamResponse> open(Request request, Limits limits) override;

    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace atl::net
