#include "operator/schema/cel/checker.h"

#include <algorithm>
#include <map>

#include "operator/schema/cel/function.h"
#include "operator/schema/cel/regex.h"

namespace atl::schema::cel {
namespace {

constexpr std::string_view kQualifiedTypeNames[] = {"google.protobuf.Duration",
                                                    "google.protobuf.Timestamp",
                                                    "kubernetes.Quantity",
                                                    "kubernetes.URL",
                                                    "net.CIDR",
                                                    "net.IP"};
constexpr std::string_view kTypeNames[] = {"bool", "bytes",     "double", "int",  "list",
                                           "map",  "null_type", "string", "type", "uint"};

using Bindings = std::map<std::string, TypePtr>;

bool is_dyn(const TypePtr& type) {
    return type->kind == Kind::Dyn || type->kind == Kind::Parameter;
}

/// Whether a value of the type may be passed for the parameter; binds the parameter's letters on the way.
bool fits(const TypePtr& parameter, const TypePtr& type, Bindings& bound) {
    if (parameter->kind == Kind::Parameter) {
        auto [entry, is_new] = bound.emplace(parameter->name, type);
        if (is_new) return true;
        if (is_dyn(entry->second)) entry->second = type;
        Bindings none;
        return is_dyn(type) || fits(entry->second, type, none);
    }
    if (is_dyn(parameter) || is_dyn(type)) return true;
    if (parameter->kind == Kind::Map && type->kind == Kind::Object) {
        return fits(parameter->key, simple(Kind::String), bound) && fits(parameter->element, simple(Kind::Dyn), bound);
    }
    if (parameter->kind == Kind::Object && type->kind == Kind::Object) {
        return parameter == type || parameter->fields.size() == type->fields.size();
    }
    // null may stand for what is not a plain value.
    bool nullable =
        parameter->kind == Kind::Object || parameter->kind == Kind::Duration || parameter->kind == Kind::Timestamp;
    if (type->kind == Kind::Null && nullable) return true;
    if (parameter->kind != type->kind) return false;
    if (parameter->kind == Kind::Map && !fits(parameter->key, type->key, bound)) return false;
    return !parameter->element || fits(parameter->element, type->element, bound);
}

TypePtr substituted(const TypePtr& type, const Bindings& bound) {
    switch (type->kind) {
        case Kind::Parameter: {
            auto found = bound.find(type->name);
            return found == bound.end() ? simple(Kind::Dyn) : found->second;
        }
        case Kind::List:
            return list_of(substituted(type->element, bound));
        case Kind::Optional:
            return optional_of(substituted(type->element, bound));
        case Kind::Map:
            return map_of(substituted(type->key, bound), substituted(type->element, bound));
        default:
            return type;
    }
}

/// The type of both branches of a condition, or of all items of a list: theirs if they agree, else dyn.
TypePtr joined(const TypePtr& a, const TypePtr& b) {
    Bindings none;
    if (is_dyn(a) || is_dyn(b)) return simple(Kind::Dyn);
    return fits(a, b, none) && fits(b, a, none) ? a : simple(Kind::Dyn);
}

/// "a.b.c" of a chain of names; empty if it is none.
std::string dotted_name(const Expr& expr) {
    if (expr.kind == ExprKind::Identifier) return expr.name;
    bool plain = expr.kind == ExprKind::Select && !expr.is_test && !expr.is_optional;
    std::string target = plain ? dotted_name(expr.args[0]) : "";
    return target.empty() ? "" : target + "." + expr.name;
}

std::string arguments_text(const Expr& expr, const std::vector<TypePtr>& types) {
    std::string text = expr.is_member ? type_text(types[0]) + ".(" : "(";
    for (std::size_t i = expr.is_member ? 1 : 0; i < types.size(); ++i) {
        text += (text.ends_with('(') ? "" : ", ") + type_text(types[i]);
    }
    return text + ")";
}

bool is_bool_or_dyn(const TypePtr& type) {
    return type->kind == Kind::Bool || is_dyn(type);
}

}  // namespace

bool Checker::uses(std::string_view name) const {
    return std::ranges::find(used_, name) != used_.end();
}

TypePtr Checker::check(Expr& expr) {
    slots_ = std::max(slots_, variables_.size());
    switch (expr.kind) {
        case ExprKind::Literal:
            return simple(expr.literal.kind());
        case ExprKind::Identifier:
            return check_identifier(expr);
        case ExprKind::Select:
            return check_select(expr);
        case ExprKind::Call:
            return check_call(expr);
        case ExprKind::And:
        case ExprKind::Or:
            return check_logic(expr);
        case ExprKind::Conditional:
            return check_conditional(expr);
        case ExprKind::List:
            return check_list(expr);
        case ExprKind::Map:
            return check_map(expr);
        case ExprKind::Macro:
            return check_macro(expr);
    }
    return simple(Kind::Dyn);
}

TypePtr Checker::check_identifier(Expr& expr) {
    for (std::size_t i = variables_.size(); i > 0; --i) {
        if (variables_[i - 1].name != expr.name) continue;
        expr.slot = static_cast<int>(i - 1);
        used_.push_back(expr.name);
        return variables_[i - 1].type;
    }
    if (std::ranges::find(kTypeNames, expr.name) != std::end(kTypeNames)) {
        expr.is_type_name = true;
        return simple(Kind::Type);
    }
    report(expr.offset, "undeclared reference to '" + expr.name + "' (in container '')");
    return simple(Kind::Dyn);
}

TypePtr Checker::check_select(Expr& expr) {
    std::string name = dotted_name(expr);
    if (std::ranges::find(kQualifiedTypeNames, name) != std::end(kQualifiedTypeNames)) {
        expr.kind = ExprKind::Identifier;
        expr.name = name;
        expr.args.clear();
        expr.is_type_name = true;
        return simple(Kind::Type);
    }
    TypePtr target = check(expr.args[0]);
    if (expr.is_test) {
        field_type(expr, target->kind == Kind::Optional ? target->element : target);
        return simple(Kind::Bool);
    }
    bool was_optional = target->kind == Kind::Optional;
    TypePtr field = field_type(expr, was_optional ? target->element : target);
    bool already = field->kind == Kind::Optional;
    return (expr.is_optional || was_optional) && !already ? optional_of(field) : field;
}

TypePtr Checker::field_type(const Expr& expr, const TypePtr& target) {
    if (is_dyn(target)) return simple(Kind::Dyn);
    if (target->kind == Kind::Map) return target->element;
    if (target->kind == Kind::Object) {
        auto field = target->fields.find(expr.name);
        if (field != target->fields.end()) return field->second.type;
        report(expr.offset, "undefined field '" + expr.name + "'");
        return simple(Kind::Dyn);
    }
    report(expr.offset, "type '" + type_text(target) + "' does not support field selection");
    return simple(Kind::Dyn);
}

/// sets.contains(a, b) parses as a call on `sets`: makes it the function that it is.
bool Checker::is_namespaced(Expr& expr) {
    if (!expr.is_member || expr.args[0].kind != ExprKind::Identifier) return false;
    const std::string& space = expr.args[0].name;
    auto shadowed = std::ranges::find(variables_, space, &Variable::name);
    if (shadowed != variables_.end() || find_functions(space + "." + expr.name, false).empty()) return false;
    expr.name = space + "." + expr.name;
    expr.args.erase(expr.args.begin());
    expr.is_member = false;
    return true;
}

TypePtr Checker::check_call(Expr& expr) {
    is_namespaced(expr);
    std::size_t before = problems_.size();
    std::vector<TypePtr> types;
    bool formats = expr.name == "format";
    mixed_ += formats ? 1 : 0;
    for (Expr& arg : expr.args) types.push_back(check(arg));
    mixed_ -= formats ? 1 : 0;
    auto candidates = find_functions(expr.name, expr.is_member);
    if (candidates.empty()) {
        report(expr.offset, "undeclared reference to '" + expr.name + "' (in container '')");
        return simple(Kind::Dyn);
    }
    TypePtr result;
    for (const Function* function : candidates) {
        Bindings bound;
        bool all = function->parameters.size() == types.size();
        for (std::size_t i = 0; all && i < types.size(); ++i) all = fits(function->parameters[i], types[i], bound);
        if (!all) continue;
        expr.overloads.push_back(function);
        TypePtr type = substituted(function->result, bound);
        result = result ? joined(result, type) : type;
    }
    check_literals(expr);
    if (result) return result;
    if (problems_.size() == before) {
        report(expr.offset,
               "found no matching overload for '" + expr.name + "' applied to '" + arguments_text(expr, types) + "'");
    }
    return simple(Kind::Dyn);
}

/// Literals that can never work: a broken pattern, duration or time.
void Checker::check_literals(const Expr& expr) {
    const Expr* last = expr.args.empty() ? nullptr : &expr.args.back();
    if (last == nullptr || last->kind != ExprKind::Literal || last->literal.as<Text>() == nullptr) return;
    std::string_view text = last->literal.string();
    bool broken = (expr.name == "matches" && !Regex::compile(text).ok()) ||
                  (expr.name == "duration" && !parse_duration(text)) ||
                  (expr.name == "timestamp" && !parse_timestamp(text));
    if (broken) report(last->offset, "invalid " + expr.name + " argument");
}

void Checker::expect_bool(const Expr& expr, const TypePtr& type) {
    if (is_bool_or_dyn(type)) return;
    report(expr.offset, "expected type 'bool' but found '" + type_text(type) + "'");
}

TypePtr Checker::check_logic(Expr& expr) {
    for (Expr& arg : expr.args) {
        TypePtr type = check(arg);
        expect_bool(arg, type);
    }
    return simple(Kind::Bool);
}

TypePtr Checker::check_conditional(Expr& expr) {
    TypePtr condition = check(expr.args[0]);
    TypePtr yes = check(expr.args[1]);
    TypePtr no = check(expr.args[2]);
    Bindings none;
    if (is_bool_or_dyn(condition) && fits(yes, no, none)) return yes;
    report(expr.offset, "found no matching overload for '_?_:_' applied to '(" + type_text(condition) + ", " +
                            type_text(yes) + ", " + type_text(no) + ")'");
    return simple(Kind::Dyn);
}

TypePtr Checker::common(const Expr& expr, const TypePtr& before, const TypePtr& type) {
    TypePtr both = joined(before, type);
    bool differ = both->kind == Kind::Dyn && !is_dyn(before) && !is_dyn(type);
    if (differ && mixed_ == 0) {
        report(expr.offset, "expected type '" + type_text(before) + "' but found '" + type_text(type) + "'");
    }
    return both;
}

TypePtr Checker::check_list(Expr& expr) {
    TypePtr element;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
        TypePtr type = check(expr.args[i]);
        if (expr.optional[i]) type = type->kind == Kind::Optional ? type->element : simple(Kind::Dyn);
        element = element ? common(expr.args[i], element, type) : type;
    }
    return list_of(element ? element : simple(Kind::Dyn));
}

