#include <map>

#include <nlohmann/json.hpp>

#include "operator/apiserver/built_in_types.h"
#include "operator/base/time.h"
#include "operator/schema/table.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr const char* kNameHelp =
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client to request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
constexpr const char* kAgeHelp =
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed "
    "to be set in happens-before order across separate operations. Clients may not set this value. It is represented "
    "in RFC3339 form and is in UTC.";

json column(const char* name, const char* type, const char* description) {
    const bool is_name = std::string_view(name) == "Name";
    return {{"name", name},
            {"type", type},
            {"format", is_name ? "name" : ""},
            {"description", description},
            {"priority", 0}};
}

json with_name_and_age(std::initializer_list<json> between) {
    json columns = json::array({column("Name", "string", kNameHelp)});
    for (const json& one : between) columns.push_back(one);
    columns.push_back(column("Age", "string", kAgeHelp));
    return columns;
}

std::string text_at(const json& object, const json::json_pointer& path) {
    return object.contains(path) && object[path].is_string() ? object[path].get<std::string>() : "";
}

std::string age_of(const std::string& timestamp, WallTime now) {
    const auto time = parse_rfc3339(timestamp);
    if (!time) return "<unknown>";
    return schema::human_duration(std::chrono::duration_cast<Duration>(now - *time));
}

std::string name_of(const json& object) {
    return text_at(object, "/metadata/name"_json_pointer);
}

std::string age(const json& object, WallTime now) {
    return age_of(text_at(object, "/metadata/creationTimestamp"_json_pointer), now);
}

std::size_t size_at(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_structured() ? found->size() : 0;
}

json plain_columns() {
    return with_name_and_age({});
}
json plain_cells(const json& object, WallTime now) {
    return json::array({name_of(object), age(object, now)});
}

json config_map_columns() {
    return with_name_and_age({column("Data", "string", "Number of entries.")});
}
json config_map_cells(const json& object, WallTime now) {
    return json::array({name_of(object), size_at(object, "data") + size_at(object, "binaryData"), age(object, now)});
}

json secret_columns() {
    return with_name_and_age({column("Type", "string", "Used to facilitate programmatic handling of secret data."),
                              column("Data", "string", "Number of entries.")});
}
json secret_cells(const json& object, WallTime now) {
    return json::array(
        {name_of(object), text_at(object, "/type"_json_pointer), size_at(object, "data"), age(object, now)});
}

json namespace_columns() {
    return with_name_and_age({column("Status", "string", "The status of the namespace")});
}
json namespace_cells(const json& object, WallTime now) {
    return json::array({name_of(object), text_at(object, "/status/phase"_json_pointer), age(object, now)});
}

json service_account_columns() {
    return with_name_and_age({column("Secrets", "string", "Secrets that pods using this ServiceAccount may use.")});
}
json service_account_cells(const json& object, WallTime now) {
    return json::array({name_of(object), size_at(object, "secrets"), age(object, now)});
}

json lease_columns() {
    return with_name_and_age({column("Holder", "string", "holderIdentity contains the identity of the holder.")});
}
json lease_cells(const json& object, WallTime now) {
    return json::array({name_of(object), text_at(object, "/spec/holderIdentity"_json_pointer), age(object, now)});
}

json created_columns() {
    return json::array({column("Name", "string", kNameHelp), column("Created At", "date", kAgeHelp)});
}
json created_cells(const json& object, WallTime) {
    return json::array({name_of(object), text_at(object, "/metadata/creationTimestamp"_json_pointer)});
}

json binding_columns() {
    return with_name_and_age({column("Role", "string", "The role that is granted.")});
}
json binding_cells(const json& object, WallTime now) {
    const std::string role =
        text_at(object, "/roleRef/kind"_json_pointer) + "/" + text_at(object, "/roleRef/name"_json_pointer);
    return json::array({name_of(object), role, age(object, now)});
}

json event_columns() {
    return json::array({column("Last Seen", "string", "When this Event was last seen."),
                        column("Type", "string", "Normal or Warning."), column("Reason", "string", "Why, in a word."),
                        column("Object", "string", "The object that this Event is about."),
                        column("Message", "string", "What happened.")});
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

json event_cells(const json& object, WallTime now) {
    json event = object;
    convert_event(event, "v1");
    std::string seen = text_at(event, "/series/lastObservedTime"_json_pointer);
    for (const auto& path : {"/lastTimestamp"_json_pointer, "/firstTimestamp"_json_pointer, "/eventTime"_json_pointer,
                             "/metadata/creationTimestamp"_json_pointer}) {
        if (seen.empty()) seen = text_at(event, path);
    }
    const std::string about = lower(text_at(event, "/involvedObject/kind"_json_pointer)) + "/" +
                              text_at(event, "/involvedObject/name"_json_pointer);
    return json::array({age_of(seen, now), text_at(event, "/type"_json_pointer), text_at(event, "/reason"_json_pointer),
                        about, text_at(event, "/message"_json_pointer)});
}

struct Table {
    json (*columns)();
    json (*cells)(const json& object, WallTime now);
};

const std::map<std::string, Table>& tables() {
    static const std::map<std::string, Table> rows = {
        {"/ConfigMap", {config_map_columns, config_map_cells}},
        {"/Event", {event_columns, event_cells}},
        {"/Namespace", {namespace_columns, namespace_cells}},
        {"/Secret", {secret_columns, secret_cells}},
        {"/ServiceAccount", {service_account_columns, service_account_cells}},
        {"apiextensions.k8s.io/CustomResourceDefinition", {created_columns, created_cells}},
        {"coordination.k8s.io/Lease", {lease_columns, lease_cells}},
        {"events.k8s.io/Event", {event_columns, event_cells}},
        {"rbac.authorization.k8s.io/ClusterRole", {created_columns, created_cells}},
        {"rbac.authorization.k8s.io/ClusterRoleBinding", {binding_columns, binding_cells}},
        {"rbac.authorization.k8s.io/Role", {created_columns, created_cells}},
        {"rbac.authorization.k8s.io/RoleBinding", {binding_columns, binding_cells}},
    };
    return rows;
}

}  // namespace

void add_table(const std::string& kind, Behaviour& behaviour) {
    const auto found = tables().find(kind);
    const Table table = found == tables().end() ? Table{plain_columns, plain_cells} : found->second;
    behaviour.columns = table.columns;
    behaviour.cells = table.cells;
}

}  // namespace atl::apiserver
