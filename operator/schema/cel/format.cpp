#include "operator/schema/cel/format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "operator/schema/go_text.h"

namespace atl::schema::cel {
namespace {

/// A value within a list or map: strings are quoted there.
std::string nested_text(const Value& value) {
    return value.as<Text>() != nullptr ? go_quote(value.string()) : plain_text(value);
}

std::string list_text(const Value& list) {
    std::string out = "[";
    for (std::size_t i = 0; i < list_size(list); ++i) out += (i > 0 ? ", " : "") + nested_text(list_item(list, i));
    return out + "]";
}

std::string map_text(const Value& map) {
    std::string out = "{";
    for (const Value& key : map_keys(map)) {
        out += (out.size() > 1 ? "," : "") + nested_text(key) + ":" + nested_text(map_get(map, key));
    }
    return out + "}";
}

std::string digits_text(std::uint64_t value, bool negative, int base, bool upper) {
    std::array<char, 72> text{};
    auto end = std::to_chars(text.data(), text.data() + text.size(), value, base).ptr;
    std::string out(text.data(), end);
    if (upper) {
        for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    return (negative ? "-" : "") + out;
}

std::string hex_text(std::string_view bytes, bool upper) {
    std::string out;
    for (char c : bytes) {
        std::array<char, 4> pair{};
        std::snprintf(pair.data(), pair.size(), upper ? "%02X" : "%02x", static_cast<unsigned char>(c));
        out += pair.data();
    }
    return out;
}

/// 1.5e+00 as 1.5×10⁰⁰, which is how format() writes exponents.
std::string with_superscript(std::string_view text) {
    constexpr std::string_view kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    auto e = text.find('e');
    if (e == std::string_view::npos) return std::string(text);
    std::string out = std::string(text.substr(0, e)) + "×10";
    for (char c : text.substr(e + 1)) {
        if (c == '-') out += "⁻";
        if (c >= '0' && c <= '9') out += kDigits[c - '0'];
    }
    return out;
}

std::optional<std::string> in_base(const Value& value, int base, bool upper) {
    if (const auto* i = value.as<std::int64_t>()) {
        auto magnitude = *i < 0 ? 0 - static_cast<std::uint64_t>(*i) : static_cast<std::uint64_t>(*i);
        return digits_text(magnitude, *i < 0, base, upper);
    }
    if (const auto* u = value.as<std::uint64_t>()) return digits_text(*u, false, base, upper);
    if (base == 2 && value.as<bool>() != nullptr) return value.is_true() ? "1" : "0";
    if (base == 16 && value.as<Text>() != nullptr) return hex_text(value.string(), upper);
    if (base == 16 && value.as<BytesValue>() != nullptr) return hex_text(value.as<BytesValue>()->text.get(), upper);
    return std::nullopt;
}

/// One clause of a pattern: %.3f is {'f', 3}.
struct Clause {
    char verb = 0;
    int precision = 6;
};

std::optional<std::string> formatted(const Clause& clause, const Value& value) {
    switch (clause.verb) {
        case 's':
            return plain_text(value);
        case 'd':
            if (value.as<double>() != nullptr) return std::nullopt;
            return in_base(value, 10, false);
        case 'b':
            return in_base(value, 2, false);
        case 'o':
            return in_base(value, 8, false);
        case 'x':
            return in_base(value, 16, false);
        case 'X':
            return in_base(value, 16, true);
        case 'f':
        case 'e': {
            const auto* number = value.as<double>();
            if (number == nullptr) return std::nullopt;
            std::array<char, 512> text{};
            std::snprintf(text.data(), text.size(), clause.verb == 'f' ? "%.*f" : "%.*e", clause.precision, *number);
            return clause.verb == 'f' ? std::string(text.data()) : with_superscript(text.data());
        }
        default:
            return std::nullopt;
    }
}

/// Reads the clause behind a %; `at` ends behind its verb.
Clause clause_at(std::string_view pattern, std::size_t& at) {
    Clause clause;
    if (at < pattern.size() && pattern[at] == '.') {
        clause.precision = 0;
        for (++at; at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9'; ++at) {
            clause.precision = std::min(clause.precision * 10 + (pattern[at] - '0'), 100);
        }
    }
    if (at < pattern.size()) clause.verb = pattern[at++];
    return clause;
}

}  // namespace

std::string plain_text(const Value& value) {
    if (is_list(value)) return list_text(value);
    if (is_map(value)) return map_text(value);
    switch (value.kind()) {
        case Kind::Null:
            return "null";
        case Kind::Bool:
            return value.is_true() ? "true" : "false";
        case Kind::Int:
            return std::to_string(value.integer());
        case Kind::Uint:
            return std::to_string(*value.as<std::uint64_t>());
        case Kind::Double:
            return go_float(*value.as<double>());
        case Kind::String:
            return std::string(value.string());
        case Kind::Bytes:
            return std::string(value.as<BytesValue>()->text.get());
        case Kind::Duration:
            return duration_text(value.as<DurationValue>()->nanos);
        case Kind::Timestamp:
            return timestamp_text(*value.as<Timestamp>());
        case Kind::Type:
            return value.as<TypeValue>()->name;
        case Kind::Ip:
            return ip_text(*value.as<Ip>());
        case Kind::Cidr:
            return cidr_text(*value.as<Cidr>());
        case Kind::Url:
            return value.as<UrlValue>()->text;
        default:
            return std::string(runtime_name(value.kind()));
    }
}

Value format_text(std::string_view pattern, const Value& arguments) {
    std::string out;
    std::size_t used = 0;
    for (std::size_t at = 0; at < pattern.size();) {
        if (pattern[at] != '%') {
            out += pattern[at++];
            continue;
        }
        Clause clause = clause_at(pattern, ++at);
        if (clause.verb == '%') {
            out += '%';
            continue;
        }
        if (used >= list_size(arguments)) return Value::fail("index " + std::to_string(used) + " out of range");
        auto text = formatted(clause, list_item(arguments, used++));
        if (!text)
            return Value::fail("could not parse formatting clause: unrecognized formatting clause \"" +
                               std::string(1, clause.verb) + "\"");
        out += *text;
    }
    if (used < list_size(arguments)) {
        return Value::fail("too many arguments supplied to string.format (expected " + std::to_string(used) + ", got " +
                           std::to_string(list_size(arguments)) + ")");
    }
    return Value::text(std::move(out));
}

}  // namespace atl::schema::cel
