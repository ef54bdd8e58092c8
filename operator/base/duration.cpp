#include "operator/base/duration.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace atl {

namespace {

struct TimeUnit {
    std::string_view name;
    std::uint64_t nanoseconds;
};
// The longer names first: "ms" must not be read as "m" and an "s" that is left over.
constexpr std::array<TimeUnit, 8> kUnits{{{"ns", 1},
                                          {"us", 1'000},
                                          {"\xc2\xb5s", 1'000},
                                          {"\xce\xbcs", 1'000},
                                          {"ms", 1'000'000},
                                          {"s", 1'000'000'000},
                                          {"m", 60'000'000'000},
                                          {"h", 3'600'000'000'000}}};
constexpr std::uint64_t kMax = std::uint64_t{1} << 63;

Error not_a_duration(std::string_view text) {
    return invalid("InvalidDuration", "\"" + std::string(text.substr(0, 64)) +
                                          "\" is not a duration: numbers with a unit of ns, us, ms, s, m or h, such as "
                                          "\"90s\" or \"1h30m\"");
}

Error too_long(std::string_view text) {
    return invalid("InvalidDuration", "\"" + std::string(text.substr(0, 64)) + "\" is longer than about 292 years");
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// A decimal number taken off the front: whole part, and a fraction in billionths as far as it matters.
struct Number {
    std::uint64_t whole = 0;
    double fraction = 0;
    bool overflow = false;
};

std::optional<Number> take_number(std::string_view& text) {
    Number number;
    std::size_t digits = 0;
    for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits) {
        if (number.whole > kMax / 10) number.overflow = true;
        number.whole = number.whole * 10 + static_cast<std::uint64_t>(text.front() - '0');
        if (number.whole > kMax) number.overflow = true;
    }
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        double scale = 0.1;
        for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), ++digits, scale /= 10)
            number.fraction += scale * (text.front() - '0');
    }
    if (digits == 0) return std::nullopt;
    return number;
}

std::optional<std::uint64_t> take_unit(std::string_view& text) {
    for (const TimeUnit& unit : kUnits)
        if (text.starts_with(unit.name)) {
            text.remove_prefix(unit.name.size());
            return unit.nanoseconds;
        }
    return std::nullopt;
}

std::string fraction_of(std::uint64_t value, std::uint64_t unit, std::string_view name) {
    std::string text = std::to_string(value / unit);
    std::uint64_t rest = value % unit;
    if (rest == 0) return text.append(name);
    std::string digits = std::to_string(unit + rest).substr(1);
    while (digits.back() == '0') digits.pop_back();
    return text.append(".").append(digits).append(name);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    std::string_view rest = text;
    bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+')) rest.remove_prefix(1);
    if (rest == "0") return Duration::zero();
    if (rest.empty()) return not_a_duration(text);
    std::uint64_t total = 0;
    while (!rest.empty()) {
        std::optional<Number> number = take_number(rest);
        if (!number) return not_a_duration(text);
        std::optional<std::uint64_t> unit = take_unit(rest);
        if (!unit) return not_a_duration(text);
        if (number->overflow || number->whole > kMax / *unit) return too_long(text);
        std::uint64_t part = number->whole * *unit;
        part += static_cast<std::uint64_t>(number->fraction * static_cast<double>(*unit) + 1e-6);
        if (part > kMax || total > kMax - part) return too_long(text);
        total += part;
    }
    if (total > kMax - (negative ? 0 : 1)) return too_long(text);
    return Duration(static_cast<std::int64_t>(negative ? std::uint64_t{0} - total : total));
}

std::string format_duration(Duration duration) {
    std::int64_t signed_count = duration.count();
    if (signed_count == 0) return "0s";
    std::string sign = signed_count < 0 ? "-" : "";
    std::uint64_t count = signed_count < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(signed_count)
                                           : static_cast<std::uint64_t>(signed_count);
    if (count < 1'000) return sign + std::to_string(count) + "ns";
    if (count < 1'000'000) return sign + fraction_of(count, 1'000, "\xc2\xb5s");
    if (count < 1'000'000'000) return sign + fraction_of(count, 1'000'000, "ms");
    constexpr std::uint64_t kMinute = 60'000'000'000;
    std::string seconds = fraction_of(count % kMinute, 1'000'000'000, "s");
    std::uint64_t minutes = count / kMinute;
    if (minutes == 0) return sign + seconds;
    std::string text = std::to_string(minutes % 60) + "m" + seconds;
    if (minutes >= 60) text = std::to_string(minutes / 60) + "h" + text;
    return sign + text;
}

}  // namespace atl
