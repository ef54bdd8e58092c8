#include "operator/schema/cel/program.h"

#include <algorithm>

#include "operator/schema/cel/evaluator.h"
#include "operator/schema/cel/parser.h"

namespace atl::schema::cel {
namespace {

Error refused(std::string why) {
    return atl::invalid("InvalidRule", std::move(why));
}

}  // namespace

Result<Program> Program::compile(std::string_view source, std::vector<Variable> variables, Kind result) {
    std::vector<Problem> problems;
    std::optional<Expr> tree = parse(source, problems);
    if (!tree) return refused("compilation failed: " + problems_text(source, problems));
    std::vector<std::string> names;
    for (const Variable& variable : variables) names.push_back(variable.name);
    Checker checker(std::move(variables), problems);
    TypePtr type = checker.check(*tree);
    if (!problems.empty()) return refused("compilation failed: " + problems_text(source, problems));
    bool typed = result == Kind::Dyn || type->kind == result || type->kind == Kind::Dyn;
    if (!typed)
        return refused(result == Kind::Bool ? "cel expression must evaluate to a bool" : "must evaluate to a string");
    Program program;
    program.root_ = std::make_shared<const Expr>(std::move(*tree));
    program.slots_ = checker.slots();
    for (const std::string& name : names) {
        if (checker.uses(name)) program.used_.push_back(name);
    }
    return program;
}

Value Program::run(std::vector<Value> values, Budget& budget) const {
    values.resize(std::max(slots_, values.size()));
    std::int64_t allowed = std::min(budget.left, Budget::kPerCall);
    Evaluator evaluator(std::move(values), allowed);
    Value result = evaluator.evaluate(*root_);
    budget.left -= allowed - evaluator.left();
    if (evaluator.left() < 0) return Value::fail(std::string(kCostExceeded));
    return result;
}

bool Program::uses(std::string_view variable) const {
    return std::ranges::find(used_, variable) != used_.end();
}

}  // namespace atl::schema::cel
