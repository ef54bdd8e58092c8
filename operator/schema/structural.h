#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/schema/cel/regex.h"
#include "operator/schema/field_error.h"

namespace atl::schema {

enum class ValueType { Any, Object, Array, String, Integer, Number, Boolean };

/// "" for Any, else the word of JSON schema.
std::string_view to_string(ValueType type);

enum class ListType { Atomic, Set, Map };

struct RuleSet;  ///< the compiled x-kubernetes-validations of one node; see rules.h
struct Structural;

/// The checks of one node that do not make its structure.
struct ValueChecks {
    std::string format;  ///< only a format that is checked for the node's type, else empty
    std::optional<double> minimum, maximum, multiple_of;
    bool exclusive_minimum = false, exclusive_maximum = false;
    std::optional<std::int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
    bool unique_items = false;
    std::string pattern_text;
    std::optional<cel::Regex> pattern;
    std::vector<Json> enumeration;
    std::vector<std::string> required;
    std::vector<Structural> all_of, any_of, one_of;
    std::unique_ptr<Structural> none_of;  ///< not
};

/// One node of a compiled structural schema. The nodes below allOf, anyOf, oneOf and not have checks only.
struct Structural {
    ValueType type = ValueType::Any;
    bool nullable = false;
    bool preserve_unknown = false;
    bool embedded_resource = false;
    bool int_or_string = false;
    bool additional_allowed = false;  ///< additionalProperties: true, or a schema
    bool atomic_map = false;
    ListType list_type = ListType::Atomic;
    bool list_type_declared = false;
    std::vector<std::string> list_keys;
    std::optional<Json> default_value;

    std::map<std::string, Structural, std::less<>> properties;
    std::unique_ptr<Structural> items;
    std::unique_ptr<Structural> additional;
    ValueChecks checks;
    std::shared_ptr<const RuleSet> rules;  ///< null if there are none
    bool has_rules_below = false;          ///< here or deeper: whether a walk for rules pays
    Json rule_texts;                       ///< x-kubernetes-validations as written; null if there are none

    /// The schema of a field of an object: declared, else additional, else nullptr.
    const Structural* field(std::string_view name) const;
    /// Whether the field is a declared one.
    const Structural* property(std::string_view name) const;
};

}  // namespace atl::schema
