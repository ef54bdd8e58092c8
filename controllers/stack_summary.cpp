#include "controllers/stack_summary.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "controllers/workloads.h"
#include "crds/composition.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;

/// Whether the instance's status is of its present generation, and of the Stack's: what its containers are is in the
/// Stack.
bool is_current(const crds::ServiceInstance& instance, const crds::Stack& stack) {
    return instance.status.observed_stack_generation == stack.meta.generation &&
           instance.status.observed_generation == instance.meta.generation && !instance.being_deleted();
}

bool is_ready(const crds::ServiceInstance& instance, const crds::Stack& stack) {
    const crds::Condition* ready = crds::find_condition(instance.status.conditions, "Ready");
    return is_current(instance, stack) && ready != nullptr && ready->status == "True";
}

crds::StackServiceStatus row_of(const crds::Stack& stack, const crds::Service& service,
                                const std::vector<kube::Object>& instances) {
    const std::string name = instance_name(stack.meta.name, service.name);
    crds::StackServiceStatus row;
    row.name = service.name;
    row.instance = name;
    row.state = "Pending";
    const auto object =
        std::ranges::find_if(instances, [&](const auto& candidate) { return candidate.key().name == name; });
    if (object == instances.end()) return row;
    const auto instance = crds::decode_service_instance(object->json());
    if (!instance.ok()) {
        row.state = "Failed";
        row.message = instance.error().message();
        return row;
    }
    row.replicas = instance->status.replicas;
    row.ready_replicas = instance->status.ready_replicas;
    const crds::Condition* ready = crds::find_condition(instance->status.conditions, "Ready");
    if (is_ready(*instance, stack)) {
        row.state = instance->spec.state == crds::RunState::Stopped ? "Stopped" : "Ready";
    } else {
        const bool stalled = crds::find_condition(instance->status.conditions, "Stalled") != nullptr;
        row.state = stalled && is_current(*instance, stack) ? "Failed" : "Progressing";
        if (ready != nullptr && ready->status != "True") row.message = ready->reason + ": " + ready->message;
    }
    return row;
}

std::vector<std::string> endpoints_of(const std::vector<kube::Object>& instances) {
    std::vector<std::string> endpoints;
    for (const kube::Object& object : instances) {
        const nlohmann::json status = object.member("status");
        if (!status.is_object() || !status.contains("endpoints") || !status["endpoints"].is_array()) continue;
        for (const auto& endpoint : status["endpoints"]) {
            if (endpoint.is_string()) endpoints.push_back(endpoint.get<std::string>());
        }
    }
    std::ranges::sort(endpoints);
    return endpoints;
}

nlohmann::json row_json(const crds::StackServiceStatus& row) {
    nlohmann::json json{{"name", row.name},
                        {"instance", row.instance},
                        {"state", row.state},
                        {"replicas", row.replicas},
                        {"readyReplicas", row.ready_replicas}};
    if (!row.message.empty()) json["message"] = row.message;
    return json;
}

}  // namespace

StackSummary summary_of(const crds::Stack& stack, const std::vector<kube::Object>& instances) {
    StackSummary summary;
    std::size_t ready = 0;
    for (const crds::Service* service : crds::instantiated_services(stack.spec)) {
        const crds::StackServiceStatus row = row_of(stack, *service, instances);
        if (row.state == "Ready" || row.state == "Stopped") ++ready;
        summary.rows.push_back(row);
    }
    summary.services_ready = std::to_string(ready) + "/" + std::to_string(summary.rows.size());
    summary.endpoints = endpoints_of(instances);
    return summary;
}

nlohmann::json encode(const std::vector<crds::StackServiceStatus>& rows) {
    nlohmann::json json = nlohmann::json::array();
    for (const crds::StackServiceStatus& row : rows) json.push_back(row_json(row));
    return json;
}

Result<Unit> all_ready(const crds::Stack& stack, const std::vector<kube::Object>& instances) {
    const StackSummary summary = summary_of(stack, instances);
    const crds::StackServiceStatus* worst = nullptr;  // the first that failed, else the first that is not ready
    for (const crds::StackServiceStatus& row : summary.rows) {
        if (row.state == "Ready" || row.state == "Stopped") continue;
        if (worst == nullptr || (row.state == "Failed" && worst->state != "Failed")) worst = &row;
    }
    if (worst == nullptr) return ok();
    std::string what =
        summary.services_ready + " services are ready; ServiceInstance \"" + worst->instance + "\" is " + worst->state;
    if (!worst->message.empty()) what += ": " + worst->message;
    if (worst->state == "Failed") return invalid("ServiceFailed", what).with_retry_after(1min);
    return Error::waiting("ServicesNotReady", what, 1min);
}

}  // namespace atl::controllers
