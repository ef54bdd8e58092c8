#include <array>
#include <cctype>

#include "operator/schema/openapi_meta.h"

namespace atl::schema {
namespace {

using Json = nlohmann::json;

Json parameter(const char* name, const char* type, const char* description) {
    return {{"name", name},
            {"in", "query"},
            {"description", description},
            {"schema", {{"type", type}, {"uniqueItems", true}}}};
}

Json path_parameter(const char* name, const std::string& description) {
    return {{"name", name},
            {"in", "path"},
            {"required", true},
            {"description", description},
            {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

Json write_parameters(bool is_patch) {
    Json all = Json::array({parameter("dryRun", "string", "All: everything is checked, nothing is stored."),
                            parameter("fieldManager", "string", "Who makes the changes."),
                            parameter("fieldValidation", "string",
                                      "Ignore, Warn or Strict: what becomes of unknown and duplicate fields.")});
    if (is_patch) all.push_back(parameter("force", "boolean", "Apply only: take fields from other managers."));
    return all;
}

Json list_parameters() {
    return Json::array({parameter("allowWatchBookmarks", "boolean", "Send BOOKMARK events on a watch."),
                        parameter("continue", "string", "The token of the next page."),
                        parameter("fieldSelector", "string", "Restricts the list by fields."),
                        parameter("labelSelector", "string", "Restricts the list by labels."),
                        parameter("limit", "integer", "The most items of a page."),
                        parameter("resourceVersion", "string", "How new the answer must be."),
                        parameter("resourceVersionMatch", "string", "How resourceVersion is meant."),
                        parameter("sendInitialEvents", "boolean", "Start a watch with the present objects."),
                        parameter("timeoutSeconds", "integer", "When a list or watch ends."),
                        parameter("watch", "boolean", "Watch for changes.")});
}

Json delete_parameters() {
    return Json::array({parameter("dryRun", "string", "All: everything is checked, nothing is stored."),
                        parameter("gracePeriodSeconds", "integer", "Seconds before the object goes."),
                        parameter("orphanDependents", "boolean", "Older form of propagationPolicy."),
                        parameter("propagationPolicy", "string", "Orphan, Background or Foreground.")});
}

Json content(const std::string& type) {
    Json body = {{"schema", schema_reference(type)}};
    return {{"application/json", body}, {"application/yaml", body}};
}

Json patch_content() {
    Json all;
    for (const char* type :
         {"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"}) {
        all[type] = {{"schema", schema_reference(meta_name("Patch"))}};
    }
    return all;
}

/// "AtollDevV1alpha1": the group version in operation ids.
std::string title(const ServedKind& kind) {
    std::string out;
    bool upper = true;
    for (char c : (kind.group.empty() ? "core" : kind.group) + "." + kind.version) {
        if (c == '.' || c == '-') {
            upper = true;
        } else {
            out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
            upper = false;
        }
    }
    return out;
}

struct Verb {
    const char* method;  ///< of HTTP
    const char* action;  ///< x-kubernetes-action
    const char* word;    ///< in the operation's id
};

constexpr Verb kList = {"get", "list", "list"};
constexpr Verb kCreate = {"post", "post", "create"};
constexpr Verb kDeleteAll = {"delete", "deletecollection", "deleteCollection"};
constexpr Verb kGet = {"get", "get", "read"};
constexpr Verb kReplace = {"put", "put", "replace"};
constexpr Verb kDelete = {"delete", "delete", "delete"};
constexpr Verb kPatch = {"patch", "patch", "patch"};

/// Where an operation is: what it is on, and what kind of object it carries.
struct Place {
    std::string suffix;  ///< of the operation's id
    std::string type;    ///< the schema of its object
    Json gvk;
};

Json operation(const ServedKind& kind, const Verb& verb, const Place& place) {
    std::string action = verb.action;
    bool writes = action == "post" || action == "put" || action == "patch";
    Json op = {{"operationId", verb.word + title(kind) + (kind.namespaced ? "Namespaced" : "") + place.suffix},
               {"description", std::string(verb.word) + " " + kind.kind},
               {"x-kubernetes-action", action},
               {"x-kubernetes-group-version-kind", place.gvk},
               {"responses",
                {{"200", {{"description", "OK"}, {"content", content(place.type)}}},
                 {"401", {{"description", "Unauthorized"}}}}}};
    if (action == "list" || action == "deletecollection") op["parameters"] = list_parameters();
    if (action == "delete") op["parameters"] = delete_parameters();
    if (action == "delete") op["requestBody"] = {{"content", content(meta_name("DeleteOptions"))}};
    if (writes) op["parameters"] = write_parameters(action == "patch");
    if (action == "post" || action == "put") op["requestBody"] = {{"content", content(place.type)}, {"required", true}};
    if (action == "patch") op["requestBody"] = {{"content", patch_content()}, {"required", true}};
    return op;
}

Json gvk_of(const std::string& group, const std::string& version, const std::string& kind) {
    return {{"group", group}, {"version", version}, {"kind", kind}};
}

void add(Json& path, const ServedKind& kind, const Verb& verb, const Place& place) {
    path[verb.method] = operation(kind, verb, place);
}

void add_subresource(const ServedKind& kind, Json& path, const Place& place) {
    for (const Verb& verb : {kGet, kReplace, kPatch}) add(path, kind, verb, place);
}

}  // namespace

void add_paths(const ServedKind& kind, Json& paths) {
    std::string root = kind.group.empty() ? "/api/" + kind.version : "/apis/" + kind.group + "/" + kind.version;
    std::string all = root + (kind.namespaced ? "/namespaces/{namespace}/" : "/") + kind.plural;
    std::string one = all + "/{name}";
    Json gvk = gvk_of(kind.group, kind.version, kind.kind);
    Place object{kind.kind, schema_name(kind, kind.kind), gvk};
    Place list{kind.kind, schema_name(kind, kind.list_kind), gvk};

    add(paths[all], kind, kList, list);
    add(paths[all], kind, kCreate, object);
    add(paths[all], kind, kDeleteAll, {kind.kind, meta_name("Status"), gvk});
    for (const Verb& verb : {kGet, kReplace, kPatch}) add(paths[one], kind, verb, object);
    add(paths[one], kind, kDelete, {kind.kind, meta_name("Status"), gvk});
    if (kind.has_status) add_subresource(kind, paths[one + "/status"], {kind.kind + "Status", object.type, gvk});
    if (kind.has_scale) {
        add_subresource(kind, paths[one + "/scale"],
                        {kind.kind + "Scale", "io.k8s.api.autoscaling.v1.Scale", gvk_of("autoscaling", "v1", "Scale")});
    }
    Json parameters = Json::array();
    if (kind.namespaced) {
        parameters.push_back(path_parameter("namespace", "object name and auth scope, such as for teams and projects"));
        add(paths[root + "/" + kind.plural], kind, kList, {kind.kind + "ForAllNamespaces", list.type, gvk});
        paths[all]["parameters"] = parameters;
    }
    parameters.push_back(path_parameter("name", "name of the " + kind.kind));
    for (const std::string& path : {one, one + "/status", one + "/scale"}) {
        if (paths.contains(path)) paths[path]["parameters"] = parameters;
    }
}

}  // namespace atl::schema
