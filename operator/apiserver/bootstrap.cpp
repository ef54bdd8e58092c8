#include "operator/apiserver/bootstrap.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "operator/apiserver/authenticator.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr const char* kRbac = "rbac.authorization.k8s.io";

const json kReadVerbs = json::array({"get", "list", "watch"});
const json kWriteVerbs = json::array({"create", "delete", "deletecollection", "patch", "update"});

json rule(const json& groups, const json& resources, const json& verbs) {
    return {{"apiGroups", groups}, {"resources", resources}, {"verbs", verbs}};
}

json cluster_role(const std::string& name, json rules) {
    return {{"apiVersion", std::string(kRbac) + "/v1"},
            {"kind", "ClusterRole"},
            {"metadata", {{"name", name}, {"labels", {{"kubernetes.io/bootstrapping", "rbac-defaults"}}}}},
            {"rules", std::move(rules)}};
}

json cluster_role_binding(const std::string& role, const std::string& group) {
    return {{"apiVersion", std::string(kRbac) + "/v1"},
            {"kind", "ClusterRoleBinding"},
            {"metadata", {{"name", role}, {"labels", {{"kubernetes.io/bootstrapping", "rbac-defaults"}}}}},
            {"roleRef", {{"apiGroup", kRbac}, {"kind", "ClusterRole"}, {"name", role}}},
            {"subjects", json::array({{{"apiGroup", kRbac}, {"kind", "Group"}, {"name", group}}})}};
}

/// What a user who only looks may see: everything but Secrets and rights.
json view_rules() {
    return json::array({rule({""}, {"configmaps", "events", "namespaces", "serviceaccounts"}, kReadVerbs),
                        rule({"events.k8s.io"}, {"events"}, kReadVerbs),
                        rule({"coordination.k8s.io"}, {"leases"}, kReadVerbs), rule({"atoll.dev"}, {"*"}, kReadVerbs)});
}

json edit_rules() {
    json rules = view_rules();
    rules.push_back(rule({""}, {"configmaps", "secrets", "events", "serviceaccounts"}, kWriteVerbs));
    rules.push_back(rule({""}, {"secrets"}, kReadVerbs));
    rules.push_back(rule({"coordination.k8s.io"}, {"leases"}, kWriteVerbs));
    rules.push_back(rule({"atoll.dev"}, {"*"}, kWriteVerbs));
    return rules;
}

json admin_rules() {
    json rules = edit_rules();
    rules.push_back(rule({kRbac}, {"roles", "rolebindings"}, kReadVerbs));
    rules.push_back(rule({kRbac}, {"roles", "rolebindings"}, kWriteVerbs));
    rules.push_back(rule({"atoll.dev"}, {"clusters"}, {"destroy"}));
    return rules;
}

std::vector<json> cluster_roles() {
    json everything = json::array(
        {rule({"*"}, {"*"}, {"*"}), {{"nonResourceURLs", json::array({"*"})}, {"verbs", json::array({"*"})}}});
    const json paths = json::array({"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi",
                                    "/openapi/*", "/readyz", "/version", "/version/"});
    json discovery = json::array({{{"nonResourceURLs", paths}, {"verbs", json::array({"get"})}}});
    json basic = json::array(
        {rule({"authorization.k8s.io"}, {"selfsubjectaccessreviews", "selfsubjectrulesreviews"}, {"create"}),
         rule({"authentication.k8s.io"}, {"selfsubjectreviews"}, {"create"})});
    return {cluster_role("cluster-admin", std::move(everything)),
            cluster_role("admin", admin_rules()),
            cluster_role("edit", edit_rules()),
            cluster_role("view", view_rules()),
            cluster_role("system:discovery", std::move(discovery)),
            cluster_role("system:basic-user", std::move(basic))};
}

}  // namespace

Task<> bootstrap(Serving& serving) {
    InternalWriter writer(serving);
    const Registry& registry = serving.registry;
    const TypePtr namespaces = registry.find("", "v1", "namespaces");
    for (const char* name : {"default", "kube-system"}) {
        const json object = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}};
        co_await writer.ensure(namespaces, object);
    }
    const TypePtr roles = registry.find(kRbac, "v1", "clusterroles");
    for (const json& role : cluster_roles()) co_await writer.ensure(roles, role);
    const TypePtr bindings = registry.find(kRbac, "v1", "clusterrolebindings");
    const std::pair<const char*, const char*> bound[] = {
        {"cluster-admin", kMasters}, {"system:discovery", kAuthenticated}, {"system:basic-user", kAuthenticated}};
    for (const auto& [role, group] : bound) {
        const json binding = cluster_role_binding(role, group);
        co_await writer.ensure(bindings, binding);
    }
}

}  // namespace atl::apiserver
