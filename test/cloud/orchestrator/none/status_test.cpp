#include "cloud/orchestrator/none/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud/orchestrator/none/kinds.h"

namespace atl::cloud::none {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;
using Phase = WorkloadStatus::Phase;

Observed container(const std::string& name, State state, int age = 60, int restarts = 0) {
    Observed observed;
    observed.key = {std::string(kContainer), name};
    observed.id = "id of " + name;
    observed.state = state;
    observed.properties = {{"image", "new"}, {"machine", "a"}};
    observed.detail = {{"status", "running"}, {"ageSeconds", age}, {"restarts", restarts}};
    if (state != State::Ready) observed.message = "not ready";
    return observed;
}

WorkloadStatus status_of(const std::vector<Observed>& containers, int replicas) {
    Workload workload;
    workload.path = workload.name = "web";
    workload.image = "new";
    workload.replicas = replicas;
    workload.rollout.monitor = 5s;
    World world;
    world.resources = containers;
    return status({workload}, world).front();
}

TEST(Status, IsDoneWhenEveryCopyIsNewReadyAndOldEnough) {
    EXPECT_EQ(status_of({}, 1).phase, Phase::Progressing) << "nothing there yet";
    EXPECT_EQ(status_of({}, 0).phase, Phase::Done) << "nothing wanted";
    EXPECT_EQ(status_of({container("web/0", State::Ready)}, 1).phase, Phase::Done);
    EXPECT_EQ(status_of({container("web/0", State::Ready, 4)}, 1).phase, Phase::Progressing) << "too young to tell";
    EXPECT_EQ(status_of({container("web/0", State::Ready)}, 2).phase, Phase::Progressing);
    EXPECT_EQ(status_of({container("web/0", State::Ready), container("web/1", State::Ready)}, 1).phase,
              Phase::Progressing)
        << "one is still to go";
    Observed old = container("web/0", State::Ready);
    old.properties["image"] = "old";
    const WorkloadStatus status = status_of({old}, 1);
    EXPECT_EQ(status.phase, Phase::Progressing);
    EXPECT_EQ(status.available, 1);
    EXPECT_EQ(status.updated, 0);
}

TEST(Status, FailsAfterThreeRestartsUnlessTheCopyRunsNow) {
    EXPECT_EQ(status_of({container("web/0", State::Pending, 0, 2)}, 1).phase, Phase::Progressing);
    EXPECT_EQ(status_of({container("web/0", State::Pending, 0, 3)}, 1).phase, Phase::Failed);
    EXPECT_EQ(status_of({container("web/0", State::Ready, 60, 9)}, 1).phase, Phase::Done) << "it is overcome";
    EXPECT_EQ(status_of({container("web/0", State::Ready), container("web/1", State::Pending, 0, 3)}, 2).phase,
              Phase::Failed)
        << "one of two";
}

TEST(Status, CountsNoCopiesOfAWorkloadWhoseNameBeginsAlike) {
    const WorkloadStatus status = status_of({container("web/0", State::Ready), container("web-admin/0", State::Ready),
                                             container("web/sub/0", State::Ready)},
                                            1);
    EXPECT_EQ(status.containers.size(), 1U);
    EXPECT_EQ(status.phase, Phase::Done);
}

TEST(Status, SaysOfEachCopyWhatPeopleAskFor) {
    Observed sick = container("web/1", State::Pending, 0, 1);
    sick.detail["status"] = "restarting";
    sick.detail["address"] = "172.20.0.2";
    sick.properties["ports"] = {{{"listen", 8080}, {"target", 80}, {"protocol", "tcp"}}};
    const WorkloadStatus status = status_of({container("web/0", State::Ready), sick}, 2);
    ASSERT_EQ(status.containers.size(), 2U);
    EXPECT_EQ(status.message, "not ready") << "the first that has one";
    EXPECT_EQ(status.containers[0].state, "Running");
    EXPECT_EQ(status.containers[1].state, "Failed");
    EXPECT_EQ(status.containers[1].replica, "1");
    EXPECT_EQ(status.containers[1].restarts, 1);
    EXPECT_EQ(status.containers[1].machine, "a");
    EXPECT_EQ(status.containers[1].address, "172.20.0.2");
    EXPECT_EQ(status.containers[1].ports, std::vector<std::string>{"0.0.0.0:8080->80/tcp"});
}

TEST(Status, SaysWhatAProbeDoesNotDoHere) {
    Workload workload;
    workload.path = workload.name = "web";
    workload.liveness = Probe{{"check"}, "", 0, 1s, 1s, 1s, 3};
    EXPECT_THAT(status({workload}, {}).front().notes, Contains(HasSubstr("not restarted")));
}

}  // namespace
}  // namespace atl::cloud::none
