#include "operator/schema/value_validator.h"

#include <algorithm>
#include <cmath>

#include "operator/schema/formats.h"
#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

bool is_whole(double value) {
    return std::isfinite(value) && std::trunc(value) == value && std::fabs(value) < 9.3e18;
}

std::string_view word_of(const Json& value) {
    if (value.is_null()) return "null";
    if (value.is_object()) return "object";
    if (value.is_array()) return "array";
    if (value.is_string()) return "string";
    if (value.is_boolean()) return "boolean";
    return value.is_number_float() ? "number" : "integer";
}

/// The format that value validation sees in a value: what stands in errors about formats.
std::string_view format_of(const Json& value) {
    if (value.is_number_integer()) return "int64";
    return value.is_number_float() ? "double" : "";
}

bool fits(const Structural& node, const Json& value) {
    if (node.int_or_string) {
        return value.is_string() || value.is_number_integer() ||
               (value.is_number_float() && is_whole(value.get<double>()));
    }
    switch (node.type) {
        case ValueType::Any:
            return true;
        case ValueType::Object:
            return value.is_object();
        case ValueType::Array:
            return value.is_array();
        case ValueType::String:
            return value.is_string();
        case ValueType::Boolean:
            return value.is_boolean();
        case ValueType::Number:
            return value.is_number();
        case ValueType::Integer:
            return value.is_number_integer() || (value.is_number_float() && is_whole(value.get<double>()));
    }
    return false;
}

std::string type_words(const Structural& node) {
    return node.int_or_string ? "integer,string" : std::string(to_string(node.type));
}

FieldError wrong_type(const FieldPath& path, std::string_view expected, const Json& found) {
    std::string name = path.dotted();
    std::string detail = name + " in body must be of type " + std::string(expected) + ": " +
                         go_quote(found.get_ref<const std::string&>());
    return type_invalid(path.is_root() ? "<nil>" : name, found, detail);
}

std::string bound_text(double bound, const Json& value) {
    if (value.is_number_integer() && is_whole(bound)) return std::to_string(static_cast<std::int64_t>(bound));
    return go_float(bound);
}

bool is_multiple(const Json& value, double factor) {
    if (factor <= 0) return true;
    if (value.is_number_integer() && is_whole(factor)) {
        return value.get<std::int64_t>() % static_cast<std::int64_t>(factor) == 0;
    }
    double quotient = factor < 1 ? 1 / factor * value.get<double>() : value.get<double>() / factor;
    return std::fabs(quotient - std::round(quotient)) < 1e-9;
}

const Json* member_of(const Json* object, std::string_view name) {
    if (object == nullptr || !object->is_object()) return nullptr;
    auto found = object->find(name);
    return found == object->end() ? nullptr : &*found;
}

/// A child of the root that is never ratcheted: nobody sees what it was.
bool is_type_meta(const FieldPath& parent, std::string_view name) {
    return parent.is_root() && (name == "apiVersion" || name == "kind");
}

}  // namespace

void ValueValidator::report(const FieldPath& path, Json value, const std::string& problem) {
    std::string name = path.dotted();
    errors_.push_back(invalid(path.is_root() ? "<nil>" : name, std::move(value), name + " in body " + problem));
}

void ValueValidator::report_whole(const std::string& problem) {
    errors_.push_back(invalid("<nil>", "", problem));
}

void ValueValidator::check(const Structural& node, const Json& value, const FieldPath& path, const Json* old) {
    std::size_t before = errors_.size();
    ++visited_;
    check_type(node, value, path);
    if (value.is_null()) {
        check_enumeration(node, value, path);
    } else {
        check_junctors(node, value, path, old);
        if (value.is_string()) check_string(node, value, path);
        if (value.is_number()) check_number(node, value, path);
        if (value.is_array()) check_list(node, value, path, old);
        check_enumeration(node, value, path);
        if (value.is_object()) check_object(node, value, path, old);
    }
    bool ratcheted = errors_.size() > before && old != nullptr && *old == value;
    if (ratcheted) errors_.erase(errors_.begin() + static_cast<std::ptrdiff_t>(before), errors_.end());
}

