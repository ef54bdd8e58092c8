#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud/let_go.h"
#include "cloud/orchestrator/swarm/kinds.h"
#include "operator/base/spawner.h"
#include "test/contract/given.h"

namespace atl::contract {
namespace {

using namespace std::chrono_literals;
using cloud::Workload;
using cloud::WorkloadStatus;
using testing::Contains;
using testing::HasSubstr;
using Phase = WorkloadStatus::Phase;

/// What was measured of Swarm and surprises: each trap once on the fake engine and once on a real one.
class SwarmTraps : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        given = std::make_unique<Given>(GetParam(), "swarm");
        if (!given->skip().empty()) GTEST_SKIP() << given->skip();
    }
    void TearDown() override { given.reset(); }

    const cloud::Observed* find(const cloud::World& world, std::string_view kind, const std::string& name) {
        return world.find({std::string(kind), name});
    }
    cloud::Observed service(const std::string& name) {
        const cloud::World world = given->observe();
        const cloud::Observed* found = find(world, cloud::swarm::kService, name);
        return found == nullptr ? cloud::Observed{} : *found;
    }
    std::size_t count(std::string_view kind) {
        std::size_t number = 0;
        for (const auto& resource : given->observe().resources) number += resource.key.kind == kind ? 1 : 0;
        return number;
    }
    /// The running container of the first copy.
    std::string container_of(const Workload& workload) {
        const auto status = given->orchestrator().status({workload}, given->observe()).front();
        return status.containers.empty() ? "" : status.containers[0].container_id;
    }
    std::unique_ptr<Given> given;
};

TEST_P(SwarmTraps, AnUpdateWithAStaleVersionIsAConflictAndTheNextPassGetsThrough) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    given->converge({web});
    web.replicas = 2;
    const cloud::Plan plan = given->plan({web});
    const auto live = given->bench().as_stranger("GET", "/services/" + service("web").id, {});
    nlohmann::json spec = live["Spec"];
    spec["Labels"]["stranger"] = "was here";
    given->bench().as_stranger(
        "POST", "/services/" + service("web").id + "/update?version=" + live["Version"]["Index"].dump(), spec);
    const auto result = given->bench().run(
        cloud::apply_all(plan, *given->driver, given->owner, given->bench().surroundings().clock.now() + 10s));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().error_class(), ErrorClass::Conflict);
    EXPECT_EQ(result.error().reason(), "OutOfSequence");
    given->converge({web});
    EXPECT_EQ(service("web").properties["replicas"], 2);
}

TEST_P(SwarmTraps, NothingIsWrittenWhenNothingDiffers) {
    given->cluster_up();
    Workload web = given->page("web");
    web.files = {{"/etc/app.conf", "a=1", false, 0444}, {"/run/secrets/key", "hunter2", true, 0400}};
    web.env = {{"A", "1"}, {"B", "2"}};
    web.readiness = cloud::Probe{{"/bin/true"}, "", 0, 1s, 1s, 1s, 3};
    web.liveness = web.readiness;
    web.cpu_limit_nano = 500'000'000;
    web.memory_limit_bytes = 64'000'000;
    web.volumes = {{"data", "/data", false, cloud::VolumeMount::Kind::Persistent, false, {}},
                   {"scratch", "/scratch", false, cloud::VolumeMount::Kind::EmptyDir, false, {}}};
    web.published = {{18080, 80, "HTTP", "public"}};
    given->converge({web});
    const std::string version = service("web").version;
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(given->pass({web}).ok()) << given->last_plan().size();
        ASSERT_TRUE(given->last_plan().empty());
    }
    EXPECT_EQ(service("web").version, version);
}

TEST_P(SwarmTraps, ABadUpdateAfterABadOneHaltsAndAGoodOneCuresIt) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    given->until({web}, Phase::Done);
    for (const char* image : {"busybox:missing", "busybox:worse"}) {
        web.image = image;
        const WorkloadStatus status = given->until({web}, Phase::Failed);
        EXPECT_THAT(status.message, HasSubstr(std::string("No such image: ") + image));
        EXPECT_EQ(service("web").properties["image"], image) << "Swarm must not roll back by itself";
        static_cast<void>(given->pass({web}));
        EXPECT_THAT(given->last_plan(), testing::ElementsAre("wait swarm/service web"))
            << "the bad one is not sent again";
    }
    web.image = "busybox:local";
    given->until({web}, Phase::Done);
}

