#include "test/operator/net/transport_rig.h"

#include "operator/net/beast_transport.h"
#include "operator/net/cpprest_transport.h"
#include "test/sim/sim_loop.h"
#include "test/sim/sim_network.h"

namespace {

bool cpprest_was_used = false;

}  // namespace

// Asked by LeakSanitizer at the end. The threads of cpprestsdk's pool live on then, and so do the connections that they
// hold.
extern "C" int __lsan_is_turned_off() {  // NOLINT(readability-identifier-naming): its name
    return cpprest_was_used ? 1 : 0;
}

namespace atl::net {

namespace {

class SimRig final : public TransportRig {
public:
    Transport& transport() override { return transport_; }
    Clock& clock() override { return loop_; }
    Endpoint serve(Handler& handler, std::optional<ServerTls> /*tls*/) override {
        const Endpoint endpoint{Scheme::Http, "simulated", port_++, nullptr};
        network_.serve(endpoint.to_string(), &handler);
        return endpoint;
    }
    bool run_until(const std::function<bool()>& predicate, Duration limit) override {
        return loop_.run_until(predicate, limit);
    }

private:
    sim::SimLoop loop_;
    sim::SimNetwork network_{loop_};
    sim::SimTransport transport_{network_};
    std::uint16_t port_ = 1000;
};

}  // namespace

std::string to_string(Binding binding) {
    if (binding == Binding::Sim) return "Sim";
    return binding == Binding::Beast ? "Beast" : "Cpprest";
}

std::unique_ptr<TransportRig> TransportRig::make(Binding binding) {
    if (binding == Binding::Sim) return std::make_unique<SimRig>();
    return std::make_unique<RealRig>(binding);
}

RealRig::RealRig(Binding binding) {
    if (binding == Binding::Cpprest) {
        cpprest_was_used = true;
        transport_ = std::make_unique<CpprestTransport>(loop, loop);
    } else {
        transport_ = std::make_unique<BeastTransport>(loop);
    }
}

Endpoint RealRig::serve(Handler& handler, std::optional<ServerTls> tls) {
    HttpServerOptions options;
    options.tls = std::move(tls);
    const Scheme scheme = options.tls ? Scheme::Https : Scheme::Http;
    servers.push_back(std::move(HttpServer::listen(loop, handler, options).value()));
    return {scheme, "127.0.0.1", servers.back()->port(), nullptr};
}

}  // namespace atl::net
