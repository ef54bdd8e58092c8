#include <algorithm>

#include "operator/schema/cel/function.h"
#include "operator/schema/cel/list_merge.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

Value size_of_list(Args args) {
    return Value(static_cast<std::int64_t>(list_size(args[0])));
}

Value size_of_map(Args args) {
    return Value(static_cast<std::int64_t>(map_size(args[0])));
}

Value is_sorted(Args args) {
    for (std::size_t i = 1; i < list_size(args[0]); ++i) {
        std::optional<int> order = compare(list_item(args[0], i - 1), list_item(args[0], i));
        if (!order) return Value::fail("no such overload");
        if (*order > 0) return Value(false);
    }
    return Value(true);
}

Value sum_from(Args args, Value sum) {
    for (std::size_t i = 0; i < list_size(args[0]); ++i) {
        Value pair[] = {sum, list_item(args[0], i)};
        const FunctionRow* plus = nullptr;
        for (const FunctionRow& row : operator_functions()) {
            if (row.name != "_+_") continue;
            std::string_view signature = row.signature.substr(1);
            TypePtr kind = parse_type(signature);
            if (accepts(*kind, pair[0]) && accepts(*kind, pair[1])) plus = &row;
            if (plus != nullptr) break;
        }
        if (plus == nullptr) return Value::fail("no such overload");
        sum = plus->call(pair);
        if (sum.failed()) return sum;
    }
    return sum;
}

Value sum_ints(Args args) {
    bool empty = list_size(args[0]) == 0;
    bool real = !empty && list_item(args[0], 0).as<double>() != nullptr;
    if (real) return sum_from(args, Value(0.0));
    bool natural = !empty && list_item(args[0], 0).as<std::uint64_t>() != nullptr;
    return sum_from(args, natural ? Value(std::uint64_t{0}) : Value(std::int64_t{0}));
}

Value sum_doubles(Args args) {
    return sum_from(args, Value(0.0));
}

Value sum_uints(Args args) {
    return sum_from(args, Value(std::uint64_t{0}));
}

Value sum_durations(Args args) {
    return sum_from(args, Value(DurationValue{0}));
}

Value extreme(Args args, int wanted, const char* name) {
    if (list_size(args[0]) == 0) return Value::fail(std::string(name) + " called on empty list");
    Value best = list_item(args[0], 0);
    for (std::size_t i = 1; i < list_size(args[0]); ++i) {
        Value item = list_item(args[0], i);
        std::optional<int> order = compare(item, best);
        if (!order) return Value::fail("no such overload");
        if (*order == wanted) best = item;
    }
    return best;
}

Value least(Args args) {
    return extreme(args, -1, "min");
}

Value most(Args args) {
    return extreme(args, 1, "max");
}

Value index_in_list(Args args) {
    for (std::size_t i = 0; i < list_size(args[0]); ++i) {
        if (equals(list_item(args[0], i), args[1])) return Value(static_cast<std::int64_t>(i));
    }
    return Value(std::int64_t{-1});
}

Value last_index_in_list(Args args) {
    for (std::size_t i = list_size(args[0]); i > 0; --i) {
        if (equals(list_item(args[0], i - 1), args[1])) return Value(static_cast<std::int64_t>(i - 1));
    }
    return Value(std::int64_t{-1});
}

bool has_item(const Value& list, const Value& item) {
    for (std::size_t i = 0; i < list_size(list); ++i) {
        if (equals(list_item(list, i), item)) return true;
    }
    return false;
}

bool has_all(const Value& list, const Value& items) {
    for (std::size_t i = 0; i < list_size(items); ++i) {
        if (!has_item(list, list_item(items, i))) return false;
    }
    return true;
}

Value set_contains(Args args) {
    return Value(has_all(args[0], args[1]));
}

Value set_equivalent(Args args) {
    return Value(has_all(args[0], args[1]) && has_all(args[1], args[0]));
}

Value set_intersects(Args args) {
    for (std::size_t i = 0; i < list_size(args[1]); ++i) {
        if (has_item(args[0], list_item(args[1], i))) return Value(true);
    }
    return Value(false);
}