TEST_P(SwarmTraps, APortOfTheMachineMovesToTheNewCopyInsteadOfDeadlocking) {
    given->cluster_up();
    Workload web = given->page("web");
    web.published = {{18080, 80, "HTTP", "public"}};
    web.rollout.max_surge = 1;
    web.rollout.max_unavailable = 0;
    given->until({web}, Phase::Done);
    EXPECT_EQ(service("web").properties["rollout"]["order"], "stop-first");
    web.image = "busybox:next";
    given->until({web}, Phase::Done);
    if (given->bench().is_real()) EXPECT_THAT(given->bench().page_at(18080), HasSubstr("page of next"));
}

TEST_P(SwarmTraps, WithoutIpvsPortsAreThoseOfTheMachineAndTheStatusSaysSo) {
    given->cluster_up();
    Workload web = given->page("web");
    web.published = {{18080, 80, "HTTP", "public"}};
    const WorkloadStatus status = given->until({web}, Phase::Done);
    EXPECT_EQ(service("web").properties["endpointMode"], "dnsrr");
    EXPECT_THAT(status.notes, Contains(HasSubstr("IPVS")));
    EXPECT_NE(given->bench().page_at(18080), "");
    web.replicas = 2;
    const auto refused = given->pass({web});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason(), "IngressUnavailable");
    EXPECT_EQ(refused.error().field(), "spec.services[web].replicas");
}

TEST_P(SwarmTraps, WhatFitsOnNoMachineWaitsWithTheSchedulersReason) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.memory_request_bytes = 900'000'000'000;
    static_cast<void>(given->pass({web}));
    WorkloadStatus status;
    for (int i = 0; i < 60 && status.message.find("insufficient") == std::string::npos; ++i) {
        given->bench().pass_time(500ms);
        status = given->orchestrator().status({web}, given->observe()).front();
    }
    EXPECT_EQ(status.phase, Phase::Progressing);
    EXPECT_THAT(status.message, HasSubstr("insufficient resources on 1 node"));
    EXPECT_EQ(status.containers.at(0).state, "Pending");
}

TEST_P(SwarmTraps, AMissingImageFailsWithItsName) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.image = "busybox:missing";
    const WorkloadStatus status = given->until({web}, Phase::Failed);
    EXPECT_THAT(status.message, HasSubstr("No such image: busybox:missing"));
}

TEST_P(SwarmTraps, AnImageThatIsAlwaysToBePulledIsNotTakenFromTheMachineWhereItsRegistryIsAway) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.image_pull_policy = "Always";
    const auto result = given->pass({web});
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("pulling image \"" + web.image + "\""));
    EXPECT_EQ(count(cloud::swarm::kService), 0U);
    web.image_pull_policy = "IfNotPresent";
    given->converge({web});
    EXPECT_EQ(count(cloud::swarm::kService), 1U);
    web.image_pull_policy = "Always";
    EXPECT_TRUE(given->plan({web}).steps.empty()) << "nothing is pulled for what runs";
}

TEST_P(SwarmTraps, APinnedDigestThatIsNotThereFailsWithItsName) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.image = "busybox@sha256:" + std::string(64, 'a');
    const WorkloadStatus status = given->until({web}, Phase::Failed);
    EXPECT_THAT(status.message, HasSubstr("No such image: " + web.image));
}

TEST_P(SwarmTraps, APortThatAnotherProgramHoldsFailsWithTheReason) {
    given->cluster_up();
    given->bench().hold_port(18081);
    Workload web = given->page("web");
    web.published = {{18081, 80, "HTTP", "public"}};
    const WorkloadStatus status = given->until({web}, Phase::Failed);
    EXPECT_THAT(status.message, HasSubstr("address already in use"));
    given->bench().free_port(18081);
    given->until({web}, Phase::Done);
}

TEST_P(SwarmTraps, ASecretIsRotatedByANewOneAndTheOldOneGoes) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.files = {{"/run/secrets/key", "hunter2", true, 0400}};
    given->converge({web});
    web.files[0].content = "hunter3";
    given->converge({web});
    EXPECT_EQ(count(cloud::swarm::kSecret), 1U);
    EXPECT_TRUE(given->plan({web}).empty());
    for (const char* path : {"/services", "/secrets", "/tasks"}) {
        const std::string text = given->bench().as_stranger("GET", path, {}).dump();
        EXPECT_THAT(text, testing::Not(HasSubstr("hunter"))) << path;
        EXPECT_THAT(text, testing::Not(HasSubstr("aHVudGVy"))) << path;
    }
}

