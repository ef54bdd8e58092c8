#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/contract/given.h"

namespace atl::contract {
namespace {

using namespace std::chrono_literals;
using cloud::Workload;
using cloud::WorkloadStatus;
using testing::HasSubstr;
using Phase = WorkloadStatus::Phase;

/// What a plain engine does and surprises, on the fake and on a real one.
class NoneTraps : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        given = std::make_unique<Given>(GetParam(), "none");
        if (!given->skip().empty()) GTEST_SKIP() << given->skip();
        given->cluster_up();
    }
    void TearDown() override { given.reset(); }
    std::string container_of(const Workload& workload, int copy) {
        const auto status = given->orchestrator().status({workload}, given->observe()).front();
        const auto index = static_cast<std::size_t>(copy);
        return status.containers.size() > index ? status.containers[index].container_id : "";
    }
    std::unique_ptr<Given> given;
};

TEST_P(NoneTraps, AContainerThatSomebodyStoppedIsStartedAgain) {
    const Workload web = given->sleeper("web");
    given->until({web}, Phase::Done);
    const std::string container = container_of(web, 0);
    given->bench().as_stranger("POST", "/containers/" + container + "/stop?t=1", {});
    given->until({web}, Phase::Done);
    EXPECT_EQ(container_of(web, 0), container);
}

TEST_P(NoneTraps, ACrashedContainerComesBackAndIsHinted) {
    const Workload web = given->sleeper("web");
    given->until({web}, Phase::Done);
    std::vector<cloud::Hint> hints;
    std::function<void(const cloud::Hint&)> on_hint = [&](const cloud::Hint& hint) { hints.push_back(hint); };
    RootTask<void> following(given->orchestrator().follow(given->endpoint, given->bench().surroundings(), on_hint),
                             [](auto, auto) {});
    following.start();
    given->bench().pass_time(1s);
    hints.clear();
    given->bench().as_stranger("DELETE", "/containers/" + container_of(web, 0) + "?force=1", {});
    EXPECT_TRUE(given->bench().drive([&] { return !hints.empty(); }, 1s));
    ASSERT_FALSE(hints.empty());
    EXPECT_EQ(hints[0].owner, given->owner.id);
    EXPECT_EQ(hints[0].name, "web/0");
    given->until({web}, Phase::Done);
}

TEST_P(NoneTraps, APortThatIsTakenIsAConflictAndNoLitterStays) {
    given->bench().hold_port(18082);
    Workload web = given->page("web");
    web.published = {{18082, 80, "HTTP", "public"}};
    const auto result = given->pass({web});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().error_class(), ErrorClass::Conflict);
    EXPECT_EQ(result.error().reason(), "PortTaken");
    given->bench().free_port(18082);
    given->until({web}, Phase::Done);
    EXPECT_NE(given->bench().page_at(18082), "");
}

TEST_P(NoneTraps, CopiesAreReplacedOneAfterTheOther) {
    Workload web = given->sleeper("web");
    web.replicas = 3;
    given->until({web}, Phase::Done);
    web.image = "busybox:next";
    const cloud::Plan plan = given->plan({web});
    int now = 0;
    for (const cloud::Step& step : plan.steps) now += step.op == cloud::Op::Replace && step.needs.empty() ? 1 : 0;
    EXPECT_EQ(now, 1);
    const auto status = given->until({web}, Phase::Done);
    EXPECT_EQ(status.updated, 3);
}

TEST_P(NoneTraps, APullThatFailsAfterItsAnswerHasBegunSaysWhy) {
    if (given->bench().fake_world() == nullptr) GTEST_SKIP() << "needs a registry that breaks off";
    Workload web = given->sleeper("web");
    web.image = "busybox:missing";
    given->bench().fake_world()->pull_stream =
        "{\"status\":\"Pulling from library/busybox\",\"id\":\"missing\"}\r\n"
        "{\"errorDetail\":{\"message\":\"manifest unknown: manifest unknown\"},\"error\":\"manifest unknown\"}\r\n";
    const auto pulled = given->pass({web});
    ASSERT_FALSE(pulled.ok());
    EXPECT_EQ(pulled.error().reason(), "ImageMissing");
    EXPECT_THAT(pulled.error().message(),
                HasSubstr("pulling image \"busybox:missing\": the engine says: manifest unknown"));
}

