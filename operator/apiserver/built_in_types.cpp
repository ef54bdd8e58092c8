#include "operator/apiserver/built_in_types.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/admission_policy.h"
#include "operator/apiserver/custom_resources.h"
#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"
#include "operator/base/base64.h"
#include "operator/schema/built_in.h"

namespace atl::apiserver {

using nlohmann::json;
using schema::FieldErrors;

namespace {

const std::vector<std::string> kAllVerbs = {"create", "delete", "deletecollection", "get",
                                            "list",   "patch",  "update",           "watch"};
const std::vector<std::string> kEventFields = {"involvedObject.kind",
                                               "involvedObject.namespace",
                                               "involvedObject.name",
                                               "involvedObject.uid",
                                               "involvedObject.apiVersion",
                                               "involvedObject.resourceVersion",
                                               "involvedObject.fieldPath",
                                               "reason",
                                               "reportingComponent",
                                               "source",
                                               "type"};
const std::vector<std::string> kNewEventFields = {"regarding.kind",       "regarding.namespace",
                                                  "regarding.name",       "regarding.uid",
                                                  "regarding.apiVersion", "reason",
                                                  "reportingController",  "type"};

constexpr std::size_t kMaxData = std::size_t{1024} * 1024;

void prepare_namespace(json& object, const json* old, WallTime) {
    // Terminating is the server's word, and the finalizer "kubernetes" goes when the namespace is empty.
    json& status = object["status"];
    if (!status.is_object()) status = json::object();
    if (old == nullptr) {
        object["spec"] = {{"finalizers", json::array({"kubernetes"})}};
        object["status"] = {{"phase", "Active"}};
        object["metadata"]["labels"]["kubernetes.io/metadata.name"] = text_of(object["metadata"], "name");
        return;
    }
    const bool deleting = object["metadata"].contains("deletionTimestamp");
    status["phase"] = deleting ? "Terminating" : "Active";
}

void prepare_secret(json& object, const json*, WallTime) {
    if (const auto texts = object.find("stringData"); texts != object.end()) {
        if (texts->is_object()) {
            json& data = object["data"];
            if (!data.is_object()) data = json::object();
            for (const auto& [name, value] : texts->items()) {
                if (value.is_string()) data[name] = encode_base64(value.get_ref<const std::string&>());
            }
        }
        object.erase("stringData");
    }
    if (!object.contains("type") || object["type"] == "") object["type"] = "Opaque";
}

FieldErrors validate_data_keys(const json& data, const std::string& path) {
    FieldErrors errors;
    if (!data.is_object()) return errors;
    for (const auto& [name, value] : data.items()) {
        const bool fits = !name.empty() && name.size() <= 253 && name != "." && name != ".." &&
                          name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") ==
                              std::string::npos;
        if (!fits) {
            errors.push_back(schema::invalid(path + "[" + name + "]", name,
                                             "a valid config key must consist of alphanumeric characters, '-', '_' or "
                                             "'.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for "
                                             "validation is '[-._a-zA-Z0-9]+')"));
        }
    }
    return errors;
}

FieldErrors immutable_data(const json& object, const json* old) {
    FieldErrors errors;
    if (old == nullptr || !is_true(*old, "immutable")) return errors;
    if (!is_true(object, "immutable")) {
        errors.push_back(schema::forbidden("immutable", "field is immutable when `immutable` is set"));
    }
    for (const char* name : {"data", "binaryData"}) {
        if (child(object, name) != child(*old, name)) {
            errors.push_back(schema::forbidden(name, "field is immutable when `immutable` is set"));
        }
    }
    return errors;
}

FieldErrors validate_secret(const json& object, const json* old) {
    const json& data = child(object, "data");
    FieldErrors errors = validate_data_keys(data, "data");
    std::size_t size = 0;
    if (data.is_object()) {
        for (const auto& [name, value] : data.items()) {
            if (!value.is_string()) continue;
            const auto bytes = decode_base64(value.get_ref<const std::string&>());
            size += bytes ? bytes->size() : 0;
            // The value is a secret: it is not repeated.
            if (!bytes) errors.push_back(schema::required("data[" + name + "]", "must be base64"));
        }
    }
    if (size > kMaxData) errors.push_back(schema::too_long("data", kMaxData));
    if (text_of(object, "type") == "kubernetes.io/tls") {
        for (const char* key : {"tls.crt", "tls.key"}) {
            if (!data.contains(key)) errors.push_back(schema::required(std::string("data[") + key + "]", ""));
        }
    }
    if (old != nullptr && child(object, "type") != child(*old, "type")) {
        errors.push_back(schema::invalid("type", child(object, "type"), "field is immutable"));
    }
    const FieldErrors frozen = immutable_data(object, old);
    errors.insert(errors.end(), frozen.begin(), frozen.end());
    return errors;
}

FieldErrors validate_config_map(const json& object, const json* old) {
    FieldErrors errors = validate_data_keys(child(object, "data"), "data");
    const FieldErrors binary = validate_data_keys(child(object, "binaryData"), "binaryData");
    errors.insert(errors.end(), binary.begin(), binary.end());
    std::size_t size = 0;
    for (const auto& [name, value] : child(object, "data").items()) {
        if (value.is_string()) size += value.get_ref<const std::string&>().size();
        if (!child(object, "binaryData").contains(name)) continue;
        errors.push_back(schema::invalid("data[" + name + "]", name, "duplicate of key present in binaryData"));
    }
    for (const auto& [name, value] : child(object, "binaryData").items()) {
        if (value.is_string()) size += value.get_ref<const std::string&>().size() / 4 * 3;
    }
    if (size > kMaxData) errors.push_back(schema::too_long("", kMaxData));
    const FieldErrors frozen = immutable_data(object, old);
    errors.insert(errors.end(), frozen.begin(), frozen.end());
    return errors;
}

FieldErrors validate_lease(const json& object, const json*) {
    FieldErrors errors;
    const json& spec = child(object, "spec");
    const json& duration = child(spec, "leaseDurationSeconds");
    if (duration.is_number() && duration <= 0) {
        errors.push_back(schema::invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
    }
    const json& transitions = child(spec, "leaseTransitions");
    if (transitions.is_number() && transitions < 0) {
        errors.push_back(schema::invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
    }
    return errors;
}

FieldErrors validate_event(const json& object, const json*) {
    FieldErrors errors;
    const bool is_core = object.contains("involvedObject");
    const json& about = child(object, is_core ? "involvedObject" : "regarding");
    const std::string ns = text_of(about, "namespace");
    const std::string own = text_of(child(object, "metadata"), "namespace");
    // What is about a cluster-scoped object is kept in default.
    if (ns != own && !(ns.empty() && own == "default")) {
        errors.push_back(schema::invalid(is_core ? "involvedObject.namespace" : "regarding.namespace", ns,
                                         "does not match event.namespace"));
    }
    return errors;
}

FieldErrors validate_role_binding(const json& object, const json* old) {
    FieldErrors errors;
    const json& role = child(object, "roleRef");
    for (const char* name : {"kind", "name"}) {
        if (text_of(role, name).empty()) {
            errors.push_back(schema::required(std::string("roleRef.") + name, ""));
        }
    }
    if (old != nullptr && role != child(*old, "roleRef")) {
        errors.push_back(schema::invalid("roleRef", role, "field is immutable"));
    }
    return errors;
}

void prepare_role_binding(json& object, const json*, WallTime) {
    constexpr const char* kGroup = "rbac.authorization.k8s.io";
    json& role = object["roleRef"];
    if (role.is_object() && text_of(role, "apiGroup").empty()) role["apiGroup"] = kGroup;
    if (!object.contains("subjects") || !object["subjects"].is_array()) return;
    for (json& subject : object["subjects"]) {
        if (!subject.is_object() || subject.contains("apiGroup")) continue;
        if (text_of(subject, "kind") != "ServiceAccount") subject["apiGroup"] = kGroup;
    }
}

/// The rows: what is special about a kind.
void specialise(const std::string& kind, Behaviour& behaviour, const Registry& registry) {
    if (kind == "/Namespace") {
        behaviour.prepare = prepare_namespace;
        behaviour.name_rule = schema::NameRule::DnsLabel;
        behaviour.selectable = {"status.phase"};
    } else if (kind == "/Secret") {
        behaviour.prepare = prepare_secret;
        behaviour.validate = validate_secret;
        behaviour.selectable = {"type"};
    } else if (kind == "/ConfigMap") {
        behaviour.validate = validate_config_map;
    } else if (kind == "/Event" || kind == "events.k8s.io/Event") {
        behaviour.convert = convert_event;
        behaviour.validate = validate_event;
        behaviour.selectable = kind == "/Event" ? kEventFields : kNewEventFields;
        behaviour.allows_create_on_update = true;
    } else if (kind == "coordination.k8s.io/Lease") {
        behaviour.validate = validate_lease;
        behaviour.allows_unconditional_update = false;
        behaviour.allows_create_on_update = true;
    } else if (kind.starts_with("rbac.authorization.k8s.io/")) {
        behaviour.name_rule = schema::NameRule::PathSegment;
        if (kind.ends_with("Binding")) {
            behaviour.prepare = prepare_role_binding;
            behaviour.validate = validate_role_binding;
        }
    } else if (kind.starts_with("admissionregistration.k8s.io/")) {
        behaviour.prepare = prepare_policy;
        behaviour.validate = kind.ends_with("Binding") ? validate_policy_binding : validate_policy;
        behaviour.has_generation = true;
    } else if (kind == "apiextensions.k8s.io/CustomResourceDefinition") {
        behaviour.prepare = [&registry](json& object, const json* old, WallTime now) {
            prepare_definition(object, old, now, registry);
        };
        behaviour.validate = validate_definition;
        behaviour.has_generation = true;
        behaviour.allows_unconditional_update = false;
    }
}

std::string storage_of(const schema::BuiltInKind& kind) {
    if (kind.kind == "Event") return "events";
    return kind.group.empty() ? kind.plural : kind.plural + "." + kind.group;
}

}  // namespace

void add_built_in_types(Registry& registry) {
    for (const schema::BuiltInKind& kind : schema::built_in_kinds()) {
        ResourceType type;
        type.group = kind.group;
        type.version = kind.version;
        type.plural = kind.plural;
        type.singular = kind.singular;
        type.kind = kind.kind;
        type.list_kind = kind.kind + "List";
        type.namespaced = kind.namespaced;
        type.short_names = kind.short_names;
        type.verbs = kAllVerbs;
        // As in Kubernetes: namespaces go one by one.
        if (kind.kind == "Namespace") std::erase(type.verbs, "deletecollection");
        type.has_status = kind.has_status || kind.kind == "Namespace" || kind.kind == "CustomResourceDefinition";
        type.storage = storage_of(kind);
        type.storage_api_version = kind.kind == "Event" ? "v1" : api_version_of(kind.group, kind.version);
        const schema::CrdSchema* found = schema::find_built_in_schema(kind.group, kind.version, kind.kind);
        if (found != nullptr) type.schema = *found;
        specialise(kind.group + "/" + kind.kind, type.behaviour, registry);
        add_table(kind.group + "/" + kind.kind, type.behaviour);
        registry.add(std::move(type));
    }
}

}  // namespace atl::apiserver
