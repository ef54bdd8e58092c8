#pragma once

#include <cstddef>
#include <memory>

#include "operator/base/clock.h"
#include "operator/base/spawner.h"
#include "operator/net/transport.h"

namespace atl::net {

/// How CpprestTransport uses connections.
struct CpprestTransportOptions {
    /// Exchanges at one time per endpoint; further ones wait their turn. cpprestsdk itself has no limit.
    std::size_t exchanges = 16;
    /// Ends an exchange on which nothing moves, before its deadline.
    std::chrono::seconds idle{60};
};

/// Transport for exchanges with cloud APIs, over cpprestsdk: HTTP and HTTPS. No streams, no unix sockets, no
/// TlsConfig::server_name, no Host header other than the endpoint's (Unsupported).
///
/// cpprestsdk works on four threads of its own; results come back to the executor's. It repeats, silently, any request
/// on a pooled connection that the server closes without an answer; bodies are therefore given to it as streams that
/// it cannot rewind, which makes such a request fail with ConnectionLost. Only GET and HEAD may be repeated.
/// Why a server refuses our certificate is not told: ConnectionLost then, not TlsVerificationFailed.
class CpprestTransport final : public Transport {
public:
    CpprestTransport(Executor& executor, Clock& clock, CpprestTransportOptions options = {});
    CpprestTransport(const CpprestTransport&) = delete;
    CpprestTransport& operator=(const CpprestTransport&) = delete;
    /// After its tasks.
    ~CpprestTransport() override;

    Task<Response> send(Request request, Limits limits) override;
    /// Fails with Unsupported.
    Task<StreamResponse> open(Request request, Limits limits) override;

    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace atl::net
