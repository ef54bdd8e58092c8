#include "operator/schema/schema_compiler.h"

#include <algorithm>
#include <array>

#include "operator/schema/decode.h"
#include "operator/schema/formats.h"

namespace atl::schema {
namespace {

constexpr std::array kTypeWords = {
    std::pair{std::string_view("array"), ValueType::Array},
    std::pair{std::string_view("boolean"), ValueType::Boolean},
    std::pair{std::string_view("integer"), ValueType::Integer},
    std::pair{std::string_view("number"), ValueType::Number},
    std::pair{std::string_view("object"), ValueType::Object},
    std::pair{std::string_view("string"), ValueType::String},
};

constexpr std::array kMetaFields = {"apiVersion", "kind", "metadata"};

bool is_int_or_string_pattern(const Json& branches) {
    static const Json pattern = Json::array({{{"type", "integer"}}, {{"type", "string"}}});
    return branches == pattern;
}

bool is_int_or_string_all_of(const Json& branches) {
    if (!branches.is_array() || branches.empty() || !branches.front().is_object()) return false;
    const Json& first = branches.front();
    return first.contains("anyOf") && is_int_or_string_pattern(first["anyOf"]);
}

}  // namespace

std::string_view to_string(ValueType type) {
    for (const auto& [word, value] : kTypeWords) {
        if (value == type) return word;
    }
    return "";
}

const Structural* Structural::property(std::string_view name) const {
    auto found = properties.find(name);
    return found == properties.end() ? nullptr : &found->second;
}

const Structural* Structural::field(std::string_view name) const {
    if (const Structural* declared = property(name)) return declared;
    return additional.get();
}

SchemaCompiler::Place SchemaCompiler::Place::at(const std::string& step, Level next) const {
    Place place = *this;
    place.path += step;
    place.level = next;
    place.depth += 1;
    return place;
}

Structural SchemaCompiler::compile(const Json& schema, const std::string& path) {
    Place place;
    place.path = path;
    place.level = resource_root_ ? Level::Root : Level::Field;
    Structural root = node(schema, place);
    check_branches_complete(root, root, path, path);
    if (resource_root_) root.embedded_resource = true;
    return root;
}

Structural SchemaCompiler::node(const Json& schema, const Place& place) {
    Structural node;
    if (!schema.is_object()) {
        errors_.push_back(type_invalid(place.path, schema, "must be an object"));
        return node;
    }
    if (place.depth > kMaxDepth / 2) {
        errors_.push_back(
            invalid(place.path, Json("…"), "nested deeper than " + std::to_string(kMaxDepth / 2) + " schemas"));
        return node;
    }
    check_unsupported(schema, place);
    read_type(schema, node, place);
    read_flags(schema, node, place);
    read_limits(schema, node.checks, place);
    read_texts(schema, node, place);
    read_default(schema, node, place);
    read_additional(schema, node, place);
    read_properties(schema, node, place);
    read_junctors(schema, node, place);
    read_items(schema, node, place);
    read_map_type(schema, node, place);
    read_list_type(schema, node, place);
    read_rules(schema, node, place);
    if (place.nested) {
        check_nested(schema, node, place);
    } else {
        check_structural(node, place);
    }
    return node;
}

void SchemaCompiler::read_type(const Json& schema, Structural& node, const Place& place) {
    std::string word = text(schema, "type", place);
    node.int_or_string = flag(schema, "x-kubernetes-int-or-string", place);
    if (word.empty()) return;
    auto known = std::ranges::find(kTypeWords, word, [](const auto& row) { return row.first; });
    if (known != kTypeWords.end()) {
        node.type = known->second;
        return;
    }
    std::vector<std::string> words;
    for (const auto& row : kTypeWords) words.emplace_back(row.first);
    errors_.push_back(not_supported(place.of("type"), word, words));
    if (word == "null") {
        errors_.push_back(forbidden(place.of("type"), "type cannot be set to null, use nullable as an alternative"));
    }
}

void SchemaCompiler::read_flags(const Json& schema, Structural& node, const Place& place) {
    node.nullable = flag(schema, "nullable", place);
    node.preserve_unknown = flag(schema, "x-kubernetes-preserve-unknown-fields", place);
    node.embedded_resource = flag(schema, "x-kubernetes-embedded-resource", place);
    if (schema.contains("x-kubernetes-preserve-unknown-fields") && !node.preserve_unknown) {
        errors_.push_back(invalid(place.of("x-kubernetes-preserve-unknown-fields"),
                                  schema["x-kubernetes-preserve-unknown-fields"], "must be true or undefined"));
    }
    if (node.int_or_string && node.preserve_unknown) {
        errors_.push_back(invalid(place.of("x-kubernetes-preserve-unknown-fields"), true,
                                  "must be false if x-kubernetes-int-or-string is true"));
    }
    if (node.int_or_string && node.embedded_resource) {
        errors_.push_back(invalid(place.of("x-kubernetes-embedded-resource"), true,
                                  "must be false if x-kubernetes-int-or-string is true"));
    }
    if (place.inside_meta && node.embedded_resource) {
        errors_.push_back(
            forbidden(place.of("x-kubernetes-embedded-resource"), "must not be used inside of resource meta"));
    }
}

void SchemaCompiler::read_limits(const Json& schema, ValueChecks& checks, const Place& place) {
    checks.minimum = number(schema, "minimum", place);
    checks.maximum = number(schema, "maximum", place);
    checks.exclusive_minimum = flag(schema, "exclusiveMinimum", place);
    checks.exclusive_maximum = flag(schema, "exclusiveMaximum", place);
    checks.multiple_of = number(schema, "multipleOf", place);
    checks.min_length = count(schema, "minLength", place);
    checks.max_length = count(schema, "maxLength", place);
    checks.min_items = count(schema, "minItems", place);
    checks.max_items = count(schema, "maxItems", place);
    checks.min_properties = count(schema, "minProperties", place);
    checks.max_properties = count(schema, "maxProperties", place);
    checks.unique_items = flag(schema, "uniqueItems", place);
    if (checks.unique_items) {
        errors_.push_back(
            forbidden(place.of("uniqueItems"),
                      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
    }
}

void SchemaCompiler::read_texts(const Json& schema, Structural& node, const Place& place) {
    ValueChecks& checks = node.checks;
    checks.required = texts(schema, "required", place);
    std::string format = text(schema, "format", place);
    if (is_checked_format(node.type, format)) checks.format = format;
    if (const Json* values = member(schema, "enum", Json::value_t::array, place)) {
        for (const Json& value : *values) checks.enumeration.push_back(value);
    }
    checks.pattern_text = text(schema, "pattern", place);
    if (checks.pattern_text.empty()) return;
    Result<cel::Regex> pattern = cel::Regex::compile(checks.pattern_text);
    if (pattern) {
        checks.pattern = std::move(*pattern);
    } else {
        errors_.push_back(invalid(place.of("pattern"), checks.pattern_text,
                                  "must be a valid regular expression, but isn't: " + pattern.error().message()));
    }
}

void SchemaCompiler::read_default(const Json& schema, Structural& node, const Place& place) {
    auto found = schema.find("default");
    if (found == schema.end() || found->is_null()) return;
    if (!place.no_default.empty()) {
        errors_.push_back(forbidden(place.of("default"), "must not be set " + place.no_default));
    } else if (!within_depth(*found)) {
        errors_.push_back(forbidden(place.of("default"), "is nested too deep"));
    } else if (!place.nested) {
        node.default_value = *found;
    }
}

void SchemaCompiler::read_properties(const Json& schema, Structural& node, const Place& place) {
    const Json* properties = member(schema, "properties", Json::value_t::object, place);
    if (properties == nullptr) return;
    bool resource = place.level == Level::Root || node.embedded_resource;
    for (const auto& [name, property] : properties->items()) {
        Place below = place.at(".properties[" + name + "]", Level::Field);
        bool is_meta = std::ranges::find(kMetaFields, name) != kMetaFields.end();
        if (resource && is_meta && !place.nested) {
            below.inside_meta = true;
            if (place.level == Level::Root) below.no_default = "in top-level " + name;
        }
        node.properties.emplace(name, this->node(property, below));
    }
}

void SchemaCompiler::read_items(const Json& schema, Structural& node, const Place& place) {
    auto found = schema.find("items");
    if (found == schema.end()) return;
    if (found->is_array()) {
        errors_.push_back(forbidden(place.of("items"), "items must be a schema object and not an array"));
        return;
    }
    node.items = std::make_unique<Structural>(this->node(*found, place.at(".items", Level::Item)));
}

void SchemaCompiler::read_additional(const Json& schema, Structural& node, const Place& place) {
    auto found = schema.find("additionalProperties");
    if (found == schema.end()) return;
    bool has_properties = schema.contains("properties") && !schema["properties"].empty();
    if (has_properties && *found != Json(true)) {
        errors_.push_back(
            forbidden(place.of("additionalProperties"), "additionalProperties and properties are mutual exclusive"));
    }
    if (place.level == Level::Root) {
        errors_.push_back(forbidden(place.of("additionalProperties"), "must not be used at the root"));
    }
    if (node.embedded_resource) {
        errors_.push_back(
            forbidden(place.of("additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (found->is_boolean()) {
        node.additional_allowed = found->get<bool>();
        return;
    }
    Place below = place.at(".additionalProperties", Level::Field);
    if (place.inside_meta) below.no_default = "inside additionalProperties applying to object metadata";
    node.additional_allowed = true;
    node.additional = std::make_unique<Structural>(this->node(*found, below));
}

void SchemaCompiler::read_junctors(const Json& schema, Structural& node, const Place& place) {
    bool any_of_types = node.int_or_string && schema.contains("anyOf") && is_int_or_string_pattern(schema["anyOf"]);
    bool all_of_types = node.int_or_string && schema.contains("allOf") && is_int_or_string_all_of(schema["allOf"]);
    // The two forms of "integer or string" say no more than the extension does.
    if (!any_of_types) node.checks.any_of = read_branches(schema, "anyOf", place, false);
    node.checks.all_of = read_branches(schema, "allOf", place, all_of_types);
    node.checks.one_of = read_branches(schema, "oneOf", place, false);
    auto found = schema.find("not");
    if (found == schema.end()) return;
    Place below = place.at(".not", place.level);
    below.nested = true;
    node.checks.none_of = std::make_unique<Structural>(this->node(*found, below));
}

std::vector<Structural> SchemaCompiler::read_branches(const Json& schema, const char* key, const Place& place,
                                                      bool keep_types) {
    std::vector<Structural> branches;
    const Json* written = member(schema, key, Json::value_t::array, place);
    if (written == nullptr) return branches;
    for (std::size_t i = 0; i < written->size(); ++i) {
        Place below = place.at(std::string(".") + key + "[" + std::to_string(i) + "]", place.level);
        below.nested = true;
        Json branch = (*written)[i];
        if (keep_types && i == 0) branch.erase("anyOf");
        branches.push_back(this->node(branch, below));
    }
    return branches;
}

void SchemaCompiler::read_map_type(const Json& schema, Structural& node, const Place& place) {
    std::string word = text(schema, "x-kubernetes-map-type", place);
    if (word.empty()) return;
    if (node.type != ValueType::Object) {
        errors_.push_back(node.type == ValueType::Any
                              ? required(place.of("type"), "must be object if x-kubernetes-map-type is specified")
                              : invalid(place.of("type"), Json(to_string(node.type)),
                                        "must be object if x-kubernetes-map-type is specified"));
    }
    if (word != "atomic" && word != "granular") {
        errors_.push_back(not_supported(place.of("x-kubernetes-map-type"), word, {"atomic", "granular"}));
    }
    node.atomic_map = word == "atomic";
}

}  // namespace atl::schema
