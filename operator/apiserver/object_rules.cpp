#include "operator/apiserver/object_rules.h"

#include <charconv>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/metadata_types.h"
#include "operator/base/time.h"
#include "operator/schema/go_text.h"
#include "operator/schema/object_meta.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr const char* kServerOwned[] = {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
                                        "generation"};

std::string group_of(const std::string& api_version) {
    const std::size_t slash = api_version.find('/');
    return slash == std::string::npos ? "" : api_version.substr(0, slash);
}

/// The object without metadata and status.
json content_of(const json& object) {
    json content = object;
    content.erase("metadata");
    content.erase("status");
    return content;
}

void keep(const json& old, json& object, const char* field) {
    if (old.contains(field)) {
        object[field] = old[field];
    } else {
        object.erase(field);
    }
}

std::string go_type_of(const std::optional<json>& value) {
    if (!value || !value->is_string()) return "value";
    const auto& name = value->get_ref<const std::string&>();
    if (name == "integer" || name == "number" || name == "int64" || name == "double") return "number";
    return name == "boolean" ? "bool" : name;
}

Error cannot_be_handled(const ResourceType& type, const std::string& why) {
    return bad_request(type.kind + " in version " + schema::go_quote(type.version) + " cannot be handled as a " +
                       type.kind + ": " + why);
}

/// The answer of a decoder: 400.
Error undecodable(const ResourceType& type, const schema::FieldError& error) {
    const std::size_t wanted = error.detail.find("must be of type ");
    std::string go_type = wanted == std::string::npos ? "" : error.detail.substr(wanted + 16);
    go_type = go_type.substr(0, go_type.find(':'));
    const std::string found = go_type_of(error.bad_value);
    if (go_type == "byte") return cannot_be_handled(type, "illegal base64 data in " + error.field);
    if (go_type == "date-time" && found != "number" && found != "bool") {
        return cannot_be_handled(type, error.field + ": " + schema::go_quote(found) +
                                           " is no time as of RFC 3339, such as \"2006-01-02T15:04:05Z\"");
    }
    if (go_type == "date-time") go_type = "string";
    if (go_type == "boolean") go_type = "bool";
    std::string field = error.field;
    // The field of a Go struct is the map, not its key.
    for (const char* map : {"data.", "binaryData.", "stringData."}) {
        if (field.starts_with(map)) field = field.substr(0, field.find('.'));
    }
    return cannot_be_handled(type, "json: cannot unmarshal " + found + " into Go struct field " + type.kind + "." +
                                       field + " of type " + go_type);
}

/// As in Kubernetes: typed clients may leave apiVersion and kind out.
Result<Unit> complete_kind(const ResourceType& type, json& object) {
    if (!object.is_object()) return bad_request("the body is no object");
    for (const auto& [field, own] : {std::pair("apiVersion", type.api_version()), std::pair("kind", type.kind)}) {
        const json& value = child(object, field);
        if (!value.is_null() && !value.is_string())
            return bad_request(std::string(field) + " must be a string, got " + value.type_name());
        if (!type.is_custom() && text_of(object, field).empty()) object[field] = own;
    }
    return ok();
}

Result<Unit> check_kind(const WriteRequest& write, json& object) {
    const ResourceType& type = *write.type;
    if (auto completed = complete_kind(type, object); !completed.ok()) return completed;
    const std::string api_version = text_of(object, "apiVersion");
    const std::string kind = text_of(object, "kind");
    if (kind.empty()) return bad_request("Object 'Kind' is missing in the body");
    if (api_version.empty()) return bad_request("Object 'apiVersion' is missing in the body");
    if (api_version != type.api_version() || kind != type.kind) {
        const std::string other = group_of(api_version) == type.group ? "" : " of another group";
        return bad_request("the API version and kind in the data (" + api_version + ", Kind=" + kind +
                           ") do not match the expected " + type.api_version() + ", Kind=" + type.kind + other);
    }
    return ok();
}

}  // namespace

Result<Unit> identify(const WriteRequest& write, json& object) {
    auto checked = check_kind(write, object);
    if (!checked.ok()) return checked;
    json& metadata = object["metadata"];
    if (metadata.is_null()) metadata = json::object();
    if (!metadata.is_object()) {
        return bad_request("metadata must be an object, got " + std::string(metadata.type_name()));
    }
    auto typed = check_metadata_types(*write.type, metadata);
    if (!typed.ok()) return typed;
    const ApiRequest& request = write.request;
    const std::string name = text_of(metadata, "name");
    if (!request.name.empty() && name.empty() && !metadata.contains("name")) {
        metadata["name"] = request.name;
    } else if (!request.name.empty() && name != request.name) {
        return bad_request("the name of the object (" + name + ") does not match the name on the URL (" + request.name +
                           ")");
    }
    const std::string ns = text_of(metadata, "namespace");
    if (!write.type->namespaced) {
        if (ns.empty()) metadata.erase("namespace");
        return ok();
    }
    if (!ns.empty() && ns != request.ns) {
        return bad_request("the namespace of the provided object does not match the namespace sent on the request");
    }
    metadata["namespace"] = request.ns;
    return ok();
}

