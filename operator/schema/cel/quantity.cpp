#include "operator/schema/cel/quantity.h"

#include <algorithm>
#include <cstdint>

namespace atl::schema::cel {
namespace {

constexpr __int128 kNano = 1'000'000'000;
constexpr __int128 kMost = static_cast<__int128>(1) << 120;
/// The largest amount of Kubernetes, 2^63-1 whole units, in billionths: what is more is cut to it.
constexpr __int128 kLargest = __int128{INT64_MAX} * kNano;

struct Suffix {
    std::string_view text;
    int power_of_ten;
    int power_of_two;
};

constexpr Suffix kSuffixes[] = {{"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0}, {"k", 3, 0},   {"M", 6, 0},
                                {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0}, {"Ki", 0, 10}, {"Mi", 0, 20},
                                {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// "e3", "E-2": the exponent; nullopt if it is none.
std::optional<int> exponent_of(std::string_view text) {
    if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
    text.remove_prefix(1);
    bool negative = text[0] == '-';
    if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
    if (text.empty() || text.size() > 6) return std::nullopt;
    int value = 0;
    for (char c : text) {
        if (!is_digit(c)) return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return negative ? -value : value;
}

std::optional<Suffix> suffix_of(std::string_view text) {
    for (const Suffix& suffix : kSuffixes) {
        if (suffix.text == text) return suffix;
    }
    if (std::optional<int> exponent = exponent_of(text)) return Suffix{text, *exponent, 0};
    return std::nullopt;
}

/// Multiplies by a power of ten, up to kMost; a division rounds up, away from zero, as Kubernetes does.
__int128 scaled(__int128 value, int power) {
    for (; power > 0 && value != 0; --power) {
        if (value > kMost / 10) return kMost;
        value *= 10;
    }
    bool inexact = false;
    for (; power < 0 && value != 0; ++power) {
        inexact = inexact || value % 10 != 0;
        value /= 10;
    }
    return value + (inexact ? 1 : 0);
}

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
    bool negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    __int128 digits = 0;
    int power = 0;  // of ten: for digits after the point, and for those that no longer fit
    std::size_t at = 0, seen = 0;
    bool point = false;
    for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
        if (text[at] == '.') {
            point = true;
            continue;
        }
        ++seen;
        bool fits = digits <= kMost / 10 / kNano;
        if (fits) digits = digits * 10 + (text[at] - '0');
        power += (fits ? 0 : 1) - (point ? 1 : 0);
    }
    std::optional<Suffix> suffix = suffix_of(text.substr(at));
    if (seen == 0 || !suffix) return std::nullopt;
    for (int bits = suffix->power_of_two; bits > 0; bits -= 10) {
        for (; digits > kMost / 1024 && power < 0; ++power) digits /= 10;
        digits = digits > kMost / 1024 ? kMost : digits * 1024;
    }
    __int128 nanos = std::min(scaled(digits, suffix->power_of_ten + power + 9), kLargest);
    return Quantity{negative ? -nanos : nanos};
}

bool is_integer(const Quantity& quantity) {
    __int128 whole = quantity.nanos / kNano;
    return quantity.nanos % kNano == 0 && whole <= INT64_MAX && whole >= INT64_MIN;
}

double approximate(const Quantity& quantity) {
    return static_cast<double>(quantity.nanos) / 1e9;
}

}  // namespace atl::schema::cel
