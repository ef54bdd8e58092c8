#include <cmath>
#include <limits>

#include "operator/schema/cel/function.h"
#include "operator/schema/cel/list_merge.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

Value overflow() {
    return Value::fail("integer overflow");
}

template <class T, class Operation>
Value whole(Args args, Operation operation) {
    T result{};
    if (operation(*args[0].as<T>(), *args[1].as<T>(), &result)) return overflow();
    return Value(result);
}

template <class T>
Value add(Args args) {
    return whole<T>(args, [](T a, T b, T* out) { return __builtin_add_overflow(a, b, out); });
}

template <class T>
Value subtract(Args args) {
    return whole<T>(args, [](T a, T b, T* out) { return __builtin_sub_overflow(a, b, out); });
}

template <class T>
Value multiply(Args args) {
    return whole<T>(args, [](T a, T b, T* out) { return __builtin_mul_overflow(a, b, out); });
}

template <class T>
bool overflows(T a, T b) {
    return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}

template <class T>
Value divide(Args args) {
    T a = *args[0].as<T>(), b = *args[1].as<T>();
    if (b == 0) return Value::fail("division by zero");
    return overflows(a, b) ? overflow() : Value(static_cast<T>(a / b));
}

template <class T>
Value modulo(Args args) {
    T a = *args[0].as<T>(), b = *args[1].as<T>();
    if (b == 0) return Value::fail("modulus by zero");
    return overflows(a, b) ? overflow() : Value(static_cast<T>(a % b));
}

template <double (*operation)(double, double)>
Value real(Args args) {
    return Value(operation(*args[0].as<double>(), *args[1].as<double>()));
}

double plus(double a, double b) {
    return a + b;
}
double minus(double a, double b) {
    return a - b;
}
double times(double a, double b) {
    return a * b;
}
double over(double a, double b) {
    return a / b;
}

Value add_text(Args args) {
    return Value::text(std::string(args[0].string()) + std::string(args[1].string()));
}

Value add_bytes(Args args) {
    std::string both(args[0].as<BytesValue>()->text.get());
    return Value(BytesValue{Text::own(both.append(args[1].as<BytesValue>()->text.get()))});
}

Value add_durations(Args args) {
    std::int64_t sum = 0;
    bool bad = __builtin_add_overflow(args[0].as<DurationValue>()->nanos, args[1].as<DurationValue>()->nanos, &sum);
    return bad ? overflow() : Value(DurationValue{sum});
}

Value subtract_durations(Args args) {
    std::int64_t difference = 0;
    bool bad =
        __builtin_sub_overflow(args[0].as<DurationValue>()->nanos, args[1].as<DurationValue>()->nanos, &difference);
    return bad ? overflow() : Value(DurationValue{difference});
}

Value shifted(const Timestamp& time, std::int64_t nanos) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    std::int64_t rest = time.nanos + nanos % kSecond;
    std::int64_t seconds = time.seconds + nanos / kSecond + (rest < 0 ? -1 : rest >= kSecond ? 1 : 0);
    constexpr std::int64_t kLeast = -62135596800, kMost = 253402300799;
    if (seconds < kLeast || seconds > kMost) return Value::fail("timestamp overflow");
    return Value(Timestamp{seconds, static_cast<std::int32_t>((rest + kSecond) % kSecond)});
}

Value add_time(Args args) {
    return shifted(*args[0].as<Timestamp>(), args[1].as<DurationValue>()->nanos);
}

Value add_time_reversed(Args args) {
    return shifted(*args[1].as<Timestamp>(), args[0].as<DurationValue>()->nanos);
}

Value subtract_duration_from_time(Args args) {
    std::int64_t nanos = args[1].as<DurationValue>()->nanos;
    return nanos == INT64_MIN ? overflow() : shifted(*args[0].as<Timestamp>(), -nanos);
}

Value subtract_times(Args args) {
    const Timestamp &a = *args[0].as<Timestamp>(), &b = *args[1].as<Timestamp>();
    __int128 nanos = static_cast<__int128>(a.seconds - b.seconds) * 1'000'000'000 + (a.nanos - b.nanos);
    if (nanos > INT64_MAX || nanos < INT64_MIN) return overflow();
    return Value(DurationValue{static_cast<std::int64_t>(nanos)});
}

Value negate_int(Args args) {
    std::int64_t value = args[0].integer();
    return value == INT64_MIN ? overflow() : Value(-value);
}

Value negate_double(Args args) {
    return Value(-*args[0].as<double>());
}

Value negate_bool(Args args) {
    return Value(!args[0].is_true());
}

Value is_equal(Args args) {
    return Value(equals(args[0], args[1]));
}

Value is_different(Args args) {
    return Value(!equals(args[0], args[1]));
}

template <bool (*holds)(int)>
Value ordered(Args args) {
    std::optional<int> order = compare(args[0], args[1]);
    return Value(order && holds(*order));
}

