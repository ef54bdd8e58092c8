#include "operator/schema/cel/evaluator.h"

#include <algorithm>
#include <array>

#include "operator/schema/cel/function.h"

namespace atl::schema::cel {
namespace {

constexpr std::size_t kMostArguments = 4;

/// What looking at a value costs beyond one: lists by item, texts by ten bytes.
std::int64_t cost_of(const Value& value) {
    if (value.as<Text>() != nullptr) return static_cast<std::int64_t>(value.string().size() / 10);
    if (const auto* bytes = value.as<BytesValue>()) return static_cast<std::int64_t>(bytes->text.get().size() / 10);
    if (is_list(value)) return static_cast<std::int64_t>(list_size(value));
    const Node* node = value.as<Node>();
    return node != nullptr ? static_cast<std::int64_t>(node->json->size()) : 0;
}

Value no_overload(const Expr& expr, std::span<const Value> args) {
    std::string types;
    for (const Value& arg : args) types += (types.empty() ? "" : ", ") + std::string(runtime_name(arg.kind()));
    return Value::fail("no such overload: " + expr.name + "(" + types + ")");
}

bool takes(const Function& function, std::span<const Value> args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (!accepts(*function.parameters[i], args[i])) return false;
    }
    return true;
}

Value not_bool(const Value& value) {
    return value.failed()
               ? value
               : Value::fail("no such overload: expected bool, found " + std::string(runtime_name(value.kind())));
}

Value item_of(const Value& range, std::size_t at, const Values& keys) {
    return is_list(range) ? list_item(range, at) : keys[at];
}

}  // namespace

Value Evaluator::evaluate(const Expr& expr) {
    charge(1);
    if (left_ < 0) return Value::fail("out of budget");
    switch (expr.kind) {
        case ExprKind::Literal:
            return expr.literal;
        case ExprKind::Identifier:
            if (expr.is_type_name) return Value(TypeValue{expr.name});
            return slots_[static_cast<std::size_t>(expr.slot)];
        case ExprKind::Select:
            return select(expr);
        case ExprKind::Call:
            return call(expr);
        case ExprKind::And:
        case ExprKind::Or:
            return logic(expr);
        case ExprKind::Conditional:
            return conditional(expr);
        case ExprKind::List:
            return list(expr);
        case ExprKind::Map:
            return map(expr);
        case ExprKind::Macro:
            return macro(expr);
    }
    return Value::fail("not an expression");
}

Value Evaluator::select(const Expr& expr) {
    Value target = evaluate(expr.args[0]);
    if (target.failed()) return target;
    bool optional = expr.is_optional;
    if (const auto* wrapped = target.as<OptionalValue>()) {
        if (!wrapped->value) return expr.is_test ? Value(false) : Value::none();
        Value inner = *wrapped->value;
        target = std::move(inner);
        optional = true;
    }
    Value key(Text::view(expr.name));
    if (!is_map(target)) {
        if (expr.is_test) return Value::fail("no such overload: has(" + std::string(runtime_name(target.kind())) + ")");
        return Value::fail("no such key: " + expr.name);
    }
    if (expr.is_test) return Value(map_has(target, key));
    if (!optional) return map_get(target, key);
    return map_has(target, key) ? Value::some(map_get(target, key)) : Value::none();
}

Value Evaluator::call(const Expr& expr) {
    std::array<Value, kMostArguments> args;
    std::size_t count = std::min(expr.args.size(), kMostArguments);
    for (std::size_t i = 0; i < count; ++i) {
        args[i] = evaluate(expr.args[i]);
        if (args[i].failed()) return args[i];
        charge(cost_of(args[i]));
    }
    if (left_ < 0) return Value::fail("out of budget");
    std::span<const Value> given(args.data(), count);
    for (const Function* function : expr.overloads) {
        if (!takes(*function, given)) continue;
        Value result = function->call(given);
        charge(cost_of(result));
        return result;
    }
    return no_overload(expr, given);
}

Value Evaluator::logic(const Expr& expr) {
    bool decides = expr.kind == ExprKind::Or;
    Value problem;
    bool had_problem = false;
    for (const Expr& arg : expr.args) {
        Value value = evaluate(arg);
        const bool* truth = value.as<bool>();
        if (truth != nullptr && *truth == decides) return value;
        if (truth == nullptr && !had_problem) {
            problem = not_bool(value);
            had_problem = true;
        }
    }
    return had_problem ? problem : Value(!decides);
}

Value Evaluator::conditional(const Expr& expr) {
    Value condition = evaluate(expr.args[0]);
    if (condition.as<bool>() == nullptr) return not_bool(condition);
    return evaluate(expr.args[condition.is_true() ? 1 : 2]);
}

