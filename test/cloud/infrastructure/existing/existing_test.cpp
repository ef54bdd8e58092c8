#include "cloud/infrastructure/existing/existing.h"

#include <gtest/gtest.h>

#include "cloud/apply.h"
#include "cloud/diff.h"
#include "cloud/docker/machines.h"
#include "test/fakes/fake_engine.h"
#include "test/sim/sim_network.h"

namespace atl::cloud::existing {
namespace {

using namespace std::chrono_literals;

Properties machine(const std::string& name, const std::string& host, const std::string& address) {
    return {{"name", name}, {"engine", {{"host", host}}}, {"address", address}};
}

Topology topology_of(const std::vector<Properties>& machines) {
    Topology topology;
    topology.infrastructure["machines"] = machines;
    return topology;
}

TEST(Existing, MakesAMachineOfEachEntry) {
    const auto existing = make_existing(std::make_shared<docker::Versions>());
    const auto desired = existing->resources(
        topology_of({machine("a", "unix:///a", "10.0.0.1"), machine("b", "unix:///b", "10.0.0.2")}));
    ASSERT_TRUE(desired.ok());
    EXPECT_TRUE(desired->resources.contains({"machine", "a"}));
    EXPECT_TRUE(desired->resources.contains({"machine", "b"}));
}

TEST(Existing, RefusesBadListsWithTheField) {
    const auto existing = make_existing(std::make_shared<docker::Versions>());
    struct Case {
        std::vector<Properties> machines;
        const char* reason;
        const char* field;
    };
    const std::string root = "spec.infrastructure.existing.machines";
    for (const Case& c : {
             Case{{}, "NoMachines", ""},
             Case{{machine("", "unix:///a", "")}, "MachineWithoutName", "[0]"},
             Case{{machine("a", "unix:///a", "10.0.0.1"), machine("a", "unix:///b", "10.0.0.2")},
                  "DuplicateMachine",
                  "[1]"},
             Case{{machine("a", "unix:///a", "10.0.0.1"), machine("b", "unix:///a", "10.0.0.2")},
                  "DuplicateMachine",
                  "[1]"},
             Case{{machine("a", "unix:///a", "10.0.0.1"), machine("b", "unix:///b", "")},
                  "MachineWithoutAddress",
                  "[1].address"},
             Case{{machine("a", "tcp://10.0.0.1:2375", "")}, "EngineWithoutTls", "[0].engine.host"},
             Case{{Properties(5)}, "MachineWithoutName", "[0]"},
         }) {
        const auto result = existing->resources(topology_of(c.machines));
        ASSERT_FALSE(result.ok()) << c.reason;
        EXPECT_EQ(result.error().reason(), c.reason);
        EXPECT_EQ(result.error().field(), root + c.field);
    }
    Topology pools = topology_of({machine("a", "unix:///a", "10.0.0.1")});
    pools.pools.emplace_back();
    EXPECT_EQ(existing->resources(pools).error().reason(), "PoolsOnExisting");
}

TEST(Existing, UsesMachinesAndNeverDeletesThem) {
    sim::SimLoop loop;
    sim::SimNetwork network(loop);
    sim::SimTransport transport(network);
    fakes::FakeEngine first(loop);
    fakes::FakeEngine second(loop);
    network.serve("unix:///a", &first);
    network.serve("unix:///b", &second);
    const auto existing = make_existing(std::make_shared<docker::Versions>());
    const Topology topology =
        topology_of({machine("a", "unix:///a", "10.0.0.1"), machine("b", "unix:///b", "10.0.0.2")});
    Account account;
    account.infrastructure = topology.infrastructure;
    const auto driver = existing->open(account, "none", {transport, loop, loop.random()});
    const Owner owner{"i", "o", "Cluster", "default", "c"};
    for (const Desired& desired : {existing->resources(topology).value(), nothing()}) {
        Result<Unit> last = ok();
        for (int i = 0; i < 4; ++i) {
            const World world = sim::run(loop, driver->observe(owner, loop.now() + 5s)).value();
            const Plan plan = diff(desired, world, driver->kinds());
            EXPECT_TRUE(sim::run(loop, apply_all(plan, *driver, owner, loop.now() + 5s)).ok());
            last = finished(plan, desired, world);
        }
        EXPECT_TRUE(last.ok());
        EXPECT_EQ(first.contents().empty(), desired.resources.empty());
        EXPECT_EQ(second.contents().empty(), desired.resources.empty());
    }
}

}  // namespace
}  // namespace atl::cloud::existing
