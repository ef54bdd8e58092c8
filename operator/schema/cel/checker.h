#pragma once

#include <string>
#include <vector>

#include "operator/schema/cel/ast.h"
#include "operator/schema/cel/type.h"

namespace atl::schema::cel {

/// A variable that an expression may use; its slot is its place in the list.
struct Variable {
    std::string name;
    TypePtr type;
};

/// Finds the type of each node, resolves names to variables, fields and functions, and says what does not fit: unknown
/// names, fields and functions, and operands that no overload takes. `dyn` fits everything and is left to run time.
class Checker {
public:
    Checker(std::vector<Variable> variables, std::vector<Problem>& problems)
        : variables_(std::move(variables)), problems_(problems) {}

    /// The type of the expression. Only meaningful without problems.
    TypePtr check(Expr& expr);

    /// The most variables alive at once: how many slots evaluation needs.
    std::size_t slots() const { return slots_; }
    /// Whether the variable is used.
    bool uses(std::string_view name) const;

private:
    TypePtr check_identifier(Expr& expr);
    TypePtr check_select(Expr& expr);
    TypePtr field_type(const Expr& expr, const TypePtr& target);
    TypePtr check_call(Expr& expr);
    TypePtr check_logic(Expr& expr);
    TypePtr check_conditional(Expr& expr);
    TypePtr common(const Expr& expr, const TypePtr& before, const TypePtr& type);
    TypePtr check_list(Expr& expr);
    TypePtr check_map(Expr& expr);
    TypePtr check_macro(Expr& expr);
    TypePtr element_of(const Expr& expr, const TypePtr& range);
    TypePtr macro_result(const Expr& expr, const TypePtr& range, const std::vector<TypePtr>& parts);
    bool is_namespaced(Expr& expr);
    void check_literals(const Expr& expr);
    void expect_bool(const Expr& expr, const TypePtr& type);
    void report(std::size_t offset, std::string text) { problems_.push_back({offset, std::move(text)}); }

    std::vector<Variable> variables_;
    std::vector<std::string> used_;
    std::vector<Problem>& problems_;
    std::size_t slots_ = 0;
    int mixed_ = 0;  ///< above 0 within format(): its list may hold values of several types
};

}  // namespace atl::schema::cel
