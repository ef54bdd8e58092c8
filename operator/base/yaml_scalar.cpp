#include "operator/base/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace atl {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 11> kTrue{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                 "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse{"n",     "N",     "no",  "No",  "NO", "false",
                                                  "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNotInJson{".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                      "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& words, std::string_view text) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// A base prefix, as strconv.ParseInt with base 0: 0x, 0b, 0o, and 0 for octal.
int take_base(std::string_view& digits) {
    if (digits.size() < 2 || digits[0] != '0') return 10;
    char letter = static_cast<char>(digits[1] | 0x20);
    int base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
    digits.remove_prefix(base == 0 ? 1 : 2);
    return base == 0 ? 8 : base;
}

std::optional<json> as_integer(std::string_view text) {
    bool negative = text.starts_with('-');
    std::string_view digits = text;
    if (negative || digits.starts_with('+')) digits.remove_prefix(1);
    int base = take_base(digits);
    std::uint64_t magnitude = 0;
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
    if (digits.empty() || code != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
    if (negative && magnitude > kLowest) return std::nullopt;
    if (negative) return json(static_cast<std::int64_t>(std::uint64_t{0} - magnitude));
    if (magnitude < kLowest) return json(static_cast<std::int64_t>(magnitude));
    return json(magnitude);
}

std::size_t count_digits(std::string_view& text) {
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count])) ++count;
    text.remove_prefix(count);
    return count;
}

/// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_like_float(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    std::size_t whole = count_digits(text);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (count_digits(text) == 0 && whole == 0) return false;
    } else if (whole == 0) {
        return false;
    }
    if (text.empty()) return true;
    if (text[0] != 'e' && text[0] != 'E') return false;
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return count_digits(text) > 0 && text.empty();
}

std::optional<json> as_float(const std::string& text) {
    if (!looks_like_float(text)) return std::nullopt;
    double value = std::strtod(text.c_str(), nullptr);
    if (!std::isfinite(value)) return std::nullopt;
    // Go writes whole numbers without a fraction, so 1e3 is 1000 and passes as an integer.
    constexpr double kExact = 9007199254740992.0;
    if (value == std::floor(value) && std::fabs(value) <= kExact) return json(static_cast<std::int64_t>(value));
    return json(value);
}

}  // namespace

std::optional<json> resolve_plain_scalar(std::string_view text) {
    if (is_in(kTrue, text)) return json(true);
    if (is_in(kFalse, text)) return json(false);
    if (is_in(kNull, text)) return json(nullptr);
    if (is_in(kNotInJson, text)) return std::nullopt;
    char first = text.front();
    if (!is_digit(first) && first != '-' && first != '+' && first != '.') return json(text);
    std::string plain(text);
    if (first != '.') std::erase(plain, '_');
    if (std::optional<json> integer = as_integer(plain)) return integer;
    if (std::optional<json> number = as_float(plain)) return number;
    return json(text);
}

}  // namespace atl
