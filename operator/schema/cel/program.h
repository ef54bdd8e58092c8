#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operator/base/result.h"
#include "operator/schema/cel/ast.h"
#include "operator/schema/cel/checker.h"

namespace atl::schema::cel {

/// What one evaluation may cost, and what is left of the budget of all of an object's rules. One unit is about one node
/// visited, or ten bytes of text looked at.
struct Budget {
    static constexpr std::int64_t kPerCall = 1'000'000;
    static constexpr std::int64_t kPerObject = 10'000'000;
    std::int64_t left = kPerObject;
};

/// A compiled expression. Immutable, may be run any number of times.
class Program {
public:
    /// Parses and checks. `result`: the kind that the expression must have (Bool, String), Dyn for any. Errors: class
    /// Invalid, "compilation failed: ERROR: <input>:1:6: undefined field 'foo'…".
    static Result<Program> compile(std::string_view source, std::vector<Variable> variables, Kind result);

    /// Evaluates it. `values`: one per variable. A Failure if it fails, or costs more than the budget.
    Value run(std::vector<Value> values, Budget& budget) const;

    /// Whether the expression mentions the variable.
    bool uses(std::string_view variable) const;

private:
    std::shared_ptr<const Expr> root_;
    std::vector<std::string> used_;
    std::size_t slots_ = 0;
};

/// Why an evaluation that ran out of budget failed.
inline constexpr std::string_view kCostExceeded = "operation cancelled: actual cost limit exceeded";

}  // namespace atl::schema::cel
