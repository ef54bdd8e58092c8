#include "operator/schema/go_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace atl::schema {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_printable(char32_t rune) {
    if (rune < 0x20 || (rune >= 0x7F && rune <= 0xA0) || rune == 0xAD) return false;
    if ((rune >= 0x2000 && rune <= 0x200F) || (rune >= 0x2028 && rune <= 0x202F)) return false;
    return rune != 0x3000 && rune != 0xFEFF && !(rune >= 0xE000 && rune <= 0xF8FF);
}

char short_escape(char32_t rune) {
    switch (rune) {
        case '\a':
            return 'a';
        case '\b':
            return 'b';
        case '\f':
            return 'f';
        case '\n':
            return 'n';
        case '\r':
            return 'r';
        case '\t':
            return 't';
        case '\v':
            return 'v';
        case '"':
            return '"';
        case '\\':
            return '\\';
        default:
            return 0;
    }
}

void append_hex(std::string& out, const char* format, unsigned value) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), format, value);
    out += text.data();
}

void append_unprintable(std::string& out, char32_t rune) {
    if (rune < 0x80) return append_hex(out, "\\x%02x", rune);
    append_hex(out, rune < 0x10000 ? "\\u%04x" : "\\U%08x", rune);
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        char32_t rune = 0;
        std::size_t length = rune_at(text, at, rune);
        char escape = short_escape(rune);
        if (escape != 0 && rune != '\a' && rune != '\v') {
            out += '\\';
            out += escape;
        } else if (rune < 0x20 || rune == '<' || rune == '>' || rune == '&' || rune == 0x2028 || rune == 0x2029) {
            append_hex(out, "\\u%04x", rune);
        } else if (rune == kReplacement && length == 1) {
            out += "\\ufffd";
        } else {
            out += text.substr(at, length);
        }
        at += length;
    }
    out += '"';
}

struct Decimal {
    bool negative = false;
    std::string digits;  ///< without a point
    int exponent = 0;    ///< d.ddd × 10^exponent
};

/// The shortest digits that give the number back.
Decimal shortest(double value) {
    std::array<char, 40> text{};
    auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
    std::string_view all(text.data(), static_cast<std::size_t>(end - text.data()));
    Decimal decimal;
    if (all.starts_with('-')) {
        decimal.negative = true;
        all.remove_prefix(1);
    }
    auto e = all.find('e');
    for (char c : all.substr(0, e)) {
        if (c != '.') decimal.digits += c;
    }
    std::string_view exponent = all.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
    return decimal;
}

std::string fixed(const Decimal& decimal) {
    std::string out = decimal.negative ? "-" : "";
    int count = static_cast<int>(decimal.digits.size());
    if (decimal.exponent < 0) {
        out += "0." + std::string(static_cast<std::size_t>(-decimal.exponent - 1), '0') + decimal.digits;
    } else if (decimal.exponent + 1 >= count) {
        out += decimal.digits + std::string(static_cast<std::size_t>(decimal.exponent + 1 - count), '0');
    } else {
        auto point = static_cast<std::size_t>(decimal.exponent + 1);
        out += decimal.digits.substr(0, point) + "." + decimal.digits.substr(point);
    }
    return out;
}

std::string scientific(const Decimal& decimal, int exponent_digits) {
    std::string out = decimal.negative ? "-" : "";
    out += decimal.digits.substr(0, 1);
    if (decimal.digits.size() > 1) out += "." + decimal.digits.substr(1);
    std::array<char, 16> exponent{};
    std::snprintf(exponent.data(), exponent.size(), exponent_digits == 2 ? "e%c%02d" : "e%c%d",
                  decimal.exponent < 0 ? '-' : '+', std::abs(decimal.exponent));
    return out + exponent.data();
}

std::string json_float(double value) {
    if (!std::isfinite(value)) return "null";
    if (value == 0) return std::signbit(value) ? "-0" : "0";
    double magnitude = std::fabs(value);
    Decimal decimal = shortest(value);
    if (magnitude >= 1e-6 && magnitude < 1e21) return fixed(decimal);
    return scientific(decimal, decimal.exponent < 0 ? 1 : 2);
}

void append_json(std::string& out, const nlohmann::json& value) {
    if (value.is_object()) {
        out += '{';
        const char* separator = "";
        for (const auto& [key, member] : value.items()) {
            out += separator;
            append_json_string(out, key);
            out += ':';
            append_json(out, member);
            separator = ",";
        }
        out += '}';
    } else if (value.is_array()) {
        out += '[';
        const char* separator = "";
        for (const auto& item : value) {
            out += separator;
            append_json(out, item);
            separator = ",";
        }
        out += ']';
    } else if (value.is_string()) {
        append_json_string(out, value.get_ref<const std::string&>());
    } else if (value.is_number_float()) {
        out += json_float(value.get<double>());
    } else {
        out += value.dump();
    }
}

}  // namespace

std::size_t rune_at(std::string_view text, std::size_t at, char32_t& rune) {
    auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(text[at + offset]); };
    unsigned char first = byte(0);
    rune = first;
    if (first < 0x80) return 1;
    std::size_t length = first >= 0xF0 && first <= 0xF4 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    if (first > 0xF4 || length == 0 || at + length > text.size()) {
        rune = kReplacement;
        return 1;
    }
    rune = first & (0xFF >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            rune = kReplacement;
            return 1;
        }
        rune = (rune << 6) | (byte(i) & 0x3F);
    }
    bool overlong = (length == 3 && rune < 0x800) || (length == 4 && rune < 0x10000);
    if (!overlong && rune <= 0x10FFFF && (rune < 0xD800 || rune > 0xDFFF)) return length;
    rune = kReplacement;
    return 1;
}

std::size_t rune_count(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
        char32_t rune = 0;
        at += rune_at(text, at, rune);
    }
    return count;
}

void append_rune(std::string& out, char32_t rune) {
    if (rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF)) rune = kReplacement;
    auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((rune >> shift) & 0x3F)); };
    if (rune < 0x80) {
        out += static_cast<char>(rune);
    } else if (rune < 0x800) {
        out += static_cast<char>(0xC0 | (rune >> 6));
        tail(0);
    } else if (rune < 0x10000) {
        out += static_cast<char>(0xE0 | (rune >> 12));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0 | (rune >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::string go_quote(std::string_view text) {
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        char32_t rune = 0;
        std::size_t length = rune_at(text, at, rune);
        if (rune == kReplacement && length == 1) {
            append_hex(out, "\\x%02x", static_cast<unsigned char>(text[at]));
        } else if (char escape = short_escape(rune)) {
            out += '\\';
            out += escape;
        } else if (is_printable(rune)) {
            out += text.substr(at, length);
        } else {
            append_unprintable(out, rune);
        }
        at += length;
    }
    return out + "\"";
}

std::string go_json(const nlohmann::json& value) {
    std::string out;
    append_json(out, value);
    return out;
}

std::string go_float(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    if (value == 0) return std::signbit(value) ? "-0" : "0";
    Decimal decimal = shortest(value);
    return decimal.exponent < -4 || decimal.exponent >= 6 ? scientific(decimal, 2) : fixed(decimal);
}

}  // namespace atl::schema