void ValueValidator::check_type(const Structural& node, const Json& value, const FieldPath& path) {
    if (node.type == ValueType::Any && !node.int_or_string) return;
    if (value.is_null()) {
        if (!node.nullable) errors_.push_back(wrong_type(path, type_words(node), "null"));
        return;
    }
    if (fits(node, value)) return;
    bool says_format = !node.checks.format.empty() && !value.is_string() && !value.is_array();
    if (says_format) {
        errors_.push_back(wrong_type(path, node.checks.format, format_of(value)));
    } else {
        errors_.push_back(wrong_type(path, type_words(node), word_of(value)));
    }
}

void ValueValidator::check_string(const Structural& node, const Json& value, const FieldPath& path) {
    const ValueChecks& checks = node.checks;
    const auto& text = value.get_ref<const std::string&>();
    auto length = static_cast<std::int64_t>(checks.max_length || checks.min_length ? rune_count(text) : 0);
    if (checks.max_length && length > *checks.max_length) {
        errors_.push_back(
            too_long(path.is_root() ? "<nil>" : path.dotted(), static_cast<std::size_t>(*checks.max_length)));
    } else if (checks.min_length && length < *checks.min_length) {
        report(path, value, "should be at least " + std::to_string(*checks.min_length) + " chars long");
    } else if (checks.pattern && !checks.pattern->search(text)) {
        report(path, value, "should match '" + checks.pattern_text + "'");
    }
    bool string_type = node.type == ValueType::String || node.type == ValueType::Any;
    if (!checks.format.empty() && string_type && !matches_format(checks.format, text)) {
        errors_.push_back(wrong_type(path, checks.format, value));
    }
}

void ValueValidator::check_number(const Structural& node, const Json& value, const FieldPath& path) {
    check_range(node, value, path);
    const ValueChecks& checks = node.checks;
    if (checks.multiple_of && !is_multiple(value, *checks.multiple_of)) {
        report(path, value, "should be a multiple of " + bound_text(*checks.multiple_of, value));
    }
    if (checks.minimum || checks.maximum) check_bounds(checks, value, path);
}

void ValueValidator::check_bounds(const ValueChecks& checks, const Json& value, const FieldPath& path) {
    auto number = value.get<double>();
    if (checks.minimum) {
        bool bad = checks.exclusive_minimum ? number <= *checks.minimum : number < *checks.minimum;
        std::string words =
            checks.exclusive_minimum ? "should be greater than " : "should be greater than or equal to ";
        if (bad) report(path, value, words + bound_text(*checks.minimum, value));
    }
    if (checks.maximum) {
        bool bad = checks.exclusive_maximum ? number >= *checks.maximum : number > *checks.maximum;
        std::string words = checks.exclusive_maximum ? "should be less than " : "should be less than or equal to ";
        if (bad) report(path, value, words + bound_text(*checks.maximum, value));
    }
}

void ValueValidator::check_range(const Structural& node, const Json& value, const FieldPath& path) {
    std::string problem;
    auto number = value.get<double>();
    const std::string& format = node.checks.format;
    if (node.type == ValueType::Integer) {
        bool whole = value.is_number_integer() || is_whole(number);
        bool in_range = format != "int32" || (number >= INT32_MIN && number <= INT32_MAX);
        if (whole && in_range) return;
        problem = "integer" + std::string(format.empty() ? " (default format)" : " with format " + format);
    } else if (node.type == ValueType::Number && format == "float" && std::fabs(number) > 3.4028234663852886e38) {
        problem = "number with format float";
    } else {
        return;
    }
    report_whole("Checked value must be of type " + problem + " in " + path.dotted());
}

void ValueValidator::check_list(const Structural& node, const Json& value, const FieldPath& path, const Json* old) {
    if (node.items) {
        OldItems old_items(node, old);
        for (std::size_t i = 0; i < value.size(); ++i) {
            check(*node.items, value[i], path.index(i), old_items.find(value[i]));
        }
    }
    const ValueChecks& checks = node.checks;
    auto size = static_cast<std::int64_t>(value.size());
    if (checks.min_items && size < *checks.min_items) {
        report(path, size, "should have at least " + std::to_string(*checks.min_items) + " items");
    }
    if (checks.max_items && size > *checks.max_items) {
        errors_.push_back(too_many(path.dotted(), value.size(), static_cast<std::size_t>(*checks.max_items)));
    }
}

