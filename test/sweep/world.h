#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/commands/operator_process.h"
#include "test/fakes/fake_engine.h"
#include "test/sim/sim_network.h"
#include "test/sweep/api_disk.h"
#include "test/sweep/engine_view.h"

namespace atl::sweep {

/// Changes what leaves the operator, to plant a bug: see sabotage.h. Called before the request is sent.
using Tamper = std::function<void(net::Request& request)>;

/// One simulated world: the embedded API server on a disk that loses what was not synced, a fake engine, and an
/// operator that can be crashed and started again, on one thread in virtual time.
class World {
public:
    explicit World(std::uint64_t seed);
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    enum class Operator { Own, None };
    /// Brings the API server up with our definitions, and starts the operator, unless the test brings its own.
    void boot(Operator which = Operator::Own);
    /// Ends the operator where it stands; it is started again after a second.
    void crash();
    /// Ends the operator for good.
    void end_operator() { process_.reset(); }

    /// A person's requests; each runs the world until it is answered. Fails the run if the server refuses.
    void apply(const nlohmann::json& object);
    void merge(const kube::ResourceType& type, const std::string& name, const nlohmann::json& patch);
    void remove(const kube::ResourceType& type, const std::string& name);
    std::optional<nlohmann::json> find(const kube::ResourceType& type, const std::string& name);
    std::vector<nlohmann::json> list(const kube::ResourceType& type);

    /// Runs until the predicate holds, looked at each tenth of a virtual second; false after the limit, or once the
    /// operator has made so many calls since the last allow_calls() that it can only be running in circles (a
    /// violation).
    bool until(const std::function<bool()>& predicate, Duration limit);
    void run_for(Duration duration);
    /// Counts the operator's calls anew.
    void allow_calls(std::uint64_t calls) { call_limit_ = transport_->calls() + calls; }

    sim::SimLoop& loop() { return loop_; }
    sim::SimNetwork& network() { return network_; }
    std::shared_ptr<kube::CredentialSource> credentials() const { return api_->credentials(); }
    /// A person's own way to the API server and to the engine, for commands that only ask.
    kube::Client& client() { return *user_; }
    const cloud::Registry& registry() const { return registry_; }
    cloud::Surroundings surroundings() { return {user_transport_, loop_, loop_.random()}; }
    EngineView& engine() { return view_; }
    fakes::FakeEngine& fake_engine() { return *engine_; }
    sim::SimTransport& operator_transport() { return *transport_; }
    /// Writes that the operator has sent: to the API server (Events, Leases apart) and to the engine.
    std::uint64_t api_writes() const { return api_writes_; }
    std::uint64_t engine_writes() const { return engine_writes_; }
    /// What went wrong by the rules that are watched all the time.
    const std::set<std::string>& violations() const { return violations_; }
    void violate(const std::string& what) { violations_.insert(what); }

    /// Asked at each point of each of the operator's calls, after the world's own rules.
    std::function<sim::Fault(const sim::Call&, sim::Point)> fault;
    Tamper tamper;
    int crashes = 0;

private:
    class Tampering;
    sim::Fault watch(const sim::Call& call, sim::Point point);
    void start_operator();

    sim::SimLoop loop_;
    sim::SimNetwork network_;
    std::unique_ptr<ApiOnDisk> api_;
    std::unique_ptr<fakes::FakeEngine> engine_;
    cloud::Registry registry_;
    std::unique_ptr<sim::SimTransport> transport_;
    std::unique_ptr<Tampering> tampering_;
    std::unique_ptr<commands::OperatorProcess> process_;
    sim::SimTransport user_transport_;
    EngineView view_;
    std::unique_ptr<kube::Client> user_;
    std::set<std::string> recorded_owners_;
    std::set<std::string> violations_;
    std::uint64_t call_limit_ = UINT64_MAX;
    std::uint64_t api_writes_ = 0;
    std::uint64_t engine_writes_ = 0;
};

}  // namespace atl::sweep
