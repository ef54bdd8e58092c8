#include "cloud/orchestrator/swarm/status.h"

#include <gtest/gtest.h>

#include "cloud/orchestrator/swarm/copies.h"
#include "cloud/orchestrator/swarm/kinds.h"

namespace atl::cloud::swarm {
namespace {

using Phase = WorkloadStatus::Phase;

Json copy(int slot, const std::string& state, const std::string& revision, int age = 60) {
    static int number = 0;
    return {{"slot", slot},
            {"state", state},
            {"wanted", state != "failed" && state != "shutdown"},
            {"error", state == "failed" ? "task: non-zero exit (3)" : ""},
            {"revision", revision},
            {"ageSeconds", age},
            {"container", "c" + std::to_string(number)},
            {"ports", Json::array()},
            {"created", std::to_string(1000 + number++)}};
}

struct Case {
    std::vector<Json> copies;
    std::string update;
    int replicas;
    Phase phase;
    State state;
    const char* why;
};

std::pair<WorkloadStatus, State> judged(const Case& c) {
    Workload workload;
    workload.path = workload.name = "web";
    workload.replicas = c.replicas;
    Observed service;
    service.key = {std::string(kService), "web"};
    service.detail = {{"revision", "new"}, {"replicas", c.replicas}, {"copies", c.copies}};
    service.detail["update"]["state"] = c.update;
    judge(service);
    World world{{service}};
    return {status({workload}, world).front(), service.state};
}

TEST(Status, DecidesByCopiesAndTheUpdate) {
    for (const Case& c : {
             Case{{}, "", 1, Phase::Progressing, State::Pending, "nothing runs yet"},
             Case{{copy(1, "running", "new")}, "", 1, Phase::Done, State::Ready, "it runs"},
             Case{{copy(1, "running", "new", 2)}, "", 1, Phase::Progressing, State::Ready, "not long enough"},
             Case{{copy(1, "starting", "new")}, "", 1, Phase::Progressing, State::Pending, "its check has not passed"},
             Case{{copy(1, "running", "old")}, "", 1, Phase::Progressing, State::Pending, "an old copy is not done"},
             Case{{copy(1, "running", "new"), copy(2, "running", "old")},
                  "updating",
                  2,
                  Phase::Progressing,
                  State::Pending,
                  "half way"},
             Case{
                 {copy(1, "running", "new")}, "updating", 1, Phase::Progressing, State::Pending, "Swarm still watches"},
             Case{{copy(1, "running", "new")}, "completed", 1, Phase::Done, State::Ready, "complete"},
             Case{{copy(1, "running", "old"), copy(1, "failed", "new")},
                  "paused",
                  1,
                  Phase::Failed,
                  State::Failed,
                  "halted"},
             Case{{copy(1, "failed", "new"), copy(1, "running", "new"), copy(2, "running", "new")},
                  "paused",
                  2,
                  Phase::Done,
                  State::Ready,
                  "paused by a failure of the engine that its restarts have cured"},
             Case{{copy(1, "failed", "new"), copy(1, "running", "new"), copy(2, "running", "old")},
                  "paused",
                  2,
                  Phase::Failed,
                  State::Failed,
                  "paused with an old copy left: Swarm will not go on"},
             Case{{copy(1, "running", "old")},
                  "rollback_completed",
                  1,
                  Phase::Failed,
                  State::Failed,
                  "somebody rolled back"},
             Case{{copy(1, "failed", "new"), copy(1, "failed", "new"), copy(1, "pending", "new")},
                  "",
                  1,
                  Phase::Progressing,
                  State::Pending,
                  "two failures may pass"},
             Case{{copy(1, "failed", "new"), copy(1, "failed", "new"), copy(1, "failed", "new"),
                   copy(1, "pending", "new")},
                  "",
                  1,
                  Phase::Failed,
                  State::Pending,
                  "three are a crash loop"},
             Case{{copy(1, "failed", "new"), copy(1, "failed", "new"), copy(1, "failed", "new"),
                   copy(1, "running", "new")},
                  "",
                  2,
                  Phase::Progressing,
                  State::Pending,
                  "overcome: scaling up now"},
             Case{{copy(1, "failed", "old"), copy(1, "failed", "old"), copy(1, "failed", "old"),
                   copy(1, "pending", "new")},
                  "",
                  1,
                  Phase::Progressing,
                  State::Pending,
                  "failures of an old revision"},
             Case{{copy(1, "shutdown", "new")}, "", 0, Phase::Done, State::Ready, "none is wanted"},
         }) {
        const auto [status, state] = judged(c);
        EXPECT_EQ(status.phase, c.phase) << c.why;
        EXPECT_EQ(state, c.state) << c.why;
    }
}

TEST(Status, ShowsOneContainerASlotWithItsHistory) {
    const auto status = judged({{copy(1, "failed", "new"), copy(1, "failed", "new"), copy(1, "running", "new"),
                                 copy(2, "shutdown", "new")},
                                "",
                                1,
                                Phase::Done,
                                State::Ready,
                                ""})
                            .first;
    ASSERT_EQ(status.containers.size(), 1U) << "a slot that was scaled away is history";
    EXPECT_EQ(status.containers[0].state, "Running");
    EXPECT_EQ(status.containers[0].restarts, 2);
    EXPECT_EQ(status.containers[0].last_error, "") << "it runs steadily: what ended the one before it is no error";
    ASSERT_TRUE(status.containers[0].last_termination);
    EXPECT_EQ(status.containers[0].last_termination->message, "task: non-zero exit (3)");
}

TEST(Status, KeepsTheLastErrorUntilTheReplacementRunsSteadily) {
    for (const auto& [state, age] : {std::pair("running", 1), {"starting", 60}, {"pending", 60}}) {
        const auto status =
            judged(
                {{copy(1, "failed", "new"), copy(1, state, "new", age)}, "", 1, Phase::Progressing, State::Pending, ""})
                .first;
        EXPECT_EQ(status.containers.at(0).last_error, "task: non-zero exit (3)") << state << " for " << age << " s";
    }
}

TEST(Status, WhatWasStoppedIsDoneOnceItsContainersHaveEnded) {
    Json ending = copy(1, "running", "new");
    ending["wanted"] = false;
    const auto status = judged({{ending}, "", 0, Phase::Progressing, State::Ready, ""}).first;
    EXPECT_EQ(status.phase, Phase::Progressing);
    EXPECT_EQ(status.available, 0);
    EXPECT_EQ(status.containers.size(), 1U);
    EXPECT_EQ(judged({{copy(1, "shutdown", "new")}, "", 0, Phase::Done, State::Ready, ""}).first.phase, Phase::Done);
}

TEST(Copies, HaveTheImageThatTheirEngineResolved) {
    const Json record = Json::parse(R"({"Status": {"ContainerStatus": {"ContainerID": "c1"}},
        "Spec": {"ContainerSpec": {"Image": "web@sha256:1234"}}})");
    const Json read = copy_of(record, {{}, 0, {{"c1", "sha256:abcd"}}});
    EXPECT_EQ(read["image"], "web@sha256:1234");
    EXPECT_EQ(read["imageID"], "sha256:abcd");
    EXPECT_EQ(copy_of(record, {})["imageID"], "");
}

TEST(Status, TellsTheFirstErrorAndHowOftenItWas) {
    const auto status = judged({{copy(1, "failed", "new"), copy(1, "failed", "new"), copy(1, "pending", "new")},
                                "",
                                1,
                                Phase::Done,
                                State::Ready,
                                ""})
                            .first;
    EXPECT_EQ(status.message, "0 of 1 copies run: task: non-zero exit (3) (2 times)");
}

TEST(Copies, AreReadWithPortsOnceAndTheAgeByTheEnginesClock) {
    const Json record =
        Json::parse(R"({"Slot": 2, "NodeID": "n1", "DesiredState": "running", "Status": {"State": "running",
        "Timestamp": "2026-01-01T00:00:10.5Z", "PortStatus": {"Ports": [
            {"Protocol": "tcp", "TargetPort": 80, "PublishedPort": 18080}, {"Protocol": "tcp", "TargetPort": 80, "PublishedPort": 18080}]}},
        "NetworksAttachments": [{"Network": {"Spec": {"Ingress": true}}, "Addresses": ["10.255.0.1/16"]},
                                {"Network": {"Spec": {}}, "Addresses": ["10.0.1.5/24"]}]})");
    const Json read = copy_of(record, {{{"n1", "local"}}, 1767225620});
    EXPECT_EQ(read["ports"], Json::array({"0.0.0.0:18080->80/tcp"}));
    EXPECT_EQ(read["address"], "10.0.1.5");
    EXPECT_EQ(read["machine"], "local");
    EXPECT_EQ(read["ageSeconds"], 10);
    EXPECT_TRUE(copy_of(Json::parse("null"), {}).is_object());
}

}  // namespace
}  // namespace atl::cloud::swarm
