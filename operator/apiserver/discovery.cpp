#include "operator/apiserver/discovery.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "operator/apiserver/media.h"
#include "operator/apiserver/output.h"
#include "operator/apiserver/reviews.h"
#include "operator/base/base64.h"
#include "operator/base/digest.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

const json kSubresourceVerbs = json::array({"get", "patch", "update"});

/// Group, versions: in the order of discovery, the core group ("") first.
std::map<std::string, std::set<std::string>> groups_of(const Registry& registry) {
    std::map<std::string, std::set<std::string>> groups;
    for (const TypePtr& type : registry.all()) groups[type->group].insert(type->version);
    for (const ReviewKind& review : review_kinds()) groups[review.group].insert(review.version);
    return groups;
}

/// The rank of a version as Kubernetes orders them: v2, v1, v1beta1, v1alpha1, others.
std::string rank(const std::string& version) {
    const std::size_t alpha = version.find("alpha");
    const std::size_t beta = version.find("beta");
    const char level = alpha != std::string::npos ? '1' : beta != std::string::npos ? '2' : '3';
    return level + version;
}

std::vector<std::string> ordered(const std::set<std::string>& versions) {
    std::vector<std::string> list(versions.begin(), versions.end());
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return rank(a) > rank(b); });
    return list;
}

json version_of(const std::string& group, const std::string& version) {
    return {{"groupVersion", group + "/" + version}, {"version", version}};
}

json group_json(const std::string& group, const std::set<std::string>& versions) {
    json list = json::array();
    for (const std::string& version : ordered(versions)) list.push_back(version_of(group, version));
    json preferred = list.front();
    return {{"name", group}, {"versions", std::move(list)}, {"preferredVersion", std::move(preferred)}};
}

json resource_json(const ResourceType& type) {
    json resource = {{"name", type.plural},
                     {"singularName", type.singular},
                     {"namespaced", type.namespaced},
                     {"kind", type.kind},
                     {"verbs", type.verbs},
                     {"storageVersionHash", sha256_hex(type.storage + type.storage_api_version).substr(0, 12)}};
    if (!type.short_names.empty()) resource["shortNames"] = type.short_names;
    if (!type.categories.empty()) resource["categories"] = type.categories;
    return resource;
}

void append_subresources(const ResourceType& type, json& resources) {
    json sub = {
        {"singularName", ""}, {"namespaced", type.namespaced}, {"kind", type.kind}, {"verbs", kSubresourceVerbs}};
    if (type.has_status) {
        sub["name"] = type.plural + "/status";
        resources.push_back(sub);
    }
    if (type.storage == "namespaces") {
        sub["name"] = "namespaces/finalize";
        sub["verbs"] = json::array({"update"});
        resources.push_back(sub);
    }
    if (type.storage == "serviceaccounts") {
        resources.push_back({{"name", "serviceaccounts/token"},
                             {"singularName", ""},
                             {"namespaced", true},
                             {"group", "authentication.k8s.io"},
                             {"version", "v1"},
                             {"kind", "TokenRequest"},
                             {"verbs", json::array({"create"})}});
    }
    if (type.scale) {
        resources.push_back({{"name", type.plural + "/scale"},
                             {"singularName", ""},
                             {"namespaced", type.namespaced},
                             {"group", "autoscaling"},
                             {"version", "v1"},
                             {"kind", "Scale"},
                             {"verbs", kSubresourceVerbs}});
    }
}

std::optional<json> resource_list(const Registry& registry, const std::string& group, const std::string& version) {
    json resources = json::array();
    for (const TypePtr& type : registry.all()) {
        if (type->group != group || type->version != version) continue;
        resources.push_back(resource_json(*type));
        append_subresources(*type, resources);
    }
    for (const ReviewKind& review : review_kinds()) {
        if (review.group != group || review.version != version) continue;
        resources.push_back({{"name", review.plural},
                             {"singularName", ""},
                             {"namespaced", review.namespaced},
                             {"kind", review.kind},
                             {"verbs", json::array({"create"})}});
    }
    if (resources.empty()) return std::nullopt;
    return json{{"kind", "APIResourceList"},
                {"apiVersion", "v1"},
                {"groupVersion", group.empty() ? version : group + "/" + version},
                {"resources", std::move(resources)}};
}

json kind_json(const std::string& group, const std::string& version, const std::string& kind) {
    return {{"group", group}, {"version", version}, {"kind", kind}};
}