Value reversed(Args args) {
    Values items;
    for (std::size_t i = list_size(args[0]); i > 0; --i) items.push_back(list_item(args[0], i - 1));
    return Value::list(std::move(items));
}

Value distinct(Args args) {
    Values items;
    for (std::size_t i = 0; i < list_size(args[0]); ++i) {
        Value item = list_item(args[0], i);
        bool known = std::ranges::any_of(items, [&](const Value& present) { return equals(present, item); });
        if (!known) items.push_back(std::move(item));
    }
    return Value::list(std::move(items));
}

Value slice(Args args) {
    auto size = static_cast<std::int64_t>(list_size(args[0]));
    std::int64_t from = args[1].integer(), to = args[2].integer();
    if (from < 0 || to < 0) return Value::fail("cannot slice with negative index");
    if (from > to || to > size) {
        return Value::fail("cannot slice(" + std::to_string(from) + ", " + std::to_string(to) + "), list is length " +
                           std::to_string(size));
    }
    Values items;
    for (std::int64_t i = from; i < to; ++i) items.push_back(list_item(args[0], static_cast<std::size_t>(i)));
    return Value::list(std::move(items));
}

Value sorted(Args args) {
    Values items;
    for (std::size_t i = 0; i < list_size(args[0]); ++i) {
        items.push_back(list_item(args[0], i));
        if (!compare(items.front(), items.back())) return Value::fail("no such overload: sort()");
    }
    std::ranges::sort(items, [](const Value& a, const Value& b) { return compare(a, b).value_or(0) < 0; });
    return Value::list(std::move(items));
}

Value flattened(Args args) {
    Values items;
    for (std::size_t i = 0; i < list_size(args[0]); ++i) {
        Value item = list_item(args[0], i);
        for (std::size_t j = 0; is_list(item) && j < list_size(item); ++j) items.push_back(list_item(item, j));
        if (!is_list(item)) items.push_back(std::move(item));
    }
    return Value::list(std::move(items));
}

Value first(Args args) {
    return list_size(args[0]) == 0 ? Value::none() : Value::some(list_item(args[0], 0));
}

Value last(Args args) {
    return list_size(args[0]) == 0 ? Value::none() : Value::some(list_item(args[0], list_size(args[0]) - 1));
}

// clang-format off
constexpr FunctionRow kLists[] = {
    {"size",            "(list(A)) int",            size_of_list},
    {"size",            "list(A).() int",           size_of_list},
    {"size",            "(map(A, B)) int",          size_of_map},
    {"size",            "map(A, B).() int",         size_of_map},
    {"isSorted",        "list(A).() bool",          is_sorted},
    {"sum",             "list(int).() int",         sum_ints},
    {"sum",             "list(uint).() uint",       sum_uints},
    {"sum",             "list(double).() double",   sum_doubles},
    {"sum",             "list(duration).() duration", sum_durations},
    {"min",             "list(A).() A",             least},
    {"max",             "list(A).() A",             most},
    {"indexOf",         "list(A).(A) int",          index_in_list},
    {"lastIndexOf",     "list(A).(A) int",          last_index_in_list},
    {"reverse",         "list(A).() list(A)",       reversed},
    {"distinct",        "list(A).() list(A)",       distinct},
    {"slice",           "list(A).(int, int) list(A)", slice},
    {"sort",            "list(A).() list(A)",       sorted},
    {"flatten",         "list(list(A)).() list(A)", flattened},
    {"first",           "list(A).() optional(A)",   first},
    {"last",            "list(A).() optional(A)",   last},
    {"sets.contains",   "(list(A), list(A)) bool",  set_contains},
    {"sets.equivalent", "(list(A), list(A)) bool",  set_equivalent},
    {"sets.intersects", "(list(A), list(A)) bool",  set_intersects},
};
// clang-format on

}  // namespace

std::span<const FunctionRow> list_functions() {
    return kLists;
}

}  // namespace atl::schema::cel
