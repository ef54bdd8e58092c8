#include <charconv>
#include <cmath>

#include "operator/schema/cel/format.h"
#include "operator/schema/cel/function.h"
#include "operator/schema/go_text.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

template <class T>
std::optional<T> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    T value{};
    auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

Value same(Args args) {
    return args[0];
}

Value range_error() {
    return Value::fail("range error");
}

Value uint_to_int(Args args) {
    std::uint64_t value = *args[0].as<std::uint64_t>();
    return value > INT64_MAX ? range_error() : Value(static_cast<std::int64_t>(value));
}

Value double_to_int(Args args) {
    double value = *args[0].as<double>();
    bool fits = std::isfinite(value) && value > -9.2233720368547758e18 && value < 9.2233720368547758e18;
    return fits ? Value(static_cast<std::int64_t>(value)) : range_error();
}

Value text_to_int(Args args) {
    auto value = parse_number<std::int64_t>(args[0].string());
    if (!value) return Value::fail("strconv.ParseInt: parsing " + go_quote(args[0].string()) + ": invalid syntax");
    return Value(*value);
}

Value time_to_int(Args args) {
    return Value(args[0].as<Timestamp>()->seconds);
}

Value int_to_uint(Args args) {
    return args[0].integer() < 0 ? range_error() : Value(static_cast<std::uint64_t>(args[0].integer()));
}

Value double_to_uint(Args args) {
    double value = *args[0].as<double>();
    bool fits = std::isfinite(value) && value >= 0 && value < 1.8446744073709552e19;
    return fits ? Value(static_cast<std::uint64_t>(value)) : range_error();
}

Value text_to_uint(Args args) {
    auto value = parse_number<std::uint64_t>(args[0].string());
    if (!value) return Value::fail("strconv.ParseUint: parsing " + go_quote(args[0].string()) + ": invalid syntax");
    return Value(*value);
}

Value int_to_double(Args args) {
    return Value(static_cast<double>(args[0].integer()));
}

Value uint_to_double(Args args) {
    return Value(static_cast<double>(*args[0].as<std::uint64_t>()));
}

Value text_to_double(Args args) {
    auto value = parse_number<double>(args[0].string());
    if (!value) return Value::fail("strconv.ParseFloat: parsing " + go_quote(args[0].string()) + ": invalid syntax");
    return Value(*value);
}

Value to_text(Args args) {
    return Value::text(plain_text(args[0]));
}

Value text_to_bool(Args args) {
    std::string_view text = args[0].string();
    for (std::string_view word : {"true", "t", "True", "TRUE", "1"}) {
        if (text == word) return Value(true);
    }
    for (std::string_view word : {"false", "f", "False", "FALSE", "0"}) {
        if (text == word) return Value(false);
    }
    return Value::fail("strconv.ParseBool: parsing " + go_quote(text) + ": invalid syntax");
}

Value text_to_bytes(Args args) {
    return Value(BytesValue{*args[0].as<Text>()});
}

Value text_to_duration(Args args) {
    auto nanos = parse_duration(args[0].string());
    if (!nanos) return Value::fail("time: invalid duration " + go_quote(args[0].string()));
    return Value(DurationValue{*nanos});
}

Value int_to_duration(Args args) {
    return Value(DurationValue{args[0].integer()});
}

Value text_to_time(Args args) {
    auto time = parse_timestamp(args[0].string());
    if (!time) return Value::fail("parsing time " + go_quote(args[0].string()) + " as RFC 3339: not a date and time");
    return Value(*time);
}

Value int_to_time(Args args) {
    constexpr std::int64_t kLeast = -62135596800, kMost = 253402300799;
    if (args[0].integer() < kLeast || args[0].integer() > kMost) return Value::fail("timestamp overflow");
    return Value(Timestamp{args[0].integer(), 0});
}

Value type_name(Args args) {
    return Value(TypeValue{std::string(runtime_name(args[0].kind()))});
}

// clang-format off
constexpr FunctionRow kConversions[] = {
    {"int",       "(int) int",             same},
    {"int",       "(uint) int",            uint_to_int},
    {"int",       "(double) int",          double_to_int},
    {"int",       "(string) int",          text_to_int},
    {"int",       "(timestamp) int",       time_to_int},
    {"uint",      "(uint) uint",           same},
    {"uint",      "(int) uint",            int_to_uint},
    {"uint",      "(double) uint",         double_to_uint},
    {"uint",      "(string) uint",         text_to_uint},
    {"double",    "(double) double",       same},
    {"double",    "(int) double",          int_to_double},
    {"double",    "(uint) double",         uint_to_double},
    {"double",    "(string) double",       text_to_double},
    {"string",    "(string) string",       same},
    {"string",    "(bool) string",         to_text},
    {"string",    "(int) string",          to_text},
    {"string",    "(uint) string",         to_text},
    {"string",    "(double) string",       to_text},
    {"string",    "(bytes) string",        to_text},
    {"string",    "(timestamp) string",    to_text},
    {"string",    "(duration) string",     to_text},
    {"string",    "(ip) string",           to_text},
    {"string",    "(cidr) string",         to_text},
    {"bool",      "(bool) bool",           same},
    {"bool",      "(string) bool",         text_to_bool},
    {"bytes",     "(bytes) bytes",         same},
    {"bytes",     "(string) bytes",        text_to_bytes},
    {"duration",  "(duration) duration",   same},
    {"duration",  "(string) duration",     text_to_duration},
    {"duration",  "(int) duration",        int_to_duration},
    {"timestamp", "(timestamp) timestamp", same},
    {"timestamp", "(string) timestamp",    text_to_time},
    {"timestamp", "(int) timestamp",       int_to_time},
    {"dyn",       "(A) dyn",               same},
    {"type",      "(A) type",              type_name},
};
// clang-format on

}  // namespace

std::span<const FunctionRow> conversion_functions() {
    return kConversions;
}

}  // namespace atl::schema::cel
