#include <nlohmann/json.hpp>

#include "crds/definitions.h"
#include "operator/commands/operator_process.h"

namespace atl::commands {

namespace {

const kube::ResourceType kNamespace{"", "v1", "namespaces", "Namespace", false};
const kube::ResourceType kDefinition{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                     "CustomResourceDefinition", false};

/// The type of a policy or its binding.
kube::ResourceType policy_type(const nlohmann::json& object) {
    const std::string kind = object["kind"].get<std::string>();
    const bool is_binding = kind.ends_with("Binding");
    return {"admissionregistration.k8s.io", "v1",
            is_binding ? "validatingadmissionpolicybindings" : "validatingadmissionpolicies", kind, false};
}

Task<> put(kube::Client& client, kube::ResourceType type, nlohmann::json object) {
    const std::string name = object["metadata"]["name"].get<std::string>();
    const kube::Target target(std::move(type), kube::ObjectKey("", name));
    const kube::ApplyOptions options{"atoll-install", kube::Takeover::Force};
    const auto applied = co_await client.apply(target, object, options).attempt();
    if (!applied.ok()) co_await fail(Error(applied.error()).during("installing " + name));
}

}  // namespace

Task<> install(kube::Client& client, std::string name_space) {
    nlohmann::json ours{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name_space}}}};
    co_await put(client, kNamespace, std::move(ours));
    for (const nlohmann::json& definition : crds::definitions()) co_await put(client, kDefinition, definition);
    for (const nlohmann::json& policy : crds::policies()) co_await put(client, policy_type(policy), policy);
}

}  // namespace atl::commands
