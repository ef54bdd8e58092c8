#include "cloud/orchestrator/none/status.h"

#include "cloud/docker/containers.h"
#include "cloud/docker/values.h"
#include "cloud/orchestrator/none/kinds.h"

namespace atl::cloud::none {

namespace {

using docker::list_at;
using docker::number_at;
using docker::text_at;

constexpr int kRestartsThatCount = 3;

std::string state_word(const Observed& container) {
    const std::string status = text_at(container.detail, {"status"});
    if (container.state == State::Ready) return "Running";
    if (status == "running") return "Starting";
    if (status == "restarting" || status == "exited" || status == "dead") return "Failed";
    return "Pending";
}

/// The engine keeps when a container last ended; its exit code only until it runs again.
std::optional<Termination> termination_of(const Observed& container) {
    const std::string finished_at = text_at(container.detail, {"finishedAt"});
    if (finished_at.empty() || finished_at.starts_with("0001-")) return std::nullopt;
    Termination termination{"", std::nullopt, finished_at};
    if (text_at(container.detail, {"status"}) == "running") return termination;
    termination.message = container.message;
    termination.exit_code = static_cast<int>(number_at(container.detail, {"exitCode"}));
    return termination;
}

ContainerStatus container_of(const Workload& workload, const Observed& container) {
    ContainerStatus status;
    status.path = workload.path;
    status.replica = container.key.name.substr(container.key.name.rfind('/') + 1);
    status.container_id = container.id;
    status.machine = text_at(container.properties, {"machine"});
    status.address = text_at(container.detail, {"address"});
    status.state = state_word(container);
    status.restarts = static_cast<int>(number_at(container.detail, {"restarts"}));
    status.last_error = container.message;
    status.image = text_at(container.properties, {"image"});
    status.image_id = text_at(container.detail, {"image"});
    status.last_termination = termination_of(container);
    for (const auto& port : list_at(container.properties, {"ports"})) {
        status.ports.push_back("0.0.0.0:" + std::to_string(number_at(port, {"listen"})) + "->" +
                               std::to_string(number_at(port, {"target"})) + "/" + text_at(port, {"protocol"}));
    }
    return status;
}

WorkloadStatus status_of(const Workload& workload, const World& world) {
    using Phase = WorkloadStatus::Phase;
    WorkloadStatus status;
    status.path = workload.path;
    status.desired = workload.replicas;
    status.notes = docker::notes_of(workload);
    if (workload.rollout.max_surge > 0) {
        status.notes.push_back("rollout.maxSurge: copies are replaced in their place, never started first");
    }
    if (workload.cpu_request_nano || workload.memory_request_bytes) {
        status.notes.push_back("resources.requests: nothing is reserved without an orchestrator");
    }
    status.notes.push_back("without an orchestrator, a lost machine's containers are not moved");
    int settled = 0;
    bool crashing = false;
    for (const Observed& container : world.resources) {
        const std::string& name = container.key.name;
        if (container.key.kind != kContainer || name.substr(0, name.rfind('/')) != workload.name) continue;
        status.containers.push_back(container_of(workload, container));
        if (status.message.empty()) status.message = container.message;
        if (container.state != State::Ready) {
            crashing = crashing || number_at(container.detail, {"restarts"}) >= kRestartsThatCount;
            continue;
        }
        ++status.available;
        const bool current = text_at(container.properties, {"image"}) == workload.image;
        if (current) ++status.updated;
        if (current && number_at(container.detail, {"ageSeconds"}) >= workload.rollout.monitor.count()) ++settled;
    }
    const bool all_there = static_cast<int>(status.containers.size()) == workload.replicas;
    if (all_there && settled == workload.replicas) status.phase = Phase::Done;
    if (crashing) status.phase = Phase::Failed;
    return status;
}

}  // namespace

std::vector<WorkloadStatus> status(const std::vector<Workload>& workloads, const World& world) {
    std::vector<WorkloadStatus> statuses;
    for (const Workload& workload : workloads) statuses.push_back(status_of(workload, world));
    return statuses;
}

}  // namespace atl::cloud::none
