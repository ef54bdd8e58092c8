#include "cloud/infrastructure/local/local.h"

#include <gtest/gtest.h>

#include "cloud/apply.h"
#include "cloud/diff.h"
#include "cloud/docker/machines.h"
#include "cloud/orchestrator/swarm/swarm.h"
#include "test/fakes/fake_engine.h"
#include "test/sim/sim_network.h"

namespace atl::cloud::local {
namespace {

using namespace std::chrono_literals;

class LocalTest : public testing::Test {
protected:
    LocalTest() {
        topology.infrastructure = {{"engine", {{"host", "unix:///e"}}}};
        account.infrastructure = topology.infrastructure;
        network.serve("unix:///e", &engine);
    }
    Surroundings surroundings() { return {transport, loop, loop.random()}; }
    Result<Unit> pass(const Owner& whose, const Desired& wanted) {
        const auto driver = local->open(account, "swarm", surroundings());
        const Instant deadline = loop.now() + 10s;
        auto world = sim::run(loop, driver->observe(whose, deadline));
        if (!world.ok()) return world.error();
        const Plan plan = diff(wanted, *world, driver->kinds());
        auto applied = sim::run(loop, apply_all(plan, *driver, whose, deadline));
        return applied.ok() ? finished(plan, wanted, *world) : applied;
    }
    Result<Unit> passes(const Owner& whose, const Desired& wanted) {
        Result<Unit> last = ok();
        for (int i = 0; i < 5; ++i) last = pass(whose, wanted);
        return last;
    }
    Desired desired() {
        Desired all = local->resources(topology).value();
        swarm->extend(all, topology);
        return all;
    }

    sim::SimLoop loop{3};
    sim::SimNetwork network{loop};
    sim::SimTransport transport{network};
    fakes::FakeEngine engine{loop};
    std::shared_ptr<docker::Versions> versions = std::make_shared<docker::Versions>();
    std::unique_ptr<Infrastructure> local = make_local(versions);
    std::unique_ptr<Orchestrator> swarm = swarm::make_swarm(versions);
    Topology topology;
    Account account;
    Owner owner{"i", "o1", "Cluster", "default", "c"};
};

TEST_F(LocalTest, IsOneMachine) {
    EXPECT_EQ(local->resources(topology)->resources.size(), 1U);
    MachinePool pool;
    pool.replicas = 2;
    topology.pools = {pool};
    const auto refused = local->resources(topology);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason(), "TooManyMachines");
    EXPECT_EQ(refused.error().field(), "spec.machinePools");
}

TEST_F(LocalTest, RefusesAnEngineHostThatIsNone) {
    topology.infrastructure["engine"]["host"] = "ssh://me@there";
    const auto refused = local->resources(topology);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field(), "spec.infrastructure.local.engine.host");
}

TEST_F(LocalTest, ClaimsTheEngineFormsTheSwarmAndLeavesNothing) {
    ASSERT_TRUE(passes(owner, desired()).ok());
    EXPECT_EQ(engine.contents().size(), 2U) << "the claim and the swarm";
    const int effects = engine.effects();
    ASSERT_TRUE(passes(owner, desired()).ok());
    EXPECT_EQ(engine.effects(), effects);
    ASSERT_TRUE(passes(owner, nothing()).ok());
    EXPECT_TRUE(engine.contents().empty());
}

TEST_F(LocalTest, IsHeldByOneClusterOnly) {
    ASSERT_TRUE(passes(owner, desired()).ok());
    Owner other = owner;
    other.id = "o2";
    const auto refused = passes(other, desired());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason(), "EngineInUse");
    ASSERT_TRUE(passes(other, nothing()).ok());
    EXPECT_EQ(engine.contents().size(), 2U) << "the other's removal takes nothing away";
}

TEST_F(LocalTest, NeverLeavesAStrangersSwarm) {
    net::Endpoint endpoint;
    endpoint.scheme = net::Scheme::Unix;
    endpoint.host = "/e";
    net::Limits limits;
    limits.deadline = loop.now() + 5s;
    const net::Request init{endpoint, "POST", "/swarm/init", {}, R"({"AdvertiseAddr": "10.0.0.1"})"};
    ASSERT_EQ(sim::run(loop, transport.send(init, limits))->status, 200);
    const auto refused = passes(owner, desired());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason(), "EngineInUse");
    ASSERT_TRUE(passes(owner, nothing()).ok());
    EXPECT_TRUE(engine.swarm().active());
}

TEST_F(LocalTest, AnEngineThatDoesNotAnswerIsAMachineThatFailed) {
    network.serve("unix:///e", nullptr);
    const auto result = pass(owner, desired());
    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(result.error().is_waiting());
    EXPECT_NE(result.error().message().find("does not answer"), std::string::npos) << result.error().message();
    EXPECT_FALSE(pass(owner, nothing()).ok()) << "what cannot be asked is not gone";
}

TEST_F(LocalTest, SwarmsOfOneHostDoNotMeet) {
    const auto first = docker::loopback_place(owner);
    Owner other = owner;
    other.id = "o2";
    const auto second = docker::loopback_place(other);
    EXPECT_NE(first.address, second.address);
    EXPECT_TRUE(docker::is_loopback(first.address));
    EXPECT_GE(first.data_port, 1024);
    EXPECT_LE(first.data_port, 49151);
}

/// Crashes at each of the four points of every call, for the whole life: nothing twice, nothing left.
TEST_F(LocalTest, SurvivesACutAtEveryPointOfEveryCall) {
    for (const auto point :
         {sim::Point::BeforeSend, sim::Point::Received, sim::Point::EffectDone, sim::Point::ResponseSent}) {
        for (std::uint64_t call = 0; call < 16; ++call) {
            const std::uint64_t start = transport.calls();
            transport.fault = [&, start](const sim::Call& one, sim::Point where) {
                return one.index == start + call && where == point ? sim::Fault::Reset : sim::Fault::None;
            };
            static_cast<void>(passes(owner, desired()));
            ASSERT_TRUE(passes(owner, desired()).ok()) << "call " << call;
            ASSERT_EQ(engine.contents().size(), 2U);
            static_cast<void>(passes(owner, nothing()));
            ASSERT_TRUE(passes(owner, nothing()).ok()) << "call " << call;
            ASSERT_TRUE(engine.contents().empty());
        }
    }
}

}  // namespace
}  // namespace atl::cloud::local
