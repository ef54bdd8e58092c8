#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud/docker/marks.h"
#include "cloud/orchestrator/none/kinds.h"
#include "cloud/orchestrator/swarm/kinds.h"
#include "test/contract/given.h"

namespace atl::contract {
namespace {

using namespace std::chrono_literals;
using cloud::WorkloadStatus;
using testing::HasSubstr;

/// The tests of this file hold for every orchestrator on an engine, fake or real.
class EngineContract : public testing::TestWithParam<std::tuple<std::string, std::string>> {
protected:
    void SetUp() override {
        given = std::make_unique<Given>(std::get<0>(GetParam()), std::get<1>(GetParam()));
        if (!given->skip().empty()) GTEST_SKIP() << given->skip();
        given->cluster_up();
    }
    void TearDown() override { given.reset(); }
    std::unique_ptr<Given> given;
};

TEST_P(EngineContract, RunsTwoLinkedWorkloadsThroughTheirWholeLife) {
    cloud::Workload store = given->page("store");
    cloud::Workload web = given->page("web");
    web.links = {{"db", 80, "store", "store", 80}};
    web.published = {{18080, 80, "HTTP", "public"}};
    given->converge({store, web});
    EXPECT_NE(given->bench().page_at(18080), "");
    const cloud::WorkloadStatus status = given->until({web, store}, WorkloadStatus::Phase::Done);
    ASSERT_EQ(status.containers.size(), 1U);
    EXPECT_EQ(status.containers[0].state, "Running");
    EXPECT_EQ(status.containers[0].machine, "local");
    EXPECT_NE(status.containers[0].container_id, "");
    EXPECT_EQ(status.containers[0].ports, std::vector<std::string>{"0.0.0.0:18080->80/tcp"});
    EXPECT_TRUE(given->plan({store, web}).empty()) << "after apply there is nothing to do";

    store.replicas = 2;
    given->converge({store, web});
    web.image = "busybox:next";
    given->converge({store, web});
    EXPECT_TRUE(given->plan({store, web}).empty());

    given->converge({store});
    EXPECT_EQ(given->bench().fetch(18080), "");
    given->remove_workloads();
    EXPECT_TRUE(given->observe().resources.empty());
}

TEST_P(EngineContract, AStrangersVolumeWithTheNameOfOneThatLastsIsNotMounted) {
    cloud::Workload web = given->sleeper("web");
    web.volumes = {{"data", "/data", false, cloud::VolumeMount::Kind::Persistent, true, {}}};
    const bool on_swarm = std::get<1>(GetParam()) == "swarm";
    const std::string_view kind = on_swarm ? cloud::swarm::kVolume : cloud::none::kVolume;
    const std::string name = cloud::docker::lasting_name_on_engine(given->owner, {std::string(kind), "data"});
    given->bench().as_stranger("POST", "/volumes/create", {{"Name", name}});
    const auto result = given->pass({web});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "NameTaken");
    EXPECT_THAT(result.error().message(), HasSubstr("\"" + name + "\""));
    EXPECT_THAT(result.error().message(), HasSubstr("Remove or rename it on the engine"));
    given->bench().as_stranger("DELETE", "/volumes/" + name, {});
    given->until({web}, WorkloadStatus::Phase::Done);
    given->remove_workloads();
    // It outlives its owner; and a swarm removes the copy's container when it has the time.
    for (int i = 0; i < 50 && given->bench().as_stranger("GET", "/volumes/" + name, {}).contains("Name"); ++i) {
        given->bench().as_stranger("DELETE", "/volumes/" + name, {});
        given->bench().pass_time(200ms);
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineContract,
                         testing::Combine(testing::Values("fake", "real"), testing::Values("swarm", "none")),
                         [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

}  // namespace
}  // namespace atl::contract
