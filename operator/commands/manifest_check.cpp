#include "operator/commands/manifest_check.h"

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "crds/definitions.h"
#include "operator/schema/built_in.h"
#include "operator/schema/go_text.h"
#include "operator/schema/object_meta.h"

namespace atl::commands {

namespace {

using nlohmann::json;
using schema::FieldErrors;

constexpr std::string_view kGroup = "atoll.dev";
constexpr std::string_view kApiVersion = "atoll.dev/v1alpha1";

std::string text_at(const json& object, const char* key) {
    return object[key].get<std::string>();
}

bool is_ours(const json& object) {
    const std::string api_version = text_at(object, "apiVersion");
    return api_version.substr(0, api_version.find('/')) == kGroup;
}

bool is_text(const json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() && !found->get_ref<const std::string&>().empty();
}

/// Whatever kind it is, it must say which, and have a name.
Result<Unit> check_identity(const json& object) {
    for (const char* key : {"apiVersion", "kind"}) {
        if (is_text(object, key)) continue;
        const std::string given = object.contains(key) ? ", not " + object[key].dump().substr(0, 60) : "";
        return invalid("NotAnObject",
                       "not a Kubernetes object: " + std::string(key) + ": Required value: must be a text" + given);
    }
    const std::string kind = text_at(object, "kind");
    const auto metadata = object.find("metadata");
    if (metadata == object.end() || metadata->is_null())
        return invalid("NotAnObject", kind + ": metadata.name: Required value");
    if (!metadata->is_object())
        return invalid("NotAnObject", kind + ": metadata: must be a map, not " + metadata->dump().substr(0, 60));
    if (is_text(*metadata, "name")) return ok();
    const bool is_wrong = metadata->contains("name") && !(*metadata)["name"].is_null();
    const std::string given = is_wrong ? ": must be a text, not " + (*metadata)["name"].dump().substr(0, 60) : "";
    return invalid("NotAnObject", kind + ": metadata.name: Required value" + given);
}

/// A Secret's errors without what it holds.
FieldErrors without_values(FieldErrors errors) {
    for (schema::FieldError& error : errors) {
        if (!error.field.starts_with("data") && !error.field.starts_with("stringData")) continue;
        error.bad_value.reset();
        error.detail = error.field.starts_with("data") ? "must be a text in base64; plain text goes into stringData"
                                                       : "must be a text";
    }
    return errors;
}

void append(FieldErrors& all, FieldErrors more) {
    for (schema::FieldError& error : more) {
        if (error.detail.find("some validation rules were not checked") == std::string::npos)
            all.push_back(std::move(error));
    }
}

/// Unknown fields and what the schema says, all of it: who mends a file wants to know everything.
FieldErrors schema_errors(const schema::CrdSchema& known, json& object) {
    FieldErrors errors;
    for (const std::string& path : known.prune(object))
        errors.push_back(
            {schema::FieldErrorType::Invalid, path, std::nullopt, "unknown field " + schema::go_quote(path)});
    known.apply_defaults(object);
    append(errors, known.validate(object));
    return errors;
}

Result<Unit> result_of(const json& object, const FieldErrors& errors) {
    if (errors.empty()) return ok();
    return invalid("InvalidSpec", name_of(object) + ": " + schema::aggregate_text(errors));
}

}  // namespace

std::string name_of(const json& object) {
    return text_at(object, "kind") + " " + schema::go_quote(text_at(object["metadata"], "name"));
}

ManifestCheck::ManifestCheck() {
    for (const json& definition : crds::definitions()) {
        const json& spec = definition["spec"];
        auto compiled = schema::CrdSchema::compile(spec["versions"][0]["schema"]["openAPIV3Schema"]);
        if (compiled.ok()) schemas_.emplace(spec["names"]["kind"].get<std::string>(), std::move(*compiled));
    }
}

bool ManifestCheck::is_read(const json& object) {
    const std::string kind = text_at(object, "kind");
    return is_ours(object) || (text_at(object, "apiVersion") == "v1" && (kind == "ConfigMap" || kind == "Secret"));
}

Result<Unit> ManifestCheck::complete(json& object) const {
    auto identified = check_identity(object);
    if (!identified.ok() || !is_read(object)) return identified;
    json& metadata = object["metadata"];
    if (!metadata.contains("namespace") || metadata["namespace"].is_null()) metadata["namespace"] = "default";
    FieldErrors errors;
    append(errors, schema::validate_object_meta(metadata, {}));
    if (!is_ours(object)) {
        const auto* known = schema::find_built_in_schema("", "v1", text_at(object, "kind"));
        FieldErrors found = schema_errors(*known, object);
        append(errors, text_at(object, "kind") == "Secret" ? without_values(std::move(found)) : std::move(found));
        return result_of(object, errors);
    }
    if (text_at(object, "apiVersion") != kApiVersion)
        errors.push_back(schema::not_supported("apiVersion", object["apiVersion"], {std::string(kApiVersion)}));
    std::vector<std::string> kinds;
    for (const auto& [kind, known] : schemas_) kinds.push_back(kind);
    const auto found = schemas_.find(text_at(object, "kind"));
    if (found == schemas_.end()) errors.push_back(schema::not_supported("kind", object["kind"], kinds));
    if (errors.empty()) errors = schema_errors(found->second, object);
    return result_of(object, errors);
}

}  // namespace atl::commands