TypePtr Checker::check_map(Expr& expr) {
    TypePtr key, value;
    for (std::size_t i = 0; i + 1 < expr.args.size(); i += 2) {
        TypePtr key_type = check(expr.args[i]);
        TypePtr value_type = check(expr.args[i + 1]);
        if (expr.optional[i / 2])
            value_type = value_type->kind == Kind::Optional ? value_type->element : simple(Kind::Dyn);
        key = key ? common(expr.args[i], key, key_type) : key_type;
        value = value ? common(expr.args[i + 1], value, value_type) : value_type;
    }
    return map_of(key ? key : simple(Kind::Dyn), value ? value : simple(Kind::Dyn));
}

TypePtr Checker::element_of(const Expr& expr, const TypePtr& range) {
    bool optional = expr.macro == Macro::OptionalMap || expr.macro == Macro::OptionalFlatMap;
    if (is_dyn(range)) return simple(Kind::Dyn);
    if (optional && range->kind == Kind::Optional) return range->element;
    if (!optional && range->kind == Kind::List) return range->element;
    if (!optional && range->kind == Kind::Map) return range->key;
    if (!optional && range->kind == Kind::Object) return simple(Kind::String);
    report(expr.args[0].offset, "expression of type '" + type_text(range) +
                                    "' cannot be range of a comprehension (must be list, map, or dynamic)");
    return simple(Kind::Dyn);
}

