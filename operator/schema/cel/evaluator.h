#pragma once

#include <cstdint>
#include <vector>

#include "operator/schema/cel/ast.h"

namespace atl::schema::cel {

/// Walks a checked tree once. Errors travel as Failure values; && and || let one side's error pass if the other
/// decides.
class Evaluator {
public:
    Evaluator(std::vector<Value> slots, std::int64_t budget) : slots_(std::move(slots)), left_(budget) {}

    Value evaluate(const Expr& expr);
    /// What is left of the budget; below 0 once it was exceeded.
    std::int64_t left() const { return left_; }

private:
    Value select(const Expr& expr);
    Value call(const Expr& expr);
    Value logic(const Expr& expr);
    Value conditional(const Expr& expr);
    Value list(const Expr& expr);
    Value map(const Expr& expr);
    Value macro(const Expr& expr);
    Value optional_macro(const Expr& expr, const Value& range);
    Value quantifier(const Expr& expr, const Value& range);
    Value exists_one(const Expr& expr, const Value& range);
    Value selection(const Expr& expr, const Value& range);
    void charge(std::int64_t cost) { left_ -= cost; }

    std::vector<Value> slots_;
    std::int64_t left_;
};

}  // namespace atl::schema::cel
