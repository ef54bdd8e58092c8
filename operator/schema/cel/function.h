#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "operator/schema/cel/type.h"
#include "operator/schema/cel/value.h"

namespace atl::schema::cel {

/// One row of a table of functions.
struct FunctionRow {
    std::string_view name;       ///< "startsWith", "_+_", "optional.of"
    std::string_view signature;  ///< "string.(string) bool": a member of string; "(int, int) int": a function
    Value (*call)(std::span<const Value> args);  ///< the receiver is args[0]; types are as the signature says
};

/// A row, read.
struct Function {
    std::string_view name;
    bool is_member = false;
    std::vector<TypePtr> parameters;  ///< with the receiver
    TypePtr result;
    Value (*call)(std::span<const Value> args) = nullptr;
};

/// All overloads of a name, members or not; empty if there is no such function.
std::vector<const Function*> find_functions(std::string_view name, bool is_member);

/// Whether a value may be passed for a parameter.
bool accepts(const Type& parameter, const Value& value);

// The tables, one file each.
std::span<const FunctionRow> operator_functions();
std::span<const FunctionRow> conversion_functions();
std::span<const FunctionRow> string_functions();
std::span<const FunctionRow> list_functions();
std::span<const FunctionRow> time_functions();
std::span<const FunctionRow> network_functions();
std::span<const FunctionRow> optional_functions();
std::span<const FunctionRow> authorization_functions();

}  // namespace atl::schema::cel
