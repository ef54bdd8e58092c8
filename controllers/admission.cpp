#include "controllers/admission.h"

#include <algorithm>

#include "controllers/stack_instances.h"
#include "controllers/targets.h"
#include "controllers/users.h"
#include "controllers/workloads.h"
#include "crds/composition.h"

namespace atl::controllers {

namespace {

using kube::AdmissionAnswer;

/// The message, with the field if it does not name it.
std::string told(const Error& error) {
    const bool named = error.field().empty() || error.message().find(error.field()) != std::string::npos;
    return named ? error.message() : error.field() + ": " + error.message();
}

void add_cause(AdmissionAnswer& answer, const std::string& field, const std::string& text) {
    const std::string prefix = field + ": ";
    answer.errors.push_back({field, text.starts_with(prefix) ? text.substr(prefix.size()) : text});
}

void add_error(AdmissionAnswer& answer, const Error& error) {
    add_cause(answer, error.field().empty() ? "spec" : error.field(), error.message());
}

/// What is wrong for good refuses the write; what this back end cannot do is the controller's to refuse, and so is
/// foretold.
void add_errors(AdmissionAnswer& answer, const crds::FieldErrors& errors) {
    if (errors.empty()) return;
    const Error error = crds::to_error(errors);
    if (error.error_class() == ErrorClass::Unsupported) {
        answer.warnings.push_back(told(error));
        return;
    }
    for (const crds::FieldError& one : errors) add_cause(answer, one.field, one.to_string());
}

void add_warning(AdmissionAnswer& answer, const std::string& text) {
    if (std::ranges::find(answer.warnings, text) == answer.warnings.end()) answer.warnings.push_back(text);
}

/// What an orchestrator says to the workloads of an instance, without an endpoint and without the content of Secrets.
void foretell(AdmissionAnswer& answer, const cloud::Orchestrator& orchestrator, const crds::Stack& stack,
              const crds::ServiceInstance& instance) {
    const auto workloads = workloads_of(stack, instance, {});
    if (!workloads.ok()) {
        if (workloads.error().error_class() == ErrorClass::Invalid) add_error(answer, workloads.error());
        return;  // content that is not there yet
    }
    const auto desired = orchestrator.translate(*workloads, {});
    if (!desired.ok() && desired.error().error_class() != ErrorClass::Waiting) {
        add_warning(answer, told(desired.error()));
        return;
    }
    for (const cloud::WorkloadStatus& status : orchestrator.status(*workloads, {})) {
        for (const std::string& note : status.notes) add_warning(answer, "emulated: " + note);
    }
}

}  // namespace

AdmissionAnswer Admission::judge(const kube::AdmissionCall& call) const {
    AdmissionAnswer answer;
    if (call.operation == "DELETE") {
        judge_deletion(call, answer);
    } else if (call.object && call.kind == "Cluster") {
        judge_cluster(*call.object, answer);
    } else if (call.object && call.kind == "Stack") {
        judge_stack(*call.object, answer);
    } else if (call.object && call.kind == "ServiceInstance") {
        judge_instance(*call.object, answer);
    }
    return answer;
}

void Admission::judge_cluster(const nlohmann::json& object, AdmissionAnswer& answer) const {
    const auto cluster = crds::decode_cluster(object);
    if (!cluster.ok()) return add_error(answer, cluster.error());
    if (cluster->being_deleted()) return;
    add_errors(answer, crds::check(cluster->spec));
    if (!answer.errors.empty()) return;
    const auto layout = layout_of(parts_.registry, *cluster);
    if (layout.ok()) return;
    if (layout.error().error_class() == ErrorClass::Unsupported) return add_warning(answer, told(layout.error()));
    add_error(answer, layout.error());
}

const cloud::Orchestrator* Admission::orchestrator_at(const kube::ObjectKey& key, AdmissionAnswer& answer) const {
    const auto object = parts_.clusters.find(key);
    if (!object) {
        add_warning(answer, "Cluster \"" + key.name + "\" does not exist in namespace \"" + key.ns +
                                "\" yet; nothing is placed until it does");
        return nullptr;
    }
    if (object->meta().being_deleted()) {
        add_warning(answer, "Cluster \"" + key.name + "\" is being deleted; nothing new is placed on it");
    }
    const auto cluster = crds::decode_cluster(object->json());
    if (!cluster.ok()) return nullptr;
    const auto layout = layout_of(parts_.registry, *cluster);
    return layout.ok() ? layout->orchestrator : nullptr;
}

void Admission::judge_stack(const nlohmann::json& object, AdmissionAnswer& answer) const {
    const auto stack = crds::decode_stack(object);
    if (!stack.ok()) return add_error(answer, stack.error());
    if (stack->being_deleted()) return;
    add_errors(answer, crds::check(stack->spec));
    if (!answer.errors.empty()) return;
    const auto* orchestrator =
        orchestrator_at(kube::ObjectKey(stack->meta.name_space, stack->spec.cluster_ref.name), answer);
    if (orchestrator == nullptr) return;
    for (const crds::Service* service : crds::instantiated_services(stack->spec)) {
        const auto instance = crds::decode_service_instance(instance_object(*stack, *service));
        if (instance.ok()) foretell(answer, *orchestrator, *stack, *instance);
    }
}

void Admission::judge_instance(const nlohmann::json& object, AdmissionAnswer& answer) const {
    const auto instance = crds::decode_service_instance(object);
    if (!instance.ok()) return add_error(answer, instance.error());
    if (instance->being_deleted()) return;
    const kube::ObjectKey key(instance->meta.name_space, instance->spec.stack_ref.name);
    const auto found = parts_.stacks.find(key);
    if (!found) {
        return add_warning(answer, "Stack \"" + key.name + "\" does not exist in namespace \"" + key.ns +
                                       "\" yet; nothing is placed until it does");
    }
    const auto stack = crds::decode_stack(found->json());
    if (!stack.ok()) return;
    add_errors(answer, crds::check(instance->spec, stack->spec));
    if (!answer.errors.empty()) return;
    const std::string& cluster =
        instance->spec.cluster_ref ? instance->spec.cluster_ref->name : stack->spec.cluster_ref.name;
    const auto* orchestrator = orchestrator_at(kube::ObjectKey(instance->meta.name_space, cluster), answer);
    if (orchestrator != nullptr) foretell(answer, *orchestrator, *stack, *instance);
}

void Admission::judge_deletion(const kube::AdmissionCall& call, AdmissionAnswer& answer) const {
    const Users users(parts_.stacks, parts_.instances);
    if (call.kind == "Cluster") {
        const auto stacks = users.stacks_on(call.key);
        const auto instances = users.instances_on(call.key);
        if (!stacks.empty() || !instances.empty()) {
            add_warning(answer, "Cluster \"" + call.key.name + "\" is torn down once what runs on it is gone: " +
                                    names_of(stacks.empty() ? instances : stacks));
        }
    }
}

}  // namespace atl::controllers
