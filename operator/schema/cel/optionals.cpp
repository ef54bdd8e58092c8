#include "operator/schema/cel/function.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

const OptionalValue& optional(const Value& value) {
    return *value.as<OptionalValue>();
}

Value of(Args args) {
    return Value::some(args[0]);
}

Value none(Args) {
    return Value::none();
}

bool is_zero(const Value& value) {
    if (is_list(value)) return list_size(value) == 0;
    if (is_map(value)) return map_size(value) == 0;
    if (const auto* text = value.as<Text>()) return text->get().empty();
    if (const auto* flag = value.as<bool>()) return !*flag;
    if (value.kind() == Kind::Null) return true;
    return compare(value, Value(std::int64_t{0})) == 0;
}

Value of_non_zero(Args args) {
    return is_zero(args[0]) ? Value::none() : Value::some(args[0]);
}

Value has_value(Args args) {
    return Value(optional(args[0]).value != nullptr);
}

Value value_of(Args args) {
    if (!optional(args[0]).value) return Value::fail("optional.none() dereference");
    return *optional(args[0]).value;
}

Value either(Args args) {
    return optional(args[0]).value ? args[0] : args[1];
}

Value or_value(Args args) {
    return optional(args[0]).value ? *optional(args[0]).value : args[1];
}

Value maybe_in_map(Args args) {
    return map_has(args[0], args[1]) ? Value::some(map_get(args[0], args[1])) : Value::none();
}

Value maybe_in_list(Args args) {
    std::int64_t at = args[1].integer();
    bool inside = at >= 0 && static_cast<std::size_t>(at) < list_size(args[0]);
    return inside ? Value::some(list_item(args[0], static_cast<std::size_t>(at))) : Value::none();
}

Value within(Args args, Value (*look)(Args)) {
    if (!optional(args[0]).value) return Value::none();
    Value pair[] = {*optional(args[0]).value, args[1]};
    if (look == maybe_in_map && !is_map(pair[0])) return Value::fail("no such overload");
    if (look == maybe_in_list && !is_list(pair[0])) return Value::fail("no such overload");
    return look(pair);
}

Value maybe_in_optional_map(Args args) {
    return within(args, maybe_in_map);
}

Value maybe_in_optional_list(Args args) {
    return within(args, maybe_in_list);
}

// clang-format off
constexpr FunctionRow kOptionals[] = {
    {"optional.of",             "(A) optional(A)",                    of},
    {"optional.none",           "() optional(A)",                     none},
    {"optional.ofNonZeroValue", "(A) optional(A)",                    of_non_zero},
    {"hasValue",                "optional(A).() bool",                has_value},
    {"value",                   "optional(A).() A",                   value_of},
    {"or",                      "optional(A).(optional(A)) optional(A)", either},
    {"orValue",                 "optional(A).(A) A",                  or_value},
    {"_[?_]",                   "(map(A, B), A) optional(B)",         maybe_in_map},
    {"_[?_]",                   "(list(A), int) optional(A)",         maybe_in_list},
    {"_[?_]",                   "(optional(map(A, B)), A) optional(B)", maybe_in_optional_map},
    {"_[?_]",                   "(optional(list(A)), int) optional(A)", maybe_in_optional_list},
};
// clang-format on

}  // namespace

std::span<const FunctionRow> optional_functions() {
    return kOptionals;
}

}  // namespace atl::schema::cel