TypePtr Checker::check_macro(Expr& expr) {
    TypePtr range = check(expr.args[0]);
    TypePtr element = element_of(expr, range);
    expr.slot = static_cast<int>(variables_.size());
    variables_.push_back({expr.name, element});
    std::vector<TypePtr> parts;
    for (std::size_t i = 1; i < expr.args.size(); ++i) parts.push_back(check(expr.args[i]));
    variables_.pop_back();
    return macro_result(expr, range, parts);
}

TypePtr Checker::macro_result(const Expr& expr, const TypePtr& range, const std::vector<TypePtr>& parts) {
    switch (expr.macro) {
        case Macro::All:
        case Macro::Exists:
        case Macro::ExistsOne:
            expect_bool(expr.args[1], parts[0]);
            return simple(Kind::Bool);
        case Macro::Filter:
            expect_bool(expr.args[1], parts[0]);
            return range->kind == Kind::List ? list_of(range->element)
                                             : list_of(range->kind == Kind::Map ? range->key : simple(Kind::Dyn));
        case Macro::Map:
            if (parts.size() == 2) expect_bool(expr.args[1], parts[0]);
            return list_of(parts.back());
        case Macro::OptionalMap:
            return optional_of(parts[0]);
        case Macro::OptionalFlatMap:
            return parts[0];
    }
    return simple(Kind::Dyn);
}

}  // namespace atl::schema::cel