Value Evaluator::list(const Expr& expr) {
    Values items;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
        Value item = evaluate(expr.args[i]);
        if (item.failed()) return item;
        if (expr.optional[i]) {
            const auto* optional = item.as<OptionalValue>();
            if (optional == nullptr)
                return Value::fail("cannot initialize optional list element from non-optional value");
            if (optional->value) items.push_back(*optional->value);
        } else {
            items.push_back(std::move(item));
        }
    }
    return Value::list(std::move(items));
}

Value Evaluator::map(const Expr& expr) {
    Entries entries;
    for (std::size_t i = 0; i + 1 < expr.args.size(); i += 2) {
        Value key = evaluate(expr.args[i]);
        if (key.failed()) return key;
        Value value = evaluate(expr.args[i + 1]);
        if (value.failed()) return value;
        std::erase_if(entries, [&](const auto& entry) { return equals(entry.first, key); });
        if (expr.optional[i / 2]) {
            const auto* optional = value.as<OptionalValue>();
            if (optional == nullptr) return Value::fail("cannot initialize optional entry from non-optional value");
            if (optional->value) entries.emplace_back(std::move(key), *optional->value);
        } else {
            entries.emplace_back(std::move(key), std::move(value));
        }
    }
    return Value::map(std::move(entries));
}

Value Evaluator::macro(const Expr& expr) {
    Value range = evaluate(expr.args[0]);
    if (range.failed()) return range;
    switch (expr.macro) {
        case Macro::OptionalMap:
        case Macro::OptionalFlatMap:
            return optional_macro(expr, range);
        default:
            break;
    }
    if (!is_list(range) && !is_map(range)) {
        return Value::fail("no such overload: comprehension over " + std::string(runtime_name(range.kind())));
    }
    switch (expr.macro) {
        case Macro::All:
        case Macro::Exists:
            return quantifier(expr, range);
        case Macro::ExistsOne:
            return exists_one(expr, range);
        default:
            return selection(expr, range);
    }
}

Value Evaluator::optional_macro(const Expr& expr, const Value& range) {
    const auto* optional = range.as<OptionalValue>();
    if (optional == nullptr) return Value::fail("no such overload: optMap");
    if (!optional->value) return Value::none();
    slots_[static_cast<std::size_t>(expr.slot)] = *optional->value;
    Value result = evaluate(expr.args[1]);
    return result.failed() || expr.macro == Macro::OptionalFlatMap ? result : Value::some(std::move(result));
}

Value Evaluator::quantifier(const Expr& expr, const Value& range) {
    bool decides = expr.macro == Macro::Exists;
    Values keys = is_list(range) ? Values{} : map_keys(range);
    std::size_t size = is_list(range) ? list_size(range) : keys.size();
    Value problem;
    bool had_problem = false;
    for (std::size_t i = 0; i < size && left_ >= 0; ++i) {
        slots_[static_cast<std::size_t>(expr.slot)] = item_of(range, i, keys);
        Value value = evaluate(expr.args[1]);
        const bool* truth = value.as<bool>();
        if (truth != nullptr && *truth == decides) return value;
        if (truth == nullptr && !had_problem) {
            problem = not_bool(value);
            had_problem = true;
        }
    }
    return had_problem ? problem : Value(!decides);
}

Value Evaluator::exists_one(const Expr& expr, const Value& range) {
    Values keys = is_list(range) ? Values{} : map_keys(range);
    std::size_t size = is_list(range) ? list_size(range) : keys.size();
    int found = 0;
    for (std::size_t i = 0; i < size && left_ >= 0; ++i) {
        slots_[static_cast<std::size_t>(expr.slot)] = item_of(range, i, keys);
        Value value = evaluate(expr.args[1]);
        if (value.as<bool>() == nullptr) return not_bool(value);
        found += value.is_true() ? 1 : 0;
    }
    return Value(found == 1);
}

/// filter(x, condition), map(x, value), map(x, condition, value).
Value Evaluator::selection(const Expr& expr, const Value& range) {
    bool has_condition = expr.macro == Macro::Filter || expr.args.size() == 3;
    Values keys = is_list(range) ? Values{} : map_keys(range);
    std::size_t size = is_list(range) ? list_size(range) : keys.size();
    Values items;
    for (std::size_t i = 0; i < size && left_ >= 0; ++i) {
        Value item = item_of(range, i, keys);
        slots_[static_cast<std::size_t>(expr.slot)] = item;
        if (has_condition) {
            Value condition = evaluate(expr.args[1]);
            if (condition.as<bool>() == nullptr) return not_bool(condition);
            if (!condition.is_true()) continue;
        }
        Value value = expr.macro == Macro::Filter ? item : evaluate(expr.args.back());
        if (value.failed()) return value;
        items.push_back(std::move(value));
    }
    return Value::list(std::move(items));
}

}  // namespace atl::schema::cel
