// What `atoll plan` says, against the whole operator in simulation: the plan must be what an apply then does.
#include "controllers/planner.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "controllers/instance_summary.h"
#include "controllers/types.h"
#include "test/sweep/world.h"

namespace atl::controllers {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using sweep::World;

json object_of(const char* kind, const char* name, json spec) {
    json object{{"apiVersion", "atoll.dev/v1alpha1"}, {"kind", kind}, {"spec", std::move(spec)}};
    object["metadata"] = {{"name", name}, {"namespace", "default"}};
    return object;
}

json cluster() {
    return object_of("Cluster", "local",
                     {{"infrastructure", {{"local", {{"engine", {{"host", "unix:///var/run/docker.sock"}}}}}}},
                      {"orchestrator", {{"swarm", json::object()}}}});
}

json stack(int replicas) {
    const json container = {{"image", "atoll-demo:1"}, {"command", {"sleep", "1000"}}};
    const json service = {{"name", "web"}, {"replicas", replicas}, {"container", container}};
    return object_of("Stack", "shop", {{"clusterRef", {{"name", "local"}}}, {"services", {service}}});
}

struct PlannerTest : testing::Test {
    World world{1};

    void SetUp() override { world.boot(); }
    void apply_and_wait() {
        world.apply(cluster());
        world.apply(stack(1));
        const bool ready = world.until(
            [this] {
                const auto found = world.find(types::kStack, "shop");
                return found && is_ready(kube::Object::from_json(*found).value());
            },
            5min);
        ASSERT_TRUE(ready);
        world.run_for(10s);
    }
    Result<std::vector<ObjectPlan>> plan(std::vector<json> documents) {
        Planner planner({world.client(), world.registry(), world.surroundings(), "atoll-system"});
        return sim::run(world.loop(), planner.plan(std::move(documents), world.loop().now() + 30s));
    }
    /// A manifest as the command reads it: with the schema's defaults.
    json applied(const kube::ResourceType& type, const char* name) {
        return object_of(type.kind.c_str(), name, world.find(type, name).value()["spec"]);
    }
    static int count(const std::vector<ObjectPlan>& plans, cloud::Op op) {
        int number = 0;
        for (const ObjectPlan& one : plans) number += one.plan.counts()[op];
        return number;
    }
};

TEST_F(PlannerTest, WhatIsNewIsToBeCreatedAndNothingIsTouched) {
    const std::uint64_t writes = world.api_writes() + world.engine_writes();
    const auto plans = plan({cluster(), stack(1)});
    ASSERT_TRUE(plans.ok()) << plans.error().message();
    ASSERT_EQ(plans->size(), 3U) << "the Cluster, the Stack and its ServiceInstance";
    EXPECT_EQ((*plans)[2].kind, "ServiceInstance");
    EXPECT_EQ((*plans)[2].key.name, "shop-web");
    EXPECT_FALSE((*plans)[2].exists);
    EXPECT_TRUE(has_changes(*plans));
    EXPECT_GE(count(*plans, cloud::Op::Create), 3) << plan_text(*plans);
    EXPECT_EQ(count(*plans, cloud::Op::Delete), 0);
    EXPECT_NE(plan_text(*plans).find("+"), std::string::npos);
    EXPECT_EQ(world.api_writes() + world.engine_writes(), writes);
    EXPECT_TRUE(world.engine().describe_marked().empty());
}

TEST_F(PlannerTest, WhatIsAppliedAlreadyIsNoChange) {
    apply_and_wait();
    const auto plans = plan({applied(types::kCluster, "local"), applied(types::kStack, "shop")});
    ASSERT_TRUE(plans.ok()) << plans.error().message();
    EXPECT_FALSE(has_changes(*plans)) << plan_text(*plans);
    EXPECT_NE(plan_text(*plans).find("No changes"), std::string::npos) << plan_text(*plans);
}

TEST_F(PlannerTest, AChangeIsSaidWithItsFieldAndIsWhatTheApplyDoes) {
    apply_and_wait();
    const auto plans = plan({cluster(), stack(3)});
    ASSERT_TRUE(plans.ok()) << plans.error().message();
    EXPECT_TRUE(has_changes(*plans));
    EXPECT_EQ(count(*plans, cloud::Op::Update), 1) << plan_text(*plans);
    EXPECT_NE(plan_text(*plans).find("replicas"), std::string::npos) << plan_text(*plans);
    world.apply(stack(3));
    world.run_for(1min);
    const auto lines = world.engine().describe_marked();
    EXPECT_TRUE(std::ranges::any_of(
        lines, [](const std::string& line) { return line.find("replicas=3") != std::string::npos; }));
}

TEST_F(PlannerTest, ASpecThatIsRefusedNamesTheField) {
    json wrong = stack(1);
    wrong["spec"]["links"] = {{{"name", "db"},
                               {"from", {{"service", "web"}, {"consumes", "nothing"}}},
                               {"to", {{"service", "ghost"}, {"provides", "pg"}}}}};
    const auto plans = plan({cluster(), wrong});
    ASSERT_FALSE(plans.ok());
    EXPECT_EQ(plans.error().error_class(), ErrorClass::Invalid);
    EXPECT_NE(plans.error().message().find("spec.links"), std::string::npos) << plans.error().message();
    EXPECT_NE(plans.error().message().find("ghost"), std::string::npos) << plans.error().message();
}

TEST_F(PlannerTest, AnInstanceWithoutItsStackIsAnErrorThatNamesIt) {
    const auto plans =
        plan({object_of("ServiceInstance", "mine", {{"stackRef", {{"name", "nowhere"}}}, {"service", "web"}})});
    ASSERT_FALSE(plans.ok());
    EXPECT_NE(plans.error().message().find("nowhere"), std::string::npos) << plans.error().message();
}

TEST_F(PlannerTest, AStackWhoseClusterIsNowhereSaysSoAndStillPlansTheRest) {
    const auto plans = plan({stack(1)});
    ASSERT_TRUE(plans.ok()) << plans.error().message();
    ASSERT_TRUE((*plans)[0].error);
    EXPECT_EQ((*plans)[0].error->reason(), "ClusterMissing");
    EXPECT_NE(plan_text(*plans).find("local"), std::string::npos);
}

}  // namespace
}  // namespace atl::controllers
