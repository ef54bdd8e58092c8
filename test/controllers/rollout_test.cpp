#include "controllers/rollout.h"

#include <gtest/gtest.h>

#include "operator/base/time.h"

namespace atl::controllers {
namespace {

using Phase = cloud::WorkloadStatus::Phase;
using namespace std::chrono_literals;

cloud::Workload workload(std::string name, std::vector<std::string> providers = {}) {
    cloud::Workload result;
    result.path = result.name = std::move(name);
    for (const std::string& provider : providers) result.links.push_back({provider, 80, provider, provider, 80});
    return result;
}

cloud::WorkloadStatus running(std::string path, int copies) {
    cloud::WorkloadStatus status;
    status.path = std::move(path);
    status.desired = status.updated = status.available = copies;
    status.phase = Phase::Done;
    for (int i = 0; i < copies; ++i) {
        cloud::ContainerStatus container;
        container.path = status.path;
        container.replica = std::to_string(i);
        container.state = "Running";
        status.containers.push_back(container);
    }
    return status;
}

std::vector<int> replicas(const std::vector<cloud::Workload>& workloads) {
    std::vector<int> counts;
    for (const cloud::Workload& one : workloads) counts.push_back(one.replicas);
    return counts;
}

TEST(Staged, ProvidersComeUpFirst) {
    const std::vector<cloud::Workload> all{workload("app", {"store"}), workload("store")};
    EXPECT_EQ(replicas(staged(all, {}, crds::RunState::Running)), (std::vector<int>{0, 1}));
    EXPECT_EQ(replicas(staged(all, {running("store", 1)}, crds::RunState::Running)), (std::vector<int>{1, 1}));
}

TEST(Staged, AConsumerThatRunsIsNotTakenDownWithItsProvider) {
    const std::vector<cloud::Workload> all{workload("app", {"store"}), workload("store")};
    EXPECT_EQ(replicas(staged(all, {running("app", 1)}, crds::RunState::Running)), (std::vector<int>{1, 1}));
}

TEST(Staged, ConsumersGoDownFirst) {
    const std::vector<cloud::Workload> all{workload("app", {"store"}), workload("store")};
    const auto both = staged(all, {running("app", 1), running("store", 1)}, crds::RunState::Stopped);
    EXPECT_EQ(replicas(both), (std::vector<int>{0, 1}));
    EXPECT_EQ(replicas(staged(all, {running("store", 1)}, crds::RunState::Stopped)), (std::vector<int>{0, 0}));
}

TEST(Staged, WorkloadsThatConsumeEachOtherDoNotWaitForever) {
    const std::vector<cloud::Workload> all{workload("a", {"b"}), workload("b", {"a"})};
    EXPECT_EQ(replicas(staged(all, {}, crds::RunState::Running)), (std::vector<int>{1, 1}));
}

TEST(Progress, FailedBeatsProgressingBeatsDone) {
    auto progressing = running("b", 1);
    progressing.phase = Phase::Progressing;
    auto failed = running("c", 1);
    failed.phase = Phase::Failed;
    failed.message = "No such image: x";
    EXPECT_EQ(progress_of({running("a", 1)}).phase, Progress::Phase::Done);
    EXPECT_EQ(progress_of({running("a", 1), progressing}).phase, Progress::Phase::Progressing);
    const Progress worst = progress_of({progressing, failed});
    EXPECT_EQ(worst.phase, Progress::Phase::Failed);
    EXPECT_NE(worst.message.find("No such image: x"), std::string::npos);
}

TEST(Overdue, OnlyAfterTheLongestDeadlineOfTheStartedRevision) {
    Revision revision;
    revision.hash = "h";
    revision.workloads = {workload("a"), workload("b")};
    revision.workloads[0].rollout.progress_deadline = 10s;
    revision.workloads[1].rollout.progress_deadline = 20s;
    const WallTime start{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};
    Journal journal;
    journal.started = "h";
    journal.started_at = format_rfc3339(start);
    EXPECT_FALSE(is_overdue(journal, revision, start + 20s));
    EXPECT_TRUE(is_overdue(journal, revision, start + 21s));
    journal.started = "other";
    EXPECT_FALSE(is_overdue(journal, revision, start + 21s));
}

TEST(Hash, ChangesWithAContentThatPropertiesDoNotShow) {
    cloud::Desired one;
    cloud::Resource resource;
    resource.key = {"swarm/secret", "s"};
    resource.content_hash = "a";
    one.add(resource);
    cloud::Desired other;
    resource.content_hash = "b";
    other.add(resource);
    EXPECT_NE(hash_of(one), hash_of(other));
    EXPECT_EQ(hash_of(one), hash_of(one));
}

}  // namespace
}  // namespace atl::controllers
