#include "operator/schema/built_in.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "operator/schema/built_in_text.h"

namespace atl::schema {
namespace {

// clang-format off
const std::vector<BuiltInKind>& kinds() {
    static const std::vector<BuiltInKind> all = {
        {"", "v1", "Namespace", "namespaces", "namespace", {"ns"}, false, true},
        {"", "v1", "ConfigMap", "configmaps", "configmap", {"cm"}, true, false},
        {"", "v1", "Secret", "secrets", "secret", {}, true, false},
        {"", "v1", "ServiceAccount", "serviceaccounts", "serviceaccount", {"sa"}, true, false},
        {"", "v1", "Event", "events", "event", {"ev"}, true, false},
        {"events.k8s.io", "v1", "Event", "events", "event", {"ev"}, true, false},
        {"coordination.k8s.io", "v1", "Lease", "leases", "lease", {}, true, false},
        {"rbac.authorization.k8s.io", "v1", "Role", "roles", "role", {}, true, false},
        {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", "clusterrole", {}, false, false},
        {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", "rolebinding", {}, true, false},
        {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", "clusterrolebinding", {}, false, false},
        {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies",
         "validatingadmissionpolicy", {}, false, true},
        {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings",
         "validatingadmissionpolicybinding", {}, false, false},
        {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", "customresourcedefinition",
         {"crd", "crds"}, false, true},
    };
    return all;
}
// clang-format on

struct Line {
    std::size_t indent = 0;
    std::string name, type, description;
    bool required = false;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

Line read_line(std::string_view text) {
    Line line;
    line.indent = text.find_first_not_of(' ');
    text.remove_prefix(line.indent);
    auto colon = text.find(": ");
    auto gap = text.find("  ", colon);
    line.name = std::string(text.substr(0, colon));
    line.required = line.name.ends_with('!');
    if (line.required) line.name.pop_back();
    line.type = std::string(text.substr(colon + 2, gap - colon - 2));
    line.description = std::string(text.substr(gap + 2));
    return line;
}

/// "T" of "list(T)"; empty if the type is not of that form.
std::string inner_type(const std::string& type, const std::string& outer) {
    if (!type.starts_with(outer + "(")) return "";
    return type.substr(outer.size() + 1, type.size() - outer.size() - 2);
}

/// Reads the fields at one indent and below it.
class Reader {
public:
    explicit Reader(std::vector<std::string_view> lines) : lines_(std::move(lines)) {}

    Json fields(std::size_t indent) {
        Json schema = {{"type", "object"}, {"properties", Json::object()}};
        while (at_ < lines_.size()) {
            Line line = read_line(lines_[at_]);
            if (line.indent < indent) break;
            ++at_;
            Json property = type_schema(line.type, indent);
            property["description"] = line.description;
            schema["properties"][line.name] = std::move(property);
            if (line.required) schema["required"].push_back(line.name);
        }
        return schema;
    }

private:
    Json type_schema(const std::string& type, std::size_t indent) {
        if (type == "object") return fields(indent + 2);
        if (type == "~object") {
            Json schema = fields(indent + 2);
            schema["x-kubernetes-map-type"] = "atomic";
            return schema;
        }
        if (std::string value = inner_type(type, "map"); !value.empty()) {
            return {{"type", "object"}, {"additionalProperties", type_schema(value, indent)}};
        }
        if (std::string item = inner_type(type, "list"); !item.empty()) {
            return {{"type", "array"}, {"items", type_schema(item, indent)}, {"x-kubernetes-list-type", "atomic"}};
        }
        if (std::string item = inner_type(type, "set"); !item.empty()) {
            return {{"type", "array"}, {"items", type_schema(item, indent)}, {"x-kubernetes-list-type", "set"}};
        }
        if (std::string key = inner_type(type, "keyed"); !key.empty()) {
            Json schema = {{"type", "array"}, {"items", fields(indent + 2)}, {"x-kubernetes-list-type", "map"}};
            schema["x-kubernetes-list-map-keys"] = Json::array({key});
            return schema;
        }
        return scalar(type);
    }

    static Json scalar(const std::string& type) {
        auto equal = type.find('=');
        std::string word = type.substr(0, equal);
        if (word == "any") return {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
        if (word == "int32" || word == "int64") return {{"type", "integer"}, {"format", word}};
        if (word == "bytes") return {{"type", "string"}, {"format", "byte"}};
        if (word == "date-time" || word == "micro-time") return {{"type", "string"}, {"format", "date-time"}};
        Json schema = {{"type", word}};
        if (equal != std::string::npos) schema["default"] = type.substr(equal + 1);
        return schema;
    }

    std::vector<std::string_view> lines_;
    std::size_t at_ = 0;
};

struct Entry {
    Json schema;
    std::string description;
};

using Key = std::tuple<std::string, std::string, std::string>;

/// Whose list map keys have no default and are not required: the real kinds are not held to that rule.
void require_keys(Json& schema) {
    if (schema.contains("x-kubernetes-list-map-keys")) {
        Json& items = schema["items"];
        for (const Json& key : schema["x-kubernetes-list-map-keys"]) {
            bool known =
                items.contains("required") && std::ranges::find(items["required"], key) != items["required"].end();
            if (!known) items["required"].push_back(key);
        }
    }
    for (const char* part : {"items", "additionalProperties"}) {
        if (schema.contains(part)) require_keys(schema[part]);
    }
    if (!schema.contains("properties")) return;
    for (Json& property : schema["properties"]) require_keys(property);
}

Entry finish(const std::vector<std::string_view>& lines, std::string description) {
    Entry entry;
    entry.schema = Reader(lines).fields(0);
    entry.schema["description"] = description;
    Json& properties = entry.schema["properties"];
    properties["apiVersion"] = {{"type", "string"}};
    properties["kind"] = {{"type", "string"}};
    properties["metadata"] = {{"type", "object"}};
    require_keys(entry.schema);
    entry.description = std::move(description);
    return entry;
}

void read_text(std::string_view text, std::map<Key, Entry>& all) {
    std::vector<std::string_view> lines;
    Key key;
    std::string description;
    auto flush = [&] {
        if (!lines.empty()) all.emplace(key, finish(lines, description));
        lines.clear();
    };
    for (std::string_view line : lines_of(text)) {
        if (!line.starts_with("kind ")) {
            lines.push_back(line);
            continue;
        }
        flush();
        line.remove_prefix(5);
        auto slash = line.find('/'), space = line.find(' '), gap = line.find("  ");
        std::string group(line.substr(0, slash));
        key = {group == "core" ? "" : group, std::string(line.substr(slash + 1, space - slash - 1)),
               std::string(line.substr(space + 1, gap - space - 1))};
        description = std::string(line.substr(gap + 2));
    }
    flush();
}

const std::map<Key, Entry>& entries() {
    static const auto all = [] {
        std::map<Key, Entry> entries;
        for (std::string_view text : built_in_texts()) read_text(text, entries);
        return entries;
    }();
    return all;
}

CrdSchema compiled(const Json& schema, bool is_resource_root) {
    CompileOptions options;
    options.is_resource_root = is_resource_root;
    CompiledSchema outcome = CrdSchema::compile_all(schema, options);
    // A mistake in this file; every kind is compiled in a test.
    if (!outcome.ok()) throw std::logic_error("built-in schema: " + aggregate_text(outcome.errors));
    return std::move(outcome.schema.front());
}

}  // namespace

std::span<const BuiltInKind> built_in_kinds() {
    return kinds();
}

const CrdSchema* find_built_in_schema(std::string_view group, std::string_view version, std::string_view kind) {
    static const auto all = [] {
        std::map<Key, CrdSchema> schemas;
        for (const auto& [key, entry] : entries()) schemas.emplace(key, compiled(entry.schema, true));
        return schemas;
    }();
    auto found = all.find({std::string(group), std::string(version), std::string(kind)});
    return found == all.end() ? nullptr : &found->second;
}

std::vector<ServedKind> built_in_served_kinds(std::string_view group, std::string_view version) {
    std::vector<ServedKind> served;
    for (const BuiltInKind& kind : kinds()) {
        if (kind.group != group || kind.version != version) continue;
        const Entry& entry = entries().at({kind.group, kind.version, kind.kind});
        ServedKind one;
        one.group = kind.group;
        one.version = kind.version;
        one.kind = kind.kind;
        one.list_kind = kind.kind + "List";
        one.plural = kind.plural;
        one.namespaced = kind.namespaced;
        one.has_status = kind.has_status;
        one.schema = entry.schema;
        one.description = entry.description;
        served.push_back(std::move(one));
    }
    return served;
}

const Json& object_meta_definition() {
    static const Json schema = Reader(lines_of(object_meta_text())).fields(0);
    return schema;
}

const CrdSchema& object_meta_schema() {
    static const CrdSchema schema = compiled(object_meta_definition(), false);
    return schema;
}

}  // namespace atl::schema