TEST_P(SwarmTraps, AnEngineThatStartsAgainInTheMiddleOfAnUpdateFinishesIt) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.replicas = 3;
    given->until({web}, Phase::Done);
    web.image = "busybox:next";
    static_cast<void>(given->pass({web}));
    given->bench().pass_time(1s);
    given->bench().restart_engine();
    const auto is_manager = [&] { return given->bench().as_stranger("GET", "/services", {}).is_array(); };
    ASSERT_TRUE(given->bench().drive(is_manager, 60s)) << "the engine answers before its swarm does";
    given->until({web}, Phase::Done, 120s);
    const auto status = given->orchestrator().status({web}, given->observe()).front();
    EXPECT_EQ(status.updated, 3);
    EXPECT_EQ(count(cloud::swarm::kService), 1U);
}

TEST_P(SwarmTraps, ACrashedContainerIsHintedWithinASecondAndStartedAgain) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    given->until({web}, Phase::Done);
    std::vector<cloud::Hint> hints;
    std::function<void(const cloud::Hint&)> on_hint = [&](const cloud::Hint& hint) { hints.push_back(hint); };
    RootTask<void> following(given->orchestrator().follow(given->endpoint, given->bench().surroundings(), on_hint),
                             [](auto, auto) {});
    following.start();
    given->bench().pass_time(1s);
    hints.clear();
    const std::string container = container_of(web);
    given->bench().as_stranger("POST", "/containers/" + container + "/kill", {});
    EXPECT_TRUE(given->bench().drive([&] { return !hints.empty(); }, 1s));
    ASSERT_FALSE(hints.empty());
    EXPECT_EQ(hints[0].owner, given->owner.id);
    EXPECT_EQ(hints[0].installation, given->owner.installation);
    EXPECT_EQ(hints[0].name, "web");
    EXPECT_EQ(hints[0].what, "container die");
    given->bench().pass_time(3s);  // Swarm's own record comes after the event
    const WorkloadStatus status = given->until({web}, Phase::Done);
    EXPECT_NE(container_of(web), container);
    EXPECT_EQ(status.containers.at(0).restarts, 1);
}

TEST_P(SwarmTraps, TheStatusHasTheImageAndWhatItWasResolvedTo) {
    given->cluster_up();
    const Workload web = given->sleeper("web");
    const auto containers = given->until({web}, Phase::Done).containers;
    EXPECT_EQ(containers.at(0).image, web.image);
    EXPECT_THAT(containers.at(0).image_id, testing::StartsWith("sha256:"));
    EXPECT_FALSE(containers.at(0).last_termination);
}

TEST_P(SwarmTraps, WhatIsStoppedIsDoneOnceItsContainersHaveEnded) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    given->until({web}, Phase::Done);
    web.replicas = 0;
    static_cast<void>(given->pass({web}));
    const WorkloadStatus ending = given->orchestrator().status({web}, given->observe()).front();
    EXPECT_EQ(ending.phase, Phase::Progressing);
    EXPECT_EQ(ending.available, 0);
    EXPECT_EQ(ending.containers.size(), 1U);
    EXPECT_EQ(given->until({web}, Phase::Done).containers.size(), 0U);
}

TEST_P(SwarmTraps, AnEngineInASwarmOfSomebodyElseIsRefusedAndNeverLeft) {
    given->bench().as_stranger("POST", "/swarm/init",
                               {{"ListenAddr", "127.0.0.1:2377"}, {"AdvertiseAddr", "127.0.0.1"}});
    const auto result = [&] {
        Result<Unit> last = ok();
        for (int i = 0; i < 3; ++i)
            last = given->round(*given->cluster_driver, given->cluster, given->cluster_desired());
        return last;
    }();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "EngineInUse");
    given->cluster_down();
    EXPECT_EQ(given->bench().as_stranger("GET", "/info", {})["Swarm"]["LocalNodeState"], "active");
    given->bench().as_stranger("POST", "/swarm/leave?force=true", {});
}

TEST_P(SwarmTraps, AnEngineThatAnotherClusterHasIsRefused) {
    given->cluster_up();
    cloud::Owner other = given->cluster;
    other.id = "cluster-2";
    const auto result = given->round(*given->cluster_driver, other, given->cluster_desired());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "EngineInUse");
    EXPECT_THAT(result.error().message(), HasSubstr("Cluster default/c"));
}