TEST_P(NoneTraps, AMissingImageNamesIt) {
    Workload web = given->sleeper("web");
    web.image = "busybox:missing";
    web.image_pull_policy = "Never";
    const auto result = given->pass({web});
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.error().message(), HasSubstr("busybox:missing"));
    web.image_pull_policy = "IfNotPresent";
    const auto pulled = given->pass({web});
    ASSERT_FALSE(pulled.ok());
    EXPECT_THAT(pulled.error().message(), HasSubstr("pulling image \"busybox:missing\""));
}

TEST_P(NoneTraps, ThePullPolicyDecidesWhetherTheRegistryIsAsked) {
    for (const char* policy : {"Never", "IfNotPresent"}) {
        Workload there = given->sleeper(policy == std::string("Never") ? "never" : "present");
        there.image_pull_policy = policy;
        const auto container = given->until({there}, Phase::Done).containers.at(0);
        EXPECT_EQ(container.image, there.image) << policy;
        EXPECT_THAT(container.image_id, testing::StartsWith("sha256:")) << policy;
        given->remove_workloads();
    }
    Workload always = given->sleeper("always");
    always.image_pull_policy = "Always";
    const auto pulled = given->pass({always});
    ASSERT_FALSE(pulled.ok()) << "there is no registry here";
    EXPECT_THAT(pulled.error().message(), HasSubstr("pulling image \"" + always.image + "\""));
}

TEST_P(NoneTraps, APinnedDigestIsAskedForAsItIs) {
    const std::string pinned = "busybox@sha256:" + std::string(64, 'a');
    Workload web = given->sleeper("web");
    web.image = pinned;
    const auto pulled = given->pass({web});
    ASSERT_FALSE(pulled.ok());
    EXPECT_THAT(pulled.error().message(), HasSubstr("pulling image \"" + pinned + "\""));
}

TEST_P(NoneTraps, ACrashLoopFails) {
    Workload web = given->sleeper("web");
    web.command = {"/bin/sh", "-c"};
    web.args = {"exit 3"};
    const auto status = given->until({web}, Phase::Failed);
    EXPECT_THAT(status.message, HasSubstr("exit code 3"));
    EXPECT_GE(status.containers.at(0).restarts, 3);
}

TEST_P(NoneTraps, FilesSecretsAndLinksReachTheProgram) {
    Workload store = given->page("store");
    Workload web = given->page("web");
    web.command = {
        "/bin/sh", "-c",
        "cat /etc/app.conf /run/secrets/key >/www/index.html; echo \"$PASSWORD\" >>/www/index.html; nslookup "
        "$DB_HOST >>/www/index.html; exec httpd -f -p 80 -h /www"};
    web.args = {};
    web.files = {{"/etc/app.conf", "a=1\n", false, 0444}, {"/run/secrets/key", "hunter2\n", true, 0400}};
    web.secret_env = {{"PASSWORD", "it's secret"}};
    web.links = {{"db", 80, "store", "store", 80}};
    web.published = {{18080, 80, "HTTP", "public"}};
    web.readiness = cloud::Probe{{}, "/", 80, 0s, 1s, 1s, 3};
    given->until({store}, Phase::Done);
    given->until({web, store}, Phase::Done);
    EXPECT_THAT(given->bench().as_stranger("GET", "/containers/" + container_of(web, 0) + "/json", {}).dump(),
                testing::Not(testing::AnyOf(HasSubstr("hunter2"), HasSubstr("it's secret"))));
    if (!given->bench().is_real()) return;
    const std::string page = given->bench().page_at(18080);
    EXPECT_THAT(page, testing::StartsWith("a=1\nhunter2\nit's secret\n"));
    EXPECT_THAT(page, HasSubstr("Name:\tstore"));
}

TEST_P(NoneTraps, AVolumeKeepsWhatIsInItThroughAReplacement) {
    Workload web = given->page("web");
    web.command = {"/bin/sh", "-c",
                   "echo again >>/data/log; cat /data/log >/www/index.html; exec httpd -f -p 80 -h /www"};
    web.args = {};
    web.volumes = {{"data", "/data", false, cloud::VolumeMount::Kind::Persistent, false, {}}};
    web.published = {{18080, 80, "HTTP", "public"}};
    given->until({web}, Phase::Done);
    web.image = "busybox:next";
    given->until({web}, Phase::Done);
    if (given->bench().is_real()) EXPECT_EQ(given->bench().page_at(18080), "again\nagain\n");
    given->remove_workloads();
    EXPECT_EQ(given->bench().as_stranger("GET", "/volumes", {})["Volumes"].size(), 1U)
        << "only the claim of the engine";
}

INSTANTIATE_TEST_SUITE_P(Engines, NoneTraps, testing::Values("fake", "real"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace atl::contract
