#include "operator/schema/cel/format.h"
#include "operator/schema/cel/function.h"
#include "operator/schema/cel/url.h"
#include "operator/schema/go_text.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

constexpr __int128 kNano = 1'000'000'000;

Value ip(Args args) {
    auto parsed = parse_ip(args[0].string());
    if (!parsed)
        return Value::fail("IP Address " + go_quote(args[0].string()) + " parse error during conversion from string");
    return Value(*parsed);
}

Value is_ip(Args args) {
    return Value(parse_ip(args[0].string()).has_value());
}

Value is_canonical_ip(Args args) {
    auto parsed = parse_ip(args[0].string());
    if (!parsed)
        return Value::fail("IP Address " + go_quote(args[0].string()) + " parse error during conversion from string");
    return Value(ip_text(*parsed) == args[0].string());
}

Value family(Args args) {
    return Value(std::int64_t{args[0].as<Ip>()->v4 ? 4 : 6});
}

template <bool (*holds)(const Ip&)>
Value of_ip(Args args) {
    return Value(holds(*args[0].as<Ip>()));
}

Value cidr(Args args) {
    auto parsed = parse_cidr(args[0].string());
    if (!parsed)
        return Value::fail("network address parse error during conversion from string: " + go_quote(args[0].string()));
    return Value(*parsed);
}

Value is_cidr(Args args) {
    return Value(parse_cidr(args[0].string()).has_value());
}

Value contains_ip(Args args) {
    return Value(contains(*args[0].as<Cidr>(), *args[1].as<Ip>()));
}

Value contains_ip_text(Args args) {
    auto parsed = parse_ip(args[1].string());
    if (!parsed)
        return Value::fail("IP Address " + go_quote(args[1].string()) + " parse error during conversion from string");
    return Value(contains(*args[0].as<Cidr>(), *parsed));
}

Value contains_cidr(Args args) {
    return Value(contains(*args[0].as<Cidr>(), *args[1].as<Cidr>()));
}

Value contains_cidr_text(Args args) {
    auto parsed = parse_cidr(args[1].string());
    if (!parsed)
        return Value::fail("network address parse error during conversion from string: " + go_quote(args[1].string()));
    return Value(contains(*args[0].as<Cidr>(), *parsed));
}

Value cidr_ip(Args args) {
    return Value(args[0].as<Cidr>()->ip);
}

Value masked_cidr(Args args) {
    return Value(masked(*args[0].as<Cidr>()));
}

Value prefix_length(Args args) {
    return Value(std::int64_t{args[0].as<Cidr>()->prefix});
}

