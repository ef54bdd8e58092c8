#include "operator/apiserver/custom_resources.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"
#include "operator/base/time.h"
#include "operator/schema/go_text.h"
#include "operator/schema/table.h"

namespace atl::apiserver {

using nlohmann::json;
using schema::FieldErrors;

namespace {

const std::vector<std::string> kVerbs = {"delete", "deletecollection", "get",    "list",
                                         "patch",  "create",           "update", "watch"};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// A name that another definition of the group has already.
struct TakenName {
    std::string name;  ///< empty: none
    std::string reason;
};

TakenName taken_name(const json& definition, const Registry& registry) {
    const json& names = child(child(definition, "spec"), "names");
    const std::string group = text_of(child(definition, "spec"), "group");
    const std::string own = text_of(child(definition, "metadata"), "name");
    for (const TypePtr& type : registry.all()) {
        if (type->group != group || type->crd == own) continue;
        if (text_of(names, "kind") == type->kind) return {type->kind, "KindConflict"};
        if (text_of(names, "listKind") == type->list_kind) return {type->list_kind, "ListKindConflict"};
        if (text_of(names, "singular") == type->singular) return {type->singular, "SingularConflict"};
        for (const std::string& name : texts_of(names, "shortNames")) {
            const auto& used = type->short_names;
            if (std::find(used.begin(), used.end(), name) != used.end()) return {name, "ShortNamesConflict"};
        }
    }
    return {};
}

json condition(const char* type, bool holds, const char* reason, const std::string& message) {
    return {{"type", type}, {"status", holds ? "True" : "False"}, {"reason", reason}, {"message", message}};
}

/// Keeps the transition time of a condition whose status is what it was.
void set_condition(json& conditions, json wanted, WallTime now) {
    wanted["lastTransitionTime"] = format_rfc3339(now);
    for (json& existing : conditions) {
        if (child(existing, "type") != wanted["type"]) continue;
        if (child(existing, "status") == wanted["status"] && existing.contains("lastTransitionTime")) {
            wanted["lastTransitionTime"] = existing["lastTransitionTime"];
        }
        existing = wanted;
        return;
    }
    conditions.push_back(wanted);
}

json stored_versions(const json& definition, const json& status) {
    json versions = list_of(status, "storedVersions");
    for (const json& version : list_of(child(definition, "spec"), "versions")) {
        const json name = text_of(version, "name");
        if (!is_true(version, "storage")) continue;
        if (std::find(versions.begin(), versions.end(), name) == versions.end()) versions.push_back(name);
    }
    return versions;
}

ScalePaths scale_paths(const json& scale) {
    return {text_of(scale, "specReplicasPath"), text_of(scale, "statusReplicasPath"),
            text_of(scale, "labelSelectorPath")};
}

void add_columns(const json& version, Behaviour& behaviour) {
    auto compiled = schema::TableColumns::compile(child(version, "additionalPrinterColumns"));
    if (!compiled.ok()) return;
    auto columns = std::make_shared<const schema::TableColumns>(std::move(*compiled));
    behaviour.columns = [columns] { return columns->definitions(); };
    behaviour.cells = [columns](const json& object, WallTime now) { return columns->cells(object, now); };
    for (const json& field : list_of(version, "selectableFields")) {
        const std::string path = text_of(field, "jsonPath");
        if (path.size() > 1) behaviour.selectable.push_back(path.substr(1));
    }
}

bool are_schemas_equal(const json& versions) {
    return std::all_of(versions.begin(), versions.end(), [&](const json& version) {
        return child(version, "schema") == child(versions.front(), "schema");
    });
}

/// A DNS-1035 label: what stands in paths.
bool is_label(const std::string& text) {
    return !text.empty() && text.size() <= 63 && text[0] >= 'a' && text[0] <= 'z' && text.back() != '-' &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

enum class Case { Lower, Mixed };

/// An empty text is another error's.
void check_label(const std::string& path, const std::string& text, Case letters, FieldErrors& errors) {
    if (text.empty() || is_label(letters == Case::Lower ? text : lower(text))) return;
    const std::string rule =
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation "
        "is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    const std::string but = letters == Case::Mixed ? "may have mixed case, but should otherwise match: " : "";
    errors.push_back(schema::invalid(path, text, but + rule));
}

void validate_names(const json& names, FieldErrors& errors) {
    const std::string path = "spec.names.";
    for (const char* name : {"plural", "singular"}) check_label(path + name, text_of(names, name), Case::Lower, errors);
    for (const char* name : {"kind", "listKind"}) check_label(path + name, text_of(names, name), Case::Mixed, errors);
    for (const char* name : {"shortNames", "categories"}) {
        const auto texts = texts_of(names, name);
        for (std::size_t i = 0; i < texts.size(); ++i) {
            check_label(path + name + "[" + std::to_string(i) + "]", texts[i], Case::Lower, errors);
        }
    }
}

void validate_versions(const json& versions, FieldErrors& errors) {
    std::size_t storages = 0;
    std::set<std::string> names;
    // As in Kubernetes: a schema that all versions share has this path.
    const bool are_equal = !versions.empty() && are_schemas_equal(versions);
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const std::string path = "spec.versions[" + std::to_string(i) + "]";
        storages += is_true(versions[i], "storage") ? 1 : 0;
        const std::string name = text_of(versions[i], "name");
        check_label(path + ".name", name, Case::Lower, errors);
        if (!names.insert(name).second) errors.push_back(schema::duplicate(path + ".name", name));
        const json& open_api = child(child(versions[i], "schema"), "openAPIV3Schema");
        if (!open_api.is_object()) {
            errors.push_back(schema::required(path + ".schema.openAPIV3Schema", "schemas are required"));
        } else if (!are_equal || i == 0) {
            schema::CompileOptions options;
            if (!are_equal) options.path = path + ".schema.openAPIV3Schema";
            const auto compiled = schema::CrdSchema::compile_all(open_api, options);
            errors.insert(errors.end(), compiled.errors.begin(), compiled.errors.end());
        }
        const json& columns = child(versions[i], "additionalPrinterColumns");
        const auto table = schema::TableColumns::compile(columns);
        if (!table.ok()) {
            errors.push_back(schema::invalid(path + ".additionalPrinterColumns", columns, table.error().message()));
        }
    }
    if (storages != 1) {
        errors.push_back(
            schema::invalid("spec.versions", versions, "must have exactly one version marked as storage version"));
    }
}

}  // namespace

void prepare_definition(json& definition, const json* old, WallTime now, const Registry& registry) {
    json& spec = definition["spec"];
    json& names = spec["names"];
    if (text_of(names, "singular").empty()) names["singular"] = lower(text_of(names, "kind"));
    if (text_of(names, "listKind").empty()) names["listKind"] = text_of(names, "kind") + "List";
    if (!spec.contains("conversion")) spec["conversion"] = {{"strategy", "None"}};
    json status = old == nullptr ? json::object() : child(*old, "status");
    if (!status.is_object()) status = json::object();
    json conditions = list_of(status, "conditions");
    const TakenName taken = taken_name(definition, registry);
    if (taken.name.empty()) {
        set_condition(conditions, condition("NamesAccepted", true, "NoConflicts", "no conflicts found"), now);
        set_condition(conditions,
                      condition("Established", true, "InitialNamesAccepted", "the initial names have been accepted"),
                      now);
        status["acceptedNames"] = names;
    } else {
        const std::string message = schema::go_quote(taken.name) + " is already in use";
        set_condition(conditions, condition("NamesAccepted", false, taken.reason.c_str(), message), now);
        set_condition(conditions, condition("Established", false, "NotAccepted", "not all names are accepted"), now);
        status["acceptedNames"] = {{"plural", ""}, {"kind", ""}};
    }
    if (definition["metadata"].contains("deletionTimestamp")) {
        set_condition(
            conditions,
            condition("Terminating", true, "InstanceDeletionInProgress", "CustomResource deletion is in progress"),
            now);
    }
    status["conditions"] = conditions;
    status["storedVersions"] = stored_versions(definition, status);
    definition["status"] = status;
    // From the first moment, so that no deletion can come between.
    json& finalizers = definition["metadata"]["finalizers"];
    if (!finalizers.is_array()) finalizers = json::array();
    if (old == nullptr) finalizers.push_back(kCleanupFinalizer);
    if (finalizers.empty()) definition["metadata"].erase("finalizers");
}

FieldErrors validate_definition(const json& definition, const json* old) {
    FieldErrors errors;
    const json& spec = child(definition, "spec");
    const std::string name = text_of(child(definition, "metadata"), "name");
    const std::string plural = text_of(child(spec, "names"), "plural");
    if (name != plural + "." + text_of(spec, "group")) {
        errors.push_back(schema::invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group"));
    }
    if (text_of(spec, "group").empty()) errors.push_back(schema::required("spec.group", ""));
    for (const char* field : {"plural", "kind"}) {
        if (text_of(child(spec, "names"), field).empty()) {
            errors.push_back(schema::required(std::string("spec.names.") + field, ""));
        }
    }
    validate_names(child(spec, "names"), errors);
    const std::string scope = text_of(spec, "scope");
    if (scope != "Namespaced" && scope != "Cluster") {
        errors.push_back(schema::not_supported("spec.scope", scope, {"Cluster", "Namespaced"}));
    }
    if (old != nullptr && scope != text_of(child(*old, "spec"), "scope")) {
        errors.push_back(schema::invalid("spec.scope", scope, "field is immutable"));
    }
    const std::string strategy = text_of(child(spec, "conversion"), "strategy");
    if (!strategy.empty() && strategy != "None") {
        errors.push_back(schema::not_supported("spec.conversion.strategy", strategy, {"None"}));
    }
    validate_versions(list_of(spec, "versions"), errors);
    return errors;
}

std::vector<ResourceType> types_of_definition(const json& definition) {
    std::vector<ResourceType> types;
    const json& spec = child(definition, "spec");
    const json& names = child(child(definition, "status"), "acceptedNames");
    const std::string digits = text_of(child(definition, "metadata"), "resourceVersion");
    const Revision revision = digits.empty() ? 0 : std::strtoll(digits.c_str(), nullptr, 10);
    if (text_of(names, "plural").empty()) return types;
    std::string storage_version;
    for (const json& version : list_of(spec, "versions")) {
        if (is_true(version, "storage")) storage_version = text_of(version, "name");
    }
    for (const json& version : list_of(spec, "versions")) {
        if (!is_true(version, "served")) continue;
        const json& open_api = child(child(version, "schema"), "openAPIV3Schema");
        auto compiled = schema::CrdSchema::compile_all(open_api, {});
        if (!compiled.ok()) continue;
        ResourceType type;
        type.crd = text_of(child(definition, "metadata"), "name");
        type.group = text_of(spec, "group");
        type.version = text_of(version, "name");
        type.plural = text_of(names, "plural");
        type.singular = text_of(names, "singular");
        type.kind = text_of(names, "kind");
        type.list_kind = text_of(names, "listKind");
        type.namespaced = text_of(spec, "scope") == "Namespaced";
        type.short_names = texts_of(names, "shortNames");
        type.categories = texts_of(names, "categories");
        type.verbs = kVerbs;
        const json& subresources = child(version, "subresources");
        type.has_status = subresources.contains("status");
        if (subresources.contains("scale")) type.scale = scale_paths(subresources["scale"]);
        type.storage = type.crd;
        type.storage_api_version = api_version_of(type.group, storage_version);
        type.schema = compiled.schema.front();
        type.open_api = std::make_shared<const json>(open_api);
        if (is_true(version, "deprecated")) {
            const std::string warning = text_of(version, "deprecationWarning");
            type.deprecation = warning.empty() ? type.api_version() + " " + type.kind + " is deprecated" : warning;
        }
        type.defined_at = revision;
        type.terminating = child(definition, "metadata").contains("deletionTimestamp");
        type.behaviour.has_generation = true;
        type.behaviour.allows_unconditional_update = false;
        type.behaviour.allows_strategic_patch = false;
        add_columns(version, type.behaviour);
        types.push_back(std::move(type));
    }
    return types;
}

}  // namespace atl::apiserver
