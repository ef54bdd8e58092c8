#include "controllers/instance_summary.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "controllers/types.h"

namespace atl::controllers {

namespace {

nlohmann::json termination_json(const cloud::Termination& termination) {
    nlohmann::json json = nlohmann::json::object();
    if (termination.exit_code) json["exitCode"] = *termination.exit_code;
    if (!termination.message.empty()) json["message"] = termination.message;
    if (!termination.finished_at.empty()) json["finishedAt"] = termination.finished_at;
    return json;
}

nlohmann::json container_json(const cloud::ContainerStatus& container) {
    nlohmann::json json{{"path", container.path},
                        {"replica", container.replica},
                        {"state", container.state},
                        {"restarts", container.restarts}};
    for (const auto& [name, value] : {std::pair("containerID", container.container_id),
                                      {"machine", container.machine},
                                      {"address", container.address},
                                      {"lastError", container.last_error},
                                      {"image", container.image},
                                      {"imageID", container.image_id}}) {
        if (!value.empty()) json[name] = value;
    }
    if (!container.ports.empty()) json["ports"] = container.ports;
    if (container.last_termination) json["lastTermination"] = termination_json(*container.last_termination);
    return json;
}

nlohmann::json containers_json(const std::vector<cloud::WorkloadStatus>& statuses) {
    nlohmann::json containers = nlohmann::json::array();
    std::set<std::pair<std::string, std::string>> seen;  // the list is keyed by path and replica
    for (const cloud::WorkloadStatus& status : statuses) {
        for (const cloud::ContainerStatus& container : status.containers) {
            if (seen.emplace(container.path, container.replica).second) containers.push_back(container_json(container));
        }
    }
    return containers;
}

nlohmann::json links_json(const InstanceView& view) {
    nlohmann::json links = nlohmann::json::array();
    for (const cloud::Workload& workload : view.workloads) {
        const auto status = std::ranges::find(view.statuses, workload.path, &cloud::WorkloadStatus::path);
        const bool lives = status != view.statuses.end() && status->available > 0;
        for (const cloud::WorkloadLink& link : workload.links) {
            links.push_back({{"name", link.name},
                             {"consumer", workload.path},
                             {"provider", link.provider},
                             {"mode", "Direct"},
                             {"endpoint", link.provider_host + ":" + std::to_string(link.port)},
                             {"state", lives ? "Established" : "Waiting"}});
        }
    }
    return links;
}

std::string state_of(const InstanceView& view) {
    using Phase = cloud::WorkloadStatus::Phase;
    const bool stopped = view.instance.spec.state == crds::RunState::Stopped;
    bool done = true;
    for (const cloud::WorkloadStatus& status : view.statuses) {
        if (status.phase == Phase::Failed) return "Failed";
        done = done && status.phase == Phase::Done;
    }
    if (!done || (stopped && !is_stopped(view.workloads))) return "Progressing";
    return stopped ? "Stopped" : "Running";
}

void show_notes(kube::Pass& pass, const std::vector<cloud::WorkloadStatus>& statuses) {
    std::set<std::string> notes;
    for (const cloud::WorkloadStatus& status : statuses) notes.insert(status.notes.begin(), status.notes.end());
    if (notes.empty()) {
        pass.conditions().remove("Emulated");
        return;
    }
    std::string text;
    for (const std::string& note : notes) text += (text.empty() ? "" : "; ") + note;
    pass.conditions().set("Emulated", kube::ConditionStatus::True, "Emulated", text);
}

}  // namespace

void show(kube::Pass& pass, const InstanceView& view) {
    std::int64_t replicas = 0;
    std::int64_t ready = view.statuses.empty() ? 0 : INT64_MAX;
    std::int64_t updated = ready;
    for (const cloud::WorkloadStatus& status : view.statuses) {
        replicas = std::max<std::int64_t>(replicas, status.desired);
        ready = std::min<std::int64_t>(ready, status.available);
        updated = std::min<std::int64_t>(updated, status.updated);
    }
    nlohmann::json& status = pass.status();
    status["replicas"] = replicas;
    status["readyReplicas"] = ready;
    status["updatedReplicas"] = updated;
    status["selector"] = std::string(marks::kInstance) + "=" + pass.key().name;
    status["state"] = state_of(view);
    status["containers"] = containers_json(view.statuses);
    status["links"] = links_json(view);
    status["endpoints"] = view.urls;
    show_notes(pass, view.statuses);
}

bool is_stopped(const std::vector<cloud::Workload>& workloads) {
    return std::ranges::all_of(workloads, [](const cloud::Workload& workload) { return workload.replicas == 0; });
}

bool is_ready(const kube::Object& object) {
    const nlohmann::json status = object.member("status");
    if (!status.is_object() || status.value("observedGeneration", std::int64_t{-1}) != object.meta().generation)
        return false;
    if (!status.contains("conditions") || !status["conditions"].is_array()) return false;
    return std::ranges::any_of(status["conditions"], [](const nlohmann::json& condition) {
        return condition.is_object() && condition.value("type", "") == "Ready" &&
               condition.value("status", "") == "True";
    });
}

}  // namespace atl::controllers