json aggregated_resource(const ResourceType& type) {
    json resource = {{"resource", type.plural},
                     {"responseKind", kind_json(type.group, type.version, type.kind)},
                     {"scope", type.namespaced ? "Namespaced" : "Cluster"},
                     {"singularResource", type.singular},
                     {"verbs", type.verbs}};
    if (!type.short_names.empty()) resource["shortNames"] = type.short_names;
    if (!type.categories.empty()) resource["categories"] = type.categories;
    json subresources = json::array();
    const auto own_kind = kind_json(type.group, type.version, type.kind);
    if (type.has_status) {
        subresources.push_back({{"subresource", "status"}, {"responseKind", own_kind}, {"verbs", kSubresourceVerbs}});
    }
    if (type.storage == "namespaces") {
        subresources.push_back(
            {{"subresource", "finalize"}, {"responseKind", own_kind}, {"verbs", json::array({"update"})}});
    }
    if (type.scale) {
        subresources.push_back({{"subresource", "scale"},
                                {"responseKind", kind_json("autoscaling", "v1", "Scale")},
                                {"verbs", kSubresourceVerbs}});
    }
    if (!subresources.empty()) resource["subresources"] = std::move(subresources);
    return resource;
}

json aggregated_version(const Registry& registry, const std::string& group, const std::string& version) {
    json resources = json::array();
    for (const TypePtr& type : registry.all()) {
        if (type->group == group && type->version == version) resources.push_back(aggregated_resource(*type));
    }
    for (const ReviewKind& review : review_kinds()) {
        if (review.group != group || review.version != version) continue;
        resources.push_back({{"resource", review.plural},
                             {"responseKind", kind_json(group, version, review.kind)},
                             {"scope", review.namespaced ? "Namespaced" : "Cluster"},
                             {"singularResource", ""},
                             {"verbs", json::array({"create"})}});
    }
    return {{"version", version}, {"freshness", "Current"}, {"resources", std::move(resources)}};
}

net::Response aggregated(const Registry& registry, bool is_core) {
    json items = json::array();
    for (const auto& [group, versions] : groups_of(registry)) {
        if (group.empty() != is_core) continue;
        json list = json::array();
        for (const std::string& version : ordered(versions)) {
            list.push_back(aggregated_version(registry, group, version));
        }
        json metadata = {{"creationTimestamp", nullptr}};
        if (!group.empty()) metadata["name"] = group;
        items.push_back({{"metadata", std::move(metadata)}, {"versions", std::move(list)}});
    }
    net::Response response = json_response(200, {{"kind", "APIGroupDiscoveryList"},
                                                 {"apiVersion", "apidiscovery.k8s.io/v2"},
                                                 {"metadata", json::object()},
                                                 {"items", std::move(items)}});
    response.headers.set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    response.headers.set("Vary", "Accept");
    return response;
}

json group_list(const Registry& registry) {
    json groups = json::array();
    for (const auto& [group, versions] : groups_of(registry)) {
        if (!group.empty()) groups.push_back(group_json(group, versions));
    }
    return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

json core_versions() {
    return {{"kind", "APIVersions"},
            {"versions", json::array({"v1"})},
            {"serverAddressByClientCIDRs", json::array({{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", ""}}})}};
}

json version_json() {
    return {{"major", "1"},        {"minor", kMinor},         {"gitVersion", kGitVersion},
            {"gitCommit", ""},     {"gitTreeState", "clean"}, {"buildDate", "1970-01-01T00:00:00Z"},
            {"goVersion", "none"}, {"compiler", "clang"},     {"platform", "linux/amd64"}};
}

Result<net::Response> answer_root(const Registry& registry, const ApiRequest& request) {
    auto form = accepted_form(request, {Form::Json, Form::AggregatedDiscovery});
    if (!form.ok()) return std::move(form).error();
    const bool is_core = request.path == "/api";
    if (*form == Form::AggregatedDiscovery) return aggregated(registry, is_core);
    return json_response(200, is_core ? core_versions() : group_list(registry));
}

Result<net::Response> answer_group(const Registry& registry, const std::string& group) {
    const auto groups = groups_of(registry);
    const auto found = groups.find(group);
    if (found == groups.end() || group.empty()) return unknown_path();
    json answer = group_json(group, found->second);
    answer["kind"] = "APIGroup";
    answer["apiVersion"] = "v1";
    return json_response(200, answer);
}

Result<net::Response> answer_list(const std::optional<json>& list) {
    if (!list) return unknown_path();
    return json_response(200, *list);
}

}  // namespace

std::optional<Result<net::Response>> answer_discovery(const Registry& registry, const ApiRequest& request) {
    const std::string& path = request.path;
    if (path == "/version") return json_response(200, version_json());
    if (path == "/api" || path == "/apis") return answer_root(registry, request);
    if (path == "/api/v1") return answer_list(resource_list(registry, "", "v1"));
    if (!path.starts_with("/apis/") || request.is_resource) return std::nullopt;
    const std::string rest = path.substr(6);
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos) return answer_group(registry, rest);
    return answer_list(resource_list(registry, rest.substr(0, slash), rest.substr(slash + 1)));
}

}  // namespace atl::apiserver
