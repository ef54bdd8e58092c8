#include "cloud/orchestrator/swarm/status.h"

#include <algorithm>
#include <map>

#include "cloud/docker/containers.h"
#include "cloud/docker/values.h"
#include "cloud/orchestrator/swarm/kinds.h"

namespace atl::cloud::swarm {

namespace {

using docker::is_true_at;
using docker::Json;
using docker::list_at;
using docker::number_at;
using docker::text_at;

constexpr int kFailuresThatCount = 3;

/// The API's many states in the few words of the status.
std::string state_word(const std::string& state) {
    if (state == "running") return "Running";
    if (state == "starting" || state == "ready") return "Starting";
    if (state == "complete") return "Completed";
    if (state == "failed" || state == "rejected" || state == "orphaned") return "Failed";
    return "Pending";
}

bool is_failed(const Json& copy) {
    return state_word(text_at(copy, {"state"})) == "Failed";
}

Termination termination_of(const Json& copy) {
    return {text_at(copy, {"error"}), static_cast<int>(number_at(copy, {"exitCode"})), text_at(copy, {"since"})};
}

bool is_alive(const Json& copy) {
    const std::string state = state_word(text_at(copy, {"state"}));
    return state == "Running" || state == "Starting";
}

/// The newest record that should run, else the newest at all, with what came before it in the same slot. What ended a
/// copy before it is its error only until it has run for the monitor time.
ContainerStatus container_of(const Workload& workload, std::vector<const Json*> records) {
    std::ranges::sort(records, {}, [](const Json* copy) {
        return std::pair(!is_true_at(*copy, {"wanted"}), text_at(*copy, {"created"}));
    });
    const auto first_unwanted =
        std::ranges::find_if(records, [](const Json* copy) { return !is_true_at(*copy, {"wanted"}); });
    const Json& shown = first_unwanted == records.begin() ? *records.back() : **std::prev(first_unwanted);
    ContainerStatus container;
    container.path = workload.path;
    container.replica = std::to_string(number_at(shown, {"slot"}));
    container.container_id = text_at(shown, {"container"});
    container.machine = text_at(shown, {"machine"});
    container.address = text_at(shown, {"address"});
    for (const Json& port : list_at(shown, {"ports"})) container.ports.push_back(port.get<std::string>());
    container.state = state_word(text_at(shown, {"state"}));
    container.image = text_at(shown, {"image"});
    container.image_id = text_at(shown, {"imageID"});
    container.last_error = text_at(shown, {"error"});
    const Json* last = nullptr;
    for (const Json* copy : records) {
        if (!is_failed(*copy) || copy == &shown) continue;
        ++container.restarts;
        if (last == nullptr || text_at(*copy, {"created"}) > text_at(*last, {"created"})) last = copy;
    }
    if (last == nullptr) return container;
    container.last_termination = termination_of(*last);
    const bool steady =
        container.state == "Running" && number_at(shown, {"ageSeconds"}) >= workload.rollout.monitor.count();
    if (container.last_error.empty() && !steady) container.last_error = container.last_termination->message;
    return container;
}

std::vector<ContainerStatus> containers_of(const Workload& workload, const Json& copies) {
    std::map<std::int64_t, std::vector<const Json*>> slots;
    for (const Json& copy : copies) slots[number_at(copy, {"slot"})].push_back(&copy);
    std::vector<ContainerStatus> containers;
    for (auto& [slot, records] : slots) {
        const bool any_wanted =
            std::ranges::any_of(records, [](const Json* copy) { return is_true_at(*copy, {"wanted"}); });
        const bool any_alive = std::ranges::any_of(records, [](const Json* copy) { return is_alive(*copy); });
        // A slot that was scaled away leaves its history behind.
        if (any_wanted || any_alive) containers.push_back(container_of(workload, std::move(records)));
    }
    return containers;
}

struct Tally {
    int updated = 0;
    int available = 0;
    int settled = 0;   ///< updated and past the monitor time
    int stopping = 0;  ///< told to end, and still there
    int failures = 0;  ///< of updated copies, in slots where none runs now: what is overcome does not count
};

Tally count(const Workload& workload, const Observed& service) {
    Tally tally;
    const std::string revision = text_at(service.detail, {"revision"});
    std::map<std::int64_t, int> failures;
    for (const Json& copy : list_at(service.detail, {"copies"})) {
        const bool current = text_at(copy, {"revision"}) == revision;
        if (current && is_failed(copy)) ++failures[number_at(copy, {"slot"})];
    }
    for (const Json& copy : list_at(service.detail, {"copies"})) {
        const bool current = text_at(copy, {"revision"}) == revision;
        if (!is_true_at(copy, {"wanted"}) && is_alive(copy)) ++tally.stopping;
        if (!is_true_at(copy, {"wanted"}) || text_at(copy, {"state"}) != "running") continue;
        ++tally.available;
        if (!current) continue;
        ++tally.updated;
        failures.erase(number_at(copy, {"slot"}));
        if (number_at(copy, {"ageSeconds"}) >= workload.rollout.monitor.count()) ++tally.settled;
    }
    for (const auto& slot : failures) tally.failures += slot.second;
    return tally;
}

WorkloadStatus status_of(const Workload& workload, const World& world) {
    WorkloadStatus status;
    status.path = workload.path;
    status.desired = workload.replicas;
    status.notes = docker::notes_of(workload);
    const Observed* service = world.find({std::string(kService), workload.name});
    if (service == nullptr || service->state == State::Deleting) {
        status.message = service == nullptr ? "not created yet" : service->message;
        return status;
    }
    if (text_at(service->properties, {"endpointMode"}) == "dnsrr" && !workload.published.empty()) {
        status.notes.push_back("published ports are those of the machine: its kernel is not known to have IPVS");
    }
    const Tally tally = count(workload, *service);
    status.updated = tally.updated;
    status.available = tally.available;
    status.message = service->message;
    status.containers = containers_of(workload, list_at(service->detail, {"copies"}));
    using Phase = WorkloadStatus::Phase;
    // Swarm counts nothing any more as soon as none is wanted; what was stopped is so once its containers have ended.
    const bool ending = workload.replicas == 0 && tally.stopping > 0;
    if (ending) status.message = std::to_string(tally.stopping) + " copies are still ending";
    if (service->state == State::Ready && tally.settled >= workload.replicas && !ending) status.phase = Phase::Done;
    const bool crashing = tally.failures >= kFailuresThatCount && tally.updated < workload.replicas;
    if (service->state == State::Failed || crashing) status.phase = Phase::Failed;
    return status;
}

}  // namespace

std::vector<WorkloadStatus> status(const std::vector<Workload>& workloads, const World& world) {
    std::vector<WorkloadStatus> statuses;
    for (const Workload& workload : workloads) statuses.push_back(status_of(workload, world));
    return statuses;
}

}  // namespace atl::cloud::swarm
