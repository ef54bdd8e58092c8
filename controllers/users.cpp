#include "controllers/users.h"

#include <map>

#include <nlohmann/json.hpp>

namespace atl::controllers {

namespace {

/// spec.<reference>.name, or status.cluster; empty if it is not there.
std::string named(const nlohmann::json& part, const char* reference) {
    if (!part.is_object() || !part.contains(reference) || !part[reference].is_object()) return "";
    return part[reference].value("name", nlohmann::json()).is_string() ? part[reference]["name"].get<std::string>()
                                                                       : "";
}

std::string text(const nlohmann::json& part, const char* member) {
    if (!part.is_object() || !part.contains(member) || !part[member].is_string()) return "";
    return part[member].get<std::string>();
}

}  // namespace

std::vector<kube::ObjectKey> stacks_on(const kube::ObjectKey& cluster, const std::vector<kube::Object>& stacks) {
    std::vector<kube::ObjectKey> keys;
    for (const kube::Object& stack : stacks) {
        if (named(stack.member("spec"), "clusterRef") == cluster.name) keys.push_back(stack.key());
    }
    return keys;
}

std::vector<kube::ObjectKey> instances_on(const kube::ObjectKey& cluster, const std::vector<kube::Object>& instances,
                                          const std::vector<kube::Object>& stacks) {
    std::map<std::string, std::string> stack_clusters;
    for (const kube::Object& stack : stacks) {
        stack_clusters[stack.key().name] = named(stack.member("spec"), "clusterRef");
    }
    std::vector<kube::ObjectKey> keys;
    for (const kube::Object& instance : instances) {
        const nlohmann::json spec = instance.member("spec");
        std::string where = named(spec, "clusterRef");
        if (where.empty()) where = stack_clusters[named(spec, "stackRef")];
        if (where == cluster.name || text(instance.member("status"), "cluster") == cluster.name) {
            keys.push_back(instance.key());
        }
    }
    return keys;
}

std::vector<kube::ObjectKey> Users::stacks_on(const kube::ObjectKey& cluster) const {
    return controllers::stacks_on(cluster, stacks_.in_namespace(cluster.ns));
}

std::vector<kube::ObjectKey> Users::instances_on(const kube::ObjectKey& cluster) const {
    return controllers::instances_on(cluster, instances_.in_namespace(cluster.ns), stacks_.in_namespace(cluster.ns));
}

std::vector<kube::ObjectKey> Users::instances_of(const kube::ObjectKey& stack) const {
    std::vector<kube::ObjectKey> keys;
    for (const kube::Object& instance : instances_.in_namespace(stack.ns)) {
        if (named(instance.member("spec"), "stackRef") == stack.name) keys.push_back(instance.key());
    }
    return keys;
}

std::string names_of(const std::vector<kube::ObjectKey>& keys) {
    constexpr std::size_t kShown = 3;
    std::string names;
    for (std::size_t i = 0; i < keys.size() && i < kShown; ++i) names += (i == 0 ? "\"" : ", \"") + keys[i].name + "\"";
    if (keys.size() > kShown) names += " and " + std::to_string(keys.size() - kShown) + " more";
    return names;
}

}  // namespace atl::controllers
