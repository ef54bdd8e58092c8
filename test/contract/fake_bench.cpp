#include "operator/base/deadline.h"
#include "test/contract/bench.h"
#include "test/fakes/fake_engine.h"
#include "test/sim/sim_network.h"

namespace atl::contract {

namespace {

using namespace std::chrono_literals;

class FakeBench final : public Bench {
public:
    FakeBench() { network_.serve("unix:///fake.sock", &engine_); }
    cloud::Surroundings surroundings() override { return {transport_, loop_, loop_.random()}; }
    std::string engine_host() override { return "unix:///fake.sock"; }
    bool drive(const std::function<bool()>& done, Duration limit) override {
        const Instant end = loop_.now() + limit;
        const bool held = loop_.run_until(done, limit);
        if (!held && loop_.now() < end) loop_.run_for(end - loop_.now());
        return held;
    }
    nlohmann::json as_stranger(const std::string& method, const std::string& path,
                               const nlohmann::json& body) override {
        net::Request request;
        request.endpoint.scheme = net::Scheme::Unix;
        request.endpoint.host = "/fake.sock";
        request.method = method;
        request.target = path;
        if (!body.is_null()) request.body = body.dump();
        net::Limits limits;
        limits.deadline = loop_.now() + 10s;
        const auto response = run(transport_.send(request, limits));
        return response.ok() ? nlohmann::json::parse(response->body, nullptr, false) : nlohmann::json();
    }
    fakes::FakeWorld* fake_world() override { return &engine_.world(); }
    std::string fetch(int port) override { return engine_.listens(port) ? "page" : ""; }
    void restart_engine() override { engine_.restart(); }
    void hold_port(int port) override { engine_.world().taken_ports.insert(port); }
    void free_port(int port) override { engine_.world().taken_ports.erase(port); }
    bool is_real() const override { return false; }
    sim::SimTransport* wire() override { return &transport_; }
    std::vector<std::string> contents() override { return engine_.contents(); }
    int effects() override { return engine_.effects(); }

private:
    sim::SimLoop loop_{7};
    sim::SimNetwork network_{loop_};
    fakes::FakeEngine engine_{loop_};
    sim::SimTransport transport_{network_};
};

}  // namespace

std::unique_ptr<Bench> fake_bench() {
    return std::make_unique<FakeBench>();
}

}  // namespace atl::contract