Value quantity(Args args) {
    auto parsed = parse_quantity(args[0].string());
    if (!parsed)
        return Value::fail(
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    return Value(*parsed);
}

Value is_quantity(Args args) {
    return Value(parse_quantity(args[0].string()).has_value());
}

const Quantity& amount(const Value& value) {
    return *value.as<Quantity>();
}

Quantity operand(const Value& value) {
    if (const auto* number = value.as<std::int64_t>()) return Quantity{*number * kNano};
    return amount(value);
}

Value sign(Args args) {
    __int128 nanos = amount(args[0]).nanos;
    return Value(std::int64_t{nanos < 0 ? -1 : nanos > 0 ? 1 : 0});
}

Value is_whole(Args args) {
    return Value(is_integer(amount(args[0])));
}

Value as_integer(Args args) {
    if (!is_integer(amount(args[0]))) return Value::fail("cannot convert value to integer");
    return Value(static_cast<std::int64_t>(amount(args[0]).nanos / kNano));
}

Value as_float(Args args) {
    return Value(approximate(amount(args[0])));
}

Value add(Args args) {
    return Value(Quantity{amount(args[0]).nanos + operand(args[1]).nanos});
}

Value subtract(Args args) {
    return Value(Quantity{amount(args[0]).nanos - operand(args[1]).nanos});
}

Value is_less(Args args) {
    return Value(amount(args[0]) < amount(args[1]));
}

Value is_greater(Args args) {
    return Value(amount(args[0]) > amount(args[1]));
}

Value compare_to(Args args) {
    return Value(std::int64_t{*compare(args[0], args[1])});
}

Value url(Args args) {
    if (!parse_url(args[0].string()))
        return Value::fail("URL parse error during conversion from string: " + go_quote(args[0].string()));
    return Value(UrlValue{std::string(args[0].string())});
}

Value is_url(Args args) {
    return Value(parse_url(args[0].string()).has_value());
}

template <std::string Url::* part>
Value of_url(Args args) {
    auto parsed = parse_url(args[0].as<UrlValue>()->text);
    return Value::text(parsed ? (*parsed).*part : "");
}

Value url_query(Args args) {
    Entries entries;
    auto parsed = parse_url(args[0].as<UrlValue>()->text);
    if (!parsed) return Value::map({});
    for (auto& [name, values] : query_of(*parsed)) {
        Values texts;
        for (std::string& value : values) texts.push_back(Value::text(std::move(value)));
        entries.emplace_back(Value::text(name), Value::list(std::move(texts)));
    }
    return Value::map(std::move(entries));
}

// clang-format off
constexpr FunctionRow kNetworks[] = {
    {"ip",                   "(string) ip",                    ip},
    {"isIP",                 "(string) bool",                  is_ip},
    {"ip.isCanonical",       "(string) bool",                  is_canonical_ip},
    {"family",               "ip.() int",                      family},
    {"isUnspecified",        "ip.() bool",                     of_ip<is_unspecified>},
    {"isLoopback",           "ip.() bool",                     of_ip<is_loopback>},
    {"isLinkLocalMulticast", "ip.() bool",                     of_ip<is_link_local_multicast>},
    {"isLinkLocalUnicast",   "ip.() bool",                     of_ip<is_link_local_unicast>},
    {"isGlobalUnicast",      "ip.() bool",                     of_ip<is_global_unicast>},
    {"cidr",                 "(string) cidr",                  cidr},
    {"isCIDR",               "(string) bool",                  is_cidr},
    {"containsIP",           "cidr.(ip) bool",                 contains_ip},
    {"containsIP",           "cidr.(string) bool",             contains_ip_text},
    {"containsCIDR",         "cidr.(cidr) bool",               contains_cidr},
    {"containsCIDR",         "cidr.(string) bool",             contains_cidr_text},
    {"ip",                   "cidr.() ip",                     cidr_ip},
    {"masked",               "cidr.() cidr",                   masked_cidr},
    {"prefixLength",         "cidr.() int",                    prefix_length},
    {"quantity",             "(string) quantity",              quantity},
    {"isQuantity",           "(string) bool",                  is_quantity},
    {"sign",                 "(quantity) int",                sign},
    {"isInteger",            "quantity.() bool",               is_whole},
    {"asInteger",            "quantity.() int",                as_integer},
    {"asApproximateFloat",   "quantity.() double",             as_float},
    {"add",                  "quantity.(quantity) quantity",   add},
    {"add",                  "quantity.(int) quantity",        add},
    {"sub",                  "quantity.(quantity) quantity",   subtract},
    {"sub",                  "quantity.(int) quantity",        subtract},
    {"isLessThan",           "quantity.(quantity) bool",       is_less},
    {"isGreaterThan",        "quantity.(quantity) bool",       is_greater},
    {"compareTo",            "quantity.(quantity) int",        compare_to},
    {"url",                  "(string) url",                   url},
    {"isURL",                "(string) bool",                  is_url},
    {"getScheme",            "url.() string",                  of_url<&Url::scheme>},
    {"getHost",              "url.() string",                  of_url<&Url::host>},
    {"getHostname",          "url.() string",                  of_url<&Url::hostname>},
    {"getPort",              "url.() string",                  of_url<&Url::port>},
    {"getEscapedPath",       "url.() string",                  of_url<&Url::path>},
    {"getQuery",             "url.() map(string, list(string))", url_query},
};
// clang-format on

}  // namespace

std::span<const FunctionRow> network_functions() {
    return kNetworks;
}

}  // namespace atl::schema::cel
