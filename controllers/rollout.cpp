#include "controllers/rollout.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/base/names.h"
#include "operator/base/time.h"

namespace atl::controllers {

namespace {

const cloud::WorkloadStatus* find(const std::vector<cloud::WorkloadStatus>& statuses, const std::string& path) {
    const auto found = std::ranges::find(statuses, path, &cloud::WorkloadStatus::path);
    return found == statuses.end() ? nullptr : &*found;
}

bool has_containers(const cloud::WorkloadStatus* status) {
    return status != nullptr && std::ranges::any_of(status->containers, [](const cloud::ContainerStatus& container) {
               return container.state == "Running" || container.state == "Starting";
           });
}

bool consumes(const cloud::Workload& consumer, const std::string& provider) {
    return std::ranges::any_of(consumer.links, [&](const auto& link) { return link.provider == provider; });
}

std::string describe(const cloud::WorkloadStatus& status) {
    std::string text = status.path + ": " + std::to_string(std::min(status.updated, status.available)) + " of " +
                       std::to_string(status.desired) + " updated copies are available";
    if (!status.message.empty()) text += ": " + status.message;
    return text;
}

/// A Stopped instance's workload keeps running while a consumer of it still has containers.
bool must_keep_running(const cloud::Workload& workload, const std::vector<cloud::Workload>& all,
                       const std::vector<cloud::WorkloadStatus>& statuses) {
    return std::ranges::any_of(all, [&](const cloud::Workload& other) {
        return other.name != workload.name && consumes(other, workload.name) &&
               has_containers(find(statuses, other.path));
    });
}

/// A workload that does not run yet comes up once its providers in the same instance are available.
bool must_wait(const cloud::Workload& workload, const std::vector<cloud::Workload>& all,
               const std::vector<cloud::WorkloadStatus>& statuses) {
    if (has_containers(find(statuses, workload.path))) return false;
    return std::ranges::any_of(all, [&](const cloud::Workload& other) {
        const cloud::WorkloadStatus* status = find(statuses, other.path);
        return other.name != workload.name && other.replicas > 0 && consumes(workload, other.name) &&
               !consumes(other, workload.name) && (status == nullptr || status->available == 0);
    });
}

}  // namespace

Progress progress_of(const std::vector<cloud::WorkloadStatus>& statuses) {
    Progress progress{Progress::Phase::Done, ""};
    using Phase = cloud::WorkloadStatus::Phase;
    for (const cloud::WorkloadStatus& status : statuses) {
        if (status.phase == Phase::Failed || status.phase == Phase::RolledBack) {
            return {Progress::Phase::Failed, describe(status)};
        }
        if (status.phase == Phase::Progressing && progress.phase == Progress::Phase::Done) {
            progress = {Progress::Phase::Progressing, describe(status)};
        }
    }
    return progress;
}

std::string hash_of(const cloud::Desired& desired) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& [key, resource] : desired.resources) {
        all.push_back({key.kind, key.name, resource.properties, resource.content_hash});
    }
    return short_hash(all.dump(), 16);
}

bool is_overdue(const Journal& journal, const Revision& revision, WallTime now) {
    const auto since = parse_rfc3339(journal.started_at);
    if (journal.started != revision.hash || !since) return false;
    std::chrono::seconds longest{0};
    for (const cloud::Workload& workload : revision.workloads) {
        longest = std::max(longest, workload.rollout.progress_deadline);
    }
    return now - *since > longest;
}

std::vector<cloud::Workload> staged(std::vector<cloud::Workload> workloads,
                                    const std::vector<cloud::WorkloadStatus>& statuses, crds::RunState state) {
    const std::vector<cloud::Workload> all = workloads;
    for (cloud::Workload& workload : workloads) {
        const bool down = state == crds::RunState::Stopped ? !must_keep_running(workload, all, statuses)
                                                           : must_wait(workload, all, statuses);
        if (down) workload.replicas = 0;
    }
    return workloads;
}

}  // namespace atl::controllers