TEST_P(SwarmTraps, SecretVariablesReachTheProgramAndNobodyElse) {
    given->cluster_up();
    Workload web = given->page("web");
    web.command = {"/bin/sh", "-c", "echo \"$PASSWORD\" >/www/index.html; exec httpd -f -p 80 -h /www"};
    web.args = {};
    web.secret_env = {{"PASSWORD", "it's $HOME \"quoted\""}};
    web.published = {{18080, 80, "HTTP", "public"}};
    web.readiness = cloud::Probe{{}, "", 80, 0s, 1s, 1s, 3};
    given->until({web}, Phase::Done);
    if (given->bench().is_real()) EXPECT_EQ(given->bench().page_at(18080), "it's $HOME \"quoted\"\n");
    EXPECT_THAT(given->bench().as_stranger("GET", "/services", {}).dump(), testing::Not(HasSubstr("quoted")));
}

TEST_P(SwarmTraps, AConsumerFindsItsProviderByTheNamesOfTheLink) {
    given->cluster_up();
    Workload store = given->page("store");
    Workload web = given->page("web");
    web.command = {
        "/bin/sh", "-c",
        "nslookup \"$DB_HOST\" >/www/index.html; echo $DB_URL >>/www/index.html; exec httpd -f -p 80 -h /www"};
    web.args = {};
    web.links = {{"db", 80, "store", "store", 80}};
    web.published = {{18080, 80, "HTTP", "public"}};
    given->until({store}, Phase::Done);
    given->until({web, store}, Phase::Done);
    if (given->bench().is_real()) {
        const std::string page = given->bench().page_at(18080);
        EXPECT_THAT(page, HasSubstr("Name:\tstore"));
        EXPECT_THAT(page, HasSubstr("tcp://store:80"));
    }
}

TEST_P(SwarmTraps, WhatIsLetGoOfLosesItsMarkAndKeepsItsCopies) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.files.push_back({"/etc/key", "a key", true, 0400});
    web.files.push_back({"/etc/page", "a page", false, 0444});
    given->converge({web});
    const std::string container = container_of(web);
    ASSERT_FALSE(container.empty());
    const std::string id = service("web").id;
    const Instant deadline = given->bench().surroundings().clock.now() + 10s;
    const auto kept = given->bench().run(cloud::let_go(*given->driver, given->observe(), given->owner, deadline));
    ASSERT_TRUE(kept.ok()) << kept.error().message();
    EXPECT_TRUE(kept->empty());
    for (const char* list : {"/services", "/configs", "/secrets"}) {
        const auto things = given->bench().as_stranger("GET", list, {});
        ASSERT_EQ(things.size(), 1U) << list;
        EXPECT_FALSE(things[0]["Spec"]["Labels"].contains("dev.atoll.owner")) << list;
    }
    given->bench().pass_time(5s);
    const auto copies = given->bench().as_stranger("GET", "/tasks", {});
    ASSERT_EQ(copies.size(), 1U) << "no copy was replaced";
    EXPECT_EQ(copies[0]["Status"]["ContainerStatus"]["ContainerID"], container);
    given->bench().as_stranger("DELETE", "/services/" + id, {});
    given->bench().pass_time(15s);
}

TEST_P(SwarmTraps, AServiceIsGoneOnlyWhenItsLastCopyIs) {
    given->cluster_up();
    Workload web = given->sleeper("web");
    web.volumes = {{"data", "/data", false, cloud::VolumeMount::Kind::Persistent, false, {}}};
    given->until({web}, Phase::Done);
    const auto first = given->round(*given->driver, given->owner, cloud::nothing());
    ASSERT_FALSE(first.ok());
    EXPECT_EQ(service("web").state, cloud::State::Deleting);
    EXPECT_EQ(count(cloud::swarm::kVolume), 1U) << "the volume waits for its last user";
    given->remove_workloads();
    const auto left = given->bench().as_stranger("GET", "/containers/json?all=1", {});
    if (given->bench().is_real()) EXPECT_TRUE(left.empty()) << left.dump();
    const auto volumes = given->bench().as_stranger("GET", "/volumes", {})["Volumes"];
    EXPECT_EQ(volumes.size(), 1U) << "only the claim of the engine: " << volumes.dump();
}

INSTANTIATE_TEST_SUITE_P(Engines, SwarmTraps, testing::Values("fake", "real"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace atl::contract
