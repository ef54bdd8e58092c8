#include <algorithm>
#include <utility>

#include "operator/schema/go_text.h"
#include "operator/schema/schema_compiler.h"

namespace atl::schema {
namespace {

struct Unsupported {
    const char* key;
    const char* why;
};

constexpr Unsupported kUnsupported[] = {
    {"id", "id is not supported"},
    {"additionalItems", "additionalItems is not supported"},
    {"patternProperties", "patternProperties is not supported"},
    {"definitions", "definitions is not supported"},
    {"dependencies", "dependencies is not supported"},
    {"$ref", "$ref is not supported"},
};

/// What a schema below allOf, anyOf, oneOf or not may not say, and how kube-apiserver puts it.
constexpr Unsupported kNotNested[] = {
    {"type", "must be empty to be structural"},
    {"additionalProperties", "must be undefined to be structural"},
    {"default", "must be undefined to be structural"},
    {"title", "must be empty to be structural"},
    {"description", "must be empty to be structural"},
    {"nullable", "must be false to be structural"},
    {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
    {"x-kubernetes-embedded-resource", "must be false to be structural"},
    {"x-kubernetes-int-or-string", "must be false to be structural"},
    {"x-kubernetes-list-map-keys", "must be empty to be structural"},
    {"x-kubernetes-list-type", "must be undefined to be structural"},
    {"x-kubernetes-map-type", "must be undefined to be structural"},
    {"x-kubernetes-validations", "must be empty to be structural"},
};

bool is_scalar(const Structural& node) {
    return node.type != ValueType::Array && node.type != ValueType::Object;
}

bool only_names(const Structural& metadata) {
    for (const auto& [name, property] : metadata.properties) {
        if (name != "name" && name != "generateName") return false;
    }
    return true;
}

bool says_more_than_names(const Structural& metadata) {
    const ValueChecks& checks = metadata.checks;
    bool branches = !checks.all_of.empty() || !checks.any_of.empty() || !checks.one_of.empty() || checks.none_of;
    bool limits = checks.min_properties || checks.max_properties || !checks.required.empty();
    bool extensions = metadata.nullable || metadata.preserve_unknown || metadata.embedded_resource ||
                      metadata.additional_allowed || metadata.items || !metadata.rule_texts.is_null();
    return !only_names(metadata) || branches || limits || extensions;
}

std::string trimmed(const std::string& text) {
    auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool has_newline(const std::string& text) {
    return text.find('\n') != std::string::npos;
}

std::string text_of(const Json& rule, const char* key) {
    auto found = rule.find(key);
    return found != rule.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

void SchemaCompiler::check_unsupported(const Json& schema, const Place& place) {
    for (const Unsupported& row : kUnsupported) {
        if (schema.contains(row.key)) errors_.push_back(forbidden(place.of(row.key), row.why));
    }
}

void SchemaCompiler::check_structural(const Structural& node, const Place& place) {
    std::string type_path = place.of("type");
    if (std::ranges::find(errors_, type_path, &FieldError::field) != errors_.end()) return;
    if (node.type == ValueType::Array && !node.items) {
        errors_.push_back(required(place.of("items"), "must be specified"));
    }
    if (node.embedded_resource && node.type != ValueType::Object) {
        std::string why = "must be object if x-kubernetes-embedded-resource is true";
        errors_.push_back(node.type == ValueType::Any ? required(type_path, why)
                                                      : invalid(type_path, Json(to_string(node.type)), why));
    } else if (node.type == ValueType::Any && !node.int_or_string && !node.preserve_unknown) {
        const char* why = place.level == Level::Root   ? "must not be empty at the root"
                          : place.level == Level::Item ? "must not be empty for specified array items"
                                                       : "must not be empty for specified object fields";
        errors_.push_back(required(type_path, why));
    }
    if (place.level == Level::Root && node.type != ValueType::Any && node.type != ValueType::Object) {
        errors_.push_back(invalid(type_path, Json(to_string(node.type)), "must be object at the root"));
    }
    if (node.embedded_resource && !node.preserve_unknown && node.properties.empty()) {
        errors_.push_back(required(place.of("properties"),
                                   "must not be empty if x-kubernetes-embedded-resource is true without "
                                   "x-kubernetes-preserve-unknown-fields"));
    }
    if (place.level == Level::Root || node.embedded_resource) check_metadata(node, place);
}

void SchemaCompiler::check_metadata(const Structural& node, const Place& place) {
    for (const char* name : {"kind", "apiVersion"}) {
        const Structural* property = node.property(name);
        if (property == nullptr || property->type == ValueType::String) continue;
        errors_.push_back(
            invalid(place.of("properties") + "[" + name + "].type", Json(to_string(property->type)), "must be string"));
    }
    const Structural* metadata = node.property("metadata");
    if (metadata == nullptr) return;
    std::string path = place.of("properties") + "[metadata]";
    if (metadata->type != ValueType::Object) {
        errors_.push_back(invalid(path + ".type", Json(to_string(metadata->type)), "must be object"));
    }
    if (place.level == Level::Root && says_more_than_names(*metadata)) {
        errors_.push_back(forbidden(
            path, "must not specify anything other than name and generateName, but metadata is implicitly specified"));
    }
}

void SchemaCompiler::check_nested(const Json& schema, const Structural& node, const Place& place) {
    for (const Unsupported& row : kNotNested) {
        auto found = schema.find(row.key);
        if (found == schema.end() || *found == Json(false) || *found == Json("")) continue;
        errors_.push_back(forbidden(place.of(row.key), row.why));
    }
    if (node.property("metadata") != nullptr) {
        errors_.push_back(
            forbidden(place.of("properties") + "[metadata]", "must not be specified in a nested context"));
    }
}

void SchemaCompiler::check_branches_complete(const Structural& checks, const Structural& spine,
                                             const std::string& spine_path, const std::string& path) {
    const ValueChecks& own = checks.checks;
    if (own.none_of) check_complete(*own.none_of, spine, spine_path, path + ".not");
    const std::pair<const char*, const std::vector<Structural>*> junctors[] = {
        {"allOf", &own.all_of}, {"anyOf", &own.any_of}, {"oneOf", &own.one_of}};
    for (const auto& [word, branches] : junctors) {
        for (std::size_t i = 0; i < branches->size(); ++i) {
            check_complete((*branches)[i], spine, spine_path, path + "." + word + "[" + std::to_string(i) + "]");
        }
    }
}

void SchemaCompiler::check_complete(const Structural& checks, const Structural& spine, const std::string& spine_path,
                                    const std::string& path) {
    check_branches_complete(checks, spine, spine_path, path);
    if (checks.items) {
        if (spine.items) {
            check_complete(*checks.items, *spine.items, spine_path + ".items", path + ".items");
        } else {
            errors_.push_back(required(spine_path + ".items", "because it is defined in " + path + ".items"));
        }
    }
    for (const auto& [name, property] : checks.properties) {
        std::string step = ".properties[" + name + "]";
        if (const Structural* counterpart = spine.property(name)) {
            check_complete(property, *counterpart, spine_path + step, path + step);
        } else {
            errors_.push_back(required(spine_path + step, "because it is defined in " + path + step));
        }
    }
}

void SchemaCompiler::read_list_type(const Json& schema, Structural& node, const Place& place) {
    std::string word = text(schema, "x-kubernetes-list-type", place);
    node.list_keys = texts(schema, "x-kubernetes-list-map-keys", place);
    std::string list_path = place.of("x-kubernetes-list-type");
    if (!node.list_keys.empty() && word != "map") {
        std::string why = "must be map if x-kubernetes-list-map-keys is non-empty";
        errors_.push_back(word.empty() ? required(list_path, why) : invalid(list_path, word, why));
    }
    if (word.empty()) return;
    if (node.type != ValueType::Array) {
        std::string why = "must be array if x-kubernetes-list-type is specified";
        errors_.push_back(node.type == ValueType::Any ? required(place.of("type"), why)
                                                      : invalid(place.of("type"), Json(to_string(node.type)), why));
    }
    if (word != "atomic" && word != "set" && word != "map") {
        errors_.push_back(not_supported(list_path, word, {"atomic", "set", "map"}));
        return;
    }
    node.list_type = word == "set" ? ListType::Set : word == "map" ? ListType::Map : ListType::Atomic;
    node.list_type_declared = true;
    if (word == "map") check_list_map(node, place);
    if (word != "atomic" && node.items && node.items->nullable) {
        errors_.push_back(
            forbidden(place.of("items") + ".nullable", "cannot be nullable when x-kubernetes-list-type is " + word));
    }
    if (word != "set" || !node.items || is_scalar(*node.items)) return;
    bool is_list = node.items->type == ValueType::Array;
    bool atomic = is_list ? node.items->list_type == ListType::Atomic : node.items->atomic_map;
    if (atomic) return;
    std::string below = place.of("items") + (is_list ? ".x-kubernetes-list-type" : ".x-kubernetes-map-type");
    errors_.push_back(invalid(below, nullptr, "must be atomic as item of a list with x-kubernetes-list-type=set"));
}

void SchemaCompiler::check_list_map(const Structural& node, const Place& place) {
    std::string keys_path = place.of("x-kubernetes-list-map-keys");
    if (node.list_keys.empty()) {
        errors_.push_back(required(keys_path, "must not be empty if x-kubernetes-list-type is map"));
    }
    if (!node.items) {
        errors_.push_back(required(place.of("items"), "must have a schema if x-kubernetes-list-type is map"));
        return;
    }
    if (node.items->type != ValueType::Object) {
        errors_.push_back(invalid(place.of("items") + ".type", Json(to_string(node.items->type)),
                                  "must be object if parent array's x-kubernetes-list-type is map"));
        return;
    }
    bool said = false;
    for (const std::string& key : node.list_keys) {
        const Structural* property = node.items->property(key);
        std::string key_path = place.of("items") + ".properties[" + key + "]";
        if (property == nullptr) {
            errors_.push_back(invalid(keys_path, Json(node.list_keys), "entries must all be names of item properties"));
        } else if (!is_scalar(*property)) {
            errors_.push_back(invalid(key_path + ".type", "object",
                                      "must be a scalar type if parent array's x-kubernetes-list-type is map"));
        }
        bool repeated = std::ranges::find(node.list_keys, key) !=
                        std::ranges::find(node.list_keys.rbegin(), node.list_keys.rend(), key).base() - 1;
        if (repeated && !std::exchange(said, true)) {
            errors_.push_back(invalid(keys_path, Json(node.list_keys), "must not contain duplicate entries"));
        }
        bool is_required = std::ranges::find(node.items->checks.required, key) != node.items->checks.required.end();
        if (property != nullptr && !is_required && !property->default_value) {
            errors_.push_back(
                required(key_path + ".default",
                         "this property is in x-kubernetes-list-map-keys, so it must have a default or be "
                         "a required property"));
        }
    }
}

void SchemaCompiler::read_rules(const Json& schema, Structural& node, const Place& place) {
    const Json* rules = member(schema, "x-kubernetes-validations", Json::value_t::array, place);
    if (rules == nullptr || rules->empty() || place.nested) return;
    node.rule_texts = *rules;
    for (std::size_t i = 0; i < rules->size(); ++i) {
        const Json& rule = (*rules)[i];
        std::string path = place.of("x-kubernetes-validations") + "[" + std::to_string(i) + "]";
        if (!rule.is_object()) {
            errors_.push_back(type_invalid(path, rule, "must be an object"));
            continue;
        }
        check_rule(rule, path);
        std::string field_path = text_of(rule, "fieldPath");
        if (!field_path.empty() && !is_field_path_of(node, trimmed(field_path))) {
            errors_.push_back(invalid(path + ".fieldPath", field_path, "must be a valid path"));
        }
    }
}

void SchemaCompiler::check_rule(const Json& rule, const std::string& path) {
    std::string message = text_of(rule, "message");
    std::string text = trimmed(text_of(rule, "rule"));
    if (text.empty()) {
        errors_.push_back(required(path + ".rule", "rule is not specified"));
    } else if (!message.empty() && trimmed(message).empty()) {
        errors_.push_back(invalid(path + ".message", message, "must be non-empty if specified"));
    } else if (has_newline(trimmed(message))) {
        errors_.push_back(invalid(path + ".message", message, "must not contain line breaks"));
    } else if (has_newline(text) && message.empty()) {
        errors_.push_back(required(path + ".message", "message must be specified if rule contains line breaks"));
    }
    std::string expression = text_of(rule, "messageExpression");
    if (!expression.empty() && trimmed(expression).empty()) {
        errors_.push_back(required(path + ".messageExpression", "messageExpression must be non-empty if specified"));
    }
    std::string reason = text_of(rule, "reason");
    const std::vector<std::string> reasons = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                              "FieldValueRequired"};
    if (rule.contains("reason") && std::ranges::find(reasons, reason) == reasons.end()) {
        errors_.push_back(not_supported(path + ".reason", rule["reason"], reasons));
    }
    if (has_newline(text_of(rule, "fieldPath"))) {
        errors_.push_back(invalid(path + ".fieldPath", rule["fieldPath"], "must not contain line breaks"));
    }
}

const Json* SchemaCompiler::member(const Json& schema, const char* key, Json::value_t type, const Place& place) {
    auto found = schema.find(key);
    if (found == schema.end() || found->is_null()) return nullptr;
    if (found->type() == type) return &*found;
    Json empty(type);
    errors_.push_back(type_invalid(place.of(key), *found, std::string("must be of type ") + empty.type_name()));
    return nullptr;
}

bool SchemaCompiler::flag(const Json& schema, const char* key, const Place& place) {
    const Json* value = member(schema, key, Json::value_t::boolean, place);
    return value != nullptr && value->get<bool>();
}

std::string SchemaCompiler::text(const Json& schema, const char* key, const Place& place) {
    const Json* value = member(schema, key, Json::value_t::string, place);
    return value == nullptr ? "" : value->get<std::string>();
}

std::optional<double> SchemaCompiler::number(const Json& schema, const char* key, const Place& place) {
    auto found = schema.find(key);
    if (found == schema.end() || found->is_null()) return std::nullopt;
    if (found->is_number()) return found->get<double>();
    errors_.push_back(type_invalid(place.of(key), *found, "must be of type number"));
    return std::nullopt;
}

std::optional<std::int64_t> SchemaCompiler::count(const Json& schema, const char* key, const Place& place) {
    auto found = schema.find(key);
    if (found == schema.end() || found->is_null()) return std::nullopt;
    if (found->is_number_integer()) return found->get<std::int64_t>();
    errors_.push_back(type_invalid(place.of(key), *found, "must be of type integer"));
    return std::nullopt;
}

std::vector<std::string> SchemaCompiler::texts(const Json& schema, const char* key, const Place& place) {
    std::vector<std::string> result;
    const Json* values = member(schema, key, Json::value_t::array, place);
    if (values == nullptr) return result;
    for (const Json& value : *values) {
        if (value.is_string()) {
            result.push_back(value.get<std::string>());
        } else {
            errors_.push_back(type_invalid(place.of(key), value, "must be of type string"));
        }
    }
    return result;
}

}  // namespace atl::schema