void ValueValidator::check_object(const Structural& node, const Json& value, const FieldPath& path, const Json* old) {
    const ValueChecks& checks = node.checks;
    auto size = static_cast<std::int64_t>(value.size());
    if (checks.min_properties && size < *checks.min_properties) {
        report(path, size, "should have at least " + std::to_string(*checks.min_properties) + " properties");
    }
    if (checks.max_properties && size > *checks.max_properties) {
        errors_.push_back(too_many(path.dotted(), value.size(), static_cast<std::size_t>(*checks.max_properties)));
    }
    for (auto member = value.begin(); member != value.end(); ++member) {
        const Structural* declared = node.property(member.key());
        const Structural* below = declared != nullptr ? declared : node.additional.get();
        if (below == nullptr) continue;
        const Json* old_member = is_type_meta(path, member.key()) ? nullptr : member_of(old, member.key());
        check(*below, *member, declared != nullptr ? path.child(member.key()) : path.key(member.key()), old_member);
    }
    for (const std::string& name : checks.required) {
        if (!value.contains(name)) errors_.push_back(required(path.child(name).dotted(), ""));
    }
}

void ValueValidator::check_enumeration(const Structural& node, const Json& value, const FieldPath& path) {
    const std::vector<Json>& allowed = node.checks.enumeration;
    if (allowed.empty() || std::ranges::find(allowed, value) != allowed.end()) return;
    std::vector<std::string> words;
    for (const Json& word : allowed) words.push_back(word.is_string() ? word.get<std::string>() : go_json(word));
    errors_.push_back(not_supported(path.is_root() ? "<nil>" : path.dotted(), value, words));
}

ValueValidator::Trial ValueValidator::attempt(const Structural& branch, const Json& value, const FieldPath& path,
                                              const Json* old) {
    Trial trial;
    ValueValidator inner(trial.errors);
    inner.check(branch, value, path, old);
    trial.visited = inner.visited_;
    return trial;
}

void ValueValidator::check_junctors(const Structural& node, const Json& value, const FieldPath& path, const Json* old) {
    const ValueChecks& checks = node.checks;
    if (!checks.any_of.empty()) check_any_of(node, value, path, old);
    if (!checks.one_of.empty()) check_one_of(node, value, path, old);
    if (!checks.all_of.empty()) check_all_of(node, value, path, old);
    if (checks.none_of && attempt(*checks.none_of, value, path, nullptr).errors.empty()) {
        report_whole(go_quote(path.dotted()) + " must not validate the schema (not)");
    }
}

void ValueValidator::check_any_of(const Structural& node, const Json& value, const FieldPath& path, const Json* old) {
    Trial best;
    for (const Structural& branch : node.checks.any_of) {
        Trial trial = attempt(branch, value, path, old);
        if (trial.errors.empty()) return;
        if (trial.visited > best.visited) best = std::move(trial);
    }
    report_whole(go_quote(path.dotted()) + " must validate at least one schema (anyOf)");
    errors_.insert(errors_.end(), best.errors.begin(), best.errors.end());
}

void ValueValidator::check_one_of(const Structural& node, const Json& value, const FieldPath& path, const Json* old) {
    Trial best;
    int valid = 0;
    for (const Structural& branch : node.checks.one_of) {
        Trial trial = attempt(branch, value, path, old);
        if (trial.errors.empty()) {
            ++valid;
        } else if (trial.visited > best.visited) {
            best = std::move(trial);
        }
    }
    if (valid == 1) return;
    std::string found = valid == 0 ? "Found none valid" : "Found " + std::to_string(valid) + " valid alternatives";
    report_whole(go_quote(path.dotted()) + " must validate one and only one schema (oneOf). " + found);
    if (valid == 0) errors_.insert(errors_.end(), best.errors.begin(), best.errors.end());
}

void ValueValidator::check_all_of(const Structural& node, const Json& value, const FieldPath& path, const Json* old) {
    std::size_t valid = 0;
    for (const Structural& branch : node.checks.all_of) {
        Trial trial = attempt(branch, value, path, old);
        if (trial.errors.empty()) ++valid;
        errors_.insert(errors_.end(), trial.errors.begin(), trial.errors.end());
    }
    if (valid == node.checks.all_of.size()) return;
    report_whole(go_quote(path.dotted()) + " must validate all the schemas (allOf)" +
                 (valid == 0 ? ". None validated" : ""));
}

}  // namespace atl::schema