bool less(int order) {
    return order < 0;
}
bool less_or_equal(int order) {
    return order <= 0;
}
bool greater(int order) {
    return order > 0;
}
bool greater_or_equal(int order) {
    return order >= 0;
}

Value in_list(Args args) {
    for (std::size_t i = 0; i < list_size(args[1]); ++i) {
        if (equals(args[0], list_item(args[1], i))) return Value(true);
    }
    return Value(false);
}

Value in_map(Args args) {
    return Value(map_has(args[1], args[0]));
}

std::optional<std::int64_t> index_of(const Value& value) {
    if (const auto* i = value.as<std::int64_t>()) return *i;
    if (const auto* u = value.as<std::uint64_t>(); u != nullptr && *u <= INT64_MAX)
        return static_cast<std::int64_t>(*u);
    const auto* d = value.as<double>();
    if (d != nullptr && std::trunc(*d) == *d && std::fabs(*d) < 9e15) return static_cast<std::int64_t>(*d);
    return std::nullopt;
}

Value at_list(Args args) {
    std::optional<std::int64_t> at = index_of(args[1]);
    if (!at) return Value::fail("unsupported index type '" + std::string(runtime_name(args[1].kind())) + "' in list");
    bool inside = *at >= 0 && static_cast<std::size_t>(*at) < list_size(args[0]);
    if (!inside) return Value::fail("index out of bounds: " + std::to_string(*at));
    return list_item(args[0], static_cast<std::size_t>(*at));
}

Value at_map(Args args) {
    return map_get(args[0], args[1]);
}

// clang-format off
constexpr FunctionRow kOperators[] = {
    {"_==_", "(A, A) bool",                          is_equal},
    {"_!=_", "(A, A) bool",                          is_different},
    {"@in",  "(A, list(A)) bool",                    in_list},
    {"@in",  "(A, map(A, B)) bool",                  in_map},
    {"_[_]", "(list(A), int) A",                     at_list},
    {"_[_]", "(map(A, B), A) B",                     at_map},
    {"!_",   "(bool) bool",                          negate_bool},
    {"-_",   "(int) int",                            negate_int},
    {"-_",   "(double) double",                      negate_double},
    {"_+_",  "(int, int) int",                       add<std::int64_t>},
    {"_+_",  "(uint, uint) uint",                    add<std::uint64_t>},
    {"_+_",  "(double, double) double",              real<plus>},
    {"_+_",  "(string, string) string",              add_text},
    {"_+_",  "(bytes, bytes) bytes",                 add_bytes},
    {"_+_",  "(list(A), list(A)) list(A)",           add_lists},
    {"_+_",  "(duration, duration) duration",        add_durations},
    {"_+_",  "(timestamp, duration) timestamp",      add_time},
    {"_+_",  "(duration, timestamp) timestamp",      add_time_reversed},
    {"_-_",  "(int, int) int",                       subtract<std::int64_t>},
    {"_-_",  "(uint, uint) uint",                    subtract<std::uint64_t>},
    {"_-_",  "(double, double) double",              real<minus>},
    {"_-_",  "(duration, duration) duration",        subtract_durations},
    {"_-_",  "(timestamp, duration) timestamp",      subtract_duration_from_time},
    {"_-_",  "(timestamp, timestamp) duration",      subtract_times},
    {"_*_",  "(int, int) int",                       multiply<std::int64_t>},
    {"_*_",  "(uint, uint) uint",                    multiply<std::uint64_t>},
    {"_*_",  "(double, double) double",              real<times>},
    {"_/_",  "(int, int) int",                       divide<std::int64_t>},
    {"_/_",  "(uint, uint) uint",                    divide<std::uint64_t>},
    {"_/_",  "(double, double) double",              real<over>},
    {"_%_",  "(int, int) int",                       modulo<std::int64_t>},
    {"_%_",  "(uint, uint) uint",                    modulo<std::uint64_t>},
};
// clang-format on

constexpr std::string_view kOrdered[] = {"(bool, bool) bool",         "(int, int) bool",
                                         "(int, uint) bool",          "(int, double) bool",
                                         "(uint, int) bool",          "(uint, uint) bool",
                                         "(uint, double) bool",       "(double, int) bool",
                                         "(double, uint) bool",       "(double, double) bool",
                                         "(string, string) bool",     "(bytes, bytes) bool",
                                         "(duration, duration) bool", "(timestamp, timestamp) bool"};

}  // namespace

std::span<const FunctionRow> operator_functions() {
    static const auto all = [] {
        std::vector<FunctionRow> rows(std::begin(kOperators), std::end(kOperators));
        for (std::string_view signature : kOrdered) {
            rows.push_back({"_<_", signature, ordered<less>});
            rows.push_back({"_<=_", signature, ordered<less_or_equal>});
            rows.push_back({"_>_", signature, ordered<greater>});
            rows.push_back({"_>=_", signature, ordered<greater_or_equal>});
        }
        return rows;
    }();
    return all;
}

}  // namespace atl::schema::cel