void set_new_metadata(const ResourceType& type, json& object, const std::string& uid, WallTime now) {
    json& metadata = object["metadata"];
    for (const char* field : kServerOwned) metadata.erase(field);
    metadata.erase("selfLink");
    metadata.erase("resourceVersion");
    metadata["uid"] = uid;
    metadata["creationTimestamp"] = format_rfc3339(now);
    if (type.behaviour.has_generation) metadata["generation"] = 1;
}

void keep_other_parts(const WriteRequest& write, const json& old, json& object) {
    const json& old_metadata = old["metadata"];
    if (write.part == Part::Main) {
        if (write.type->has_status) keep(old, object, "status");
        if (write.type->storage == "namespaces") keep(old, object, "spec");
    } else {
        json kept = old;
        keep(object, kept, write.part == Part::Status ? "status" : "spec");
        keep(object["metadata"], kept["metadata"], "managedFields");
        object = std::move(kept);
    }
    json& metadata = object["metadata"];
    for (const char* field : kServerOwned) keep(old_metadata, metadata, field);
    metadata.erase("selfLink");
    if (!metadata.contains("uid") || metadata["uid"] == "") keep(old_metadata, metadata, "uid");
    metadata["resourceVersion"] = old_metadata["resourceVersion"];
}

void drop_empty_metadata(json& object) {
    json& metadata = object["metadata"];
    for (const char* field : {"labels", "annotations", "finalizers", "ownerReferences", "managedFields"}) {
        const auto found = metadata.find(field);
        if (found == metadata.end() || found->is_null()) {
            metadata.erase(field);
        } else if (found->is_structured() && found->empty()) {
            metadata.erase(field);
        }
    }
}

void count_generation(const ResourceType& type, const json& old, json& object) {
    if (!type.behaviour.has_generation) return;
    const json& before = child(child(old, "metadata"), "generation");
    const std::int64_t generation = before.is_number_integer() ? before.get<std::int64_t>() : 0;
    bool changed = content_of(old) != content_of(object);
    // Without the subresource a status is a field like any other.
    if (!type.has_status && child(old, "status") != child(object, "status")) changed = true;
    object["metadata"]["generation"] = generation + (changed ? 1 : 0);
}

Result<Unit> validate_shape(const WriteRequest& write, const json& object, const json* old) {
    const ResourceType& type = *write.type;
    const json& metadata = child(object, "metadata");
    auto errors = schema::validate_object_meta(metadata, {type.namespaced, type.behaviour.name_rule});
    if (old != nullptr) {
        const auto changed = schema::validate_object_meta_update(metadata, child(*old, "metadata"));
        errors.insert(errors.end(), changed.begin(), changed.end());
    }
    const auto values = type.schema.validate(object, old);
    if (!type.is_custom()) {
        // Where Kubernetes decodes into Go types, a wrong type never gets as far as validation.
        for (const schema::FieldError& error : values) {
            if (error.type == schema::FieldErrorType::TypeInvalid) return undecodable(type, error);
        }
    }
    errors.insert(errors.end(), values.begin(), values.end());
    if (errors.empty()) return ok();
    return invalid_object(type.kind_subject(text_of(metadata, "name")), errors);
}

Result<Unit> validate(const WriteRequest& write, const json& object, const json* old) {
    auto shaped = validate_shape(write, object, old);
    if (!shaped.ok() || !write.type->behaviour.validate) return shaped;
    const auto errors = write.type->behaviour.validate(object, old);
    if (errors.empty()) return ok();
    return invalid_object(write.type->kind_subject(text_of(child(object, "metadata"), "name")), errors);
}

bool may_go(const json& object) {
    const json& metadata = child(object, "metadata");
    if (!metadata.contains("deletionTimestamp") || !list_of(metadata, "finalizers").empty()) return false;
    const bool is_namespace = text_of(object, "kind") == "Namespace" && text_of(object, "apiVersion") == "v1";
    return !is_namespace || list_of(child(object, "spec"), "finalizers").empty();
}

std::int64_t revision_of(const json& object) {
    const std::string text = text_of(child(object, "metadata"), "resourceVersion");
    std::int64_t revision = 0;
    std::from_chars(text.data(), text.data() + text.size(), revision);
    return revision;
}

}  // namespace atl::apiserver
