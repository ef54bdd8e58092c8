#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/contract/given.h"

namespace atl::contract {
namespace {

using namespace std::chrono_literals;
using cloud::Workload;
using testing::HasSubstr;
using Phase = cloud::WorkloadStatus::Phase;

/// Two engines that people have already, each on a host of its own, real ones only.
class TwoHosts : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        std::string reason;
        pair = real_pair(reason);
        if (pair == nullptr) GTEST_SKIP() << reason;
        given = std::make_unique<Given>(pair->bench(), pair->machines(), GetParam());
        given->cluster_up();
    }
    void TearDown() override {
        given.reset();
        pair.reset();
    }
    std::unique_ptr<PairBench> pair;
    std::unique_ptr<Given> given;
};

TEST_P(TwoHosts, RunWorkloadsThatFindEachOther) {
    ASSERT_EQ(given->endpoint.engines.size(), 2U);
    Workload store = given->page("store");
    store.machine = "a";
    Workload web = given->page("web");
    web.machine = GetParam() == "swarm" ? "b" : "a";
    web.command = {"/bin/sh", "-c", "nslookup $DB_HOST >/www/index.html; exec httpd -f -p 80 -h /www"};
    web.args = {};
    web.links = {{"db", 80, "store", "store", 80}};
    web.published = {{18080, 80, "HTTP", "public"}};
    given->until({store}, Phase::Done);
    const auto status = given->until({web, store}, Phase::Done);
    ASSERT_EQ(status.containers.size(), 1U);
    EXPECT_EQ(status.containers[0].machine, web.machine);
    const std::string page =
        pair->fetch_from(0, web.machine == "a" ? "http://127.0.0.1:18080/" : "http://10.77.0.2:18080/");
    EXPECT_THAT(page, HasSubstr("Name:\tstore"));
    given->remove_workloads();
    EXPECT_TRUE(given->observe().resources.empty());
}

TEST_P(TwoHosts, LeaveNothingBehind) {
    given->cluster_down();
    const auto information = pair->bench().as_stranger("GET", "/info", {});
    EXPECT_EQ(information["Swarm"]["LocalNodeState"], "inactive");
    EXPECT_THAT(pair->bench().as_stranger("GET", "/volumes", {})["Volumes"], testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Orchestrators, TwoHosts, testing::Values("swarm", "none"),
                         [](const auto& test) { return test.param; });

TEST(TwoHostsOfOneSwarm, PublishAPortOnEach) {
    std::string reason;
    const auto pair = real_pair(reason);
    if (pair == nullptr) GTEST_SKIP() << reason;
    Given given(pair->bench(), pair->machines(), "swarm");
    given.cluster_up();
    Workload web = given.page("web");
    web.replicas = 2;
    web.published = {{18080, 80, "HTTP", "public"}};
    const auto status = given.until({web}, Phase::Done);
    ASSERT_EQ(status.containers.size(), 2U);
    EXPECT_NE(status.containers[0].machine, status.containers[1].machine);
    EXPECT_THAT(pair->fetch_from(0, "http://127.0.0.1:18080/"), HasSubstr("page"));
    EXPECT_THAT(pair->fetch_from(1, "http://127.0.0.1:18080/"), HasSubstr("page"));
    EXPECT_EQ(given.orchestrator().urls({web}, given.endpoint).size(), 2U);
}

TEST(TwoHostsOfOneSwarm, SayWhichPortsAreClosedAndJoinOnceTheyAreOpen) {
    std::string reason;
    const auto pair = real_pair(reason);
    if (pair == nullptr) GTEST_SKIP() << reason;
    Given given(pair->bench(), pair->machines(), "swarm");
    pair->block(2377, true);
    std::string why;
    for (int i = 0; i < 8 && why.find("2377") == std::string::npos; ++i) {
        const auto result = given.round(*given.cluster_driver, given.cluster, given.cluster_desired());
        ASSERT_FALSE(result.ok());
        why = result.error().message();
        EXPECT_NE(result.error().reason(), "EngineInUse") << why;
    }
    EXPECT_THAT(why, HasSubstr("machine \"b\" cannot join its swarm"));
    EXPECT_THAT(why, HasSubstr("TCP ports 2377 and 7946"));
    pair->block(2377, false);
    given.cluster_up();
    EXPECT_EQ(given.endpoint.engines.size(), 2U);
}

}  // namespace
}  // namespace atl::contract
