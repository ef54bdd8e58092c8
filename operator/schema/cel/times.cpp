#include "operator/schema/cel/times.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace atl::schema::cel {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Unit {
    std::string_view name;
    std::int64_t nanos;
};

constexpr Unit kUnits[] = {{"ns", 1},         {"us", 1000},   {"µs", 1000},        {"μs", 1000},
                           {"ms", 1'000'000}, {"s", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Takes exactly `count` digits.
bool take_number(std::string_view& text, std::size_t count, int& number) {
    if (text.size() < count) return false;
    number = 0;
    for (char c : text.substr(0, count)) {
        if (!is_digit(c)) return false;
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return true;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::int64_t> take_days(std::string_view& text) {
    int year = 0, month = 0, day = 0;
    bool shaped = take_number(text, 4, year) && take(text, '-') && take_number(text, 2, month) && take(text, '-') &&
                  take_number(text, 2, day);
    if (!shaped) return std::nullopt;
    std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count();
}

/// ".123" in nanoseconds; 0 if there is none; nullopt if a point stands alone.
std::optional<std::int32_t> take_fraction(std::string_view& text) {
    if (!take(text, '.')) return 0;
    std::int32_t nanos = 0;
    std::int32_t unit = 100'000'000;
    std::size_t digits = 0;
    for (; digits < text.size() && is_digit(text[digits]); ++digits) {
        nanos += (text[digits] - '0') * unit;
        unit /= 10;
    }
    text.remove_prefix(digits);
    if (digits == 0) return std::nullopt;
    return nanos;
}

std::optional<std::int64_t> take_offset(std::string_view& text) {
    if (take(text, 'Z') || take(text, 'z')) return 0;
    bool behind = !text.empty() && text.front() == '-';
    if (!take(text, '+') && !take(text, '-')) return std::nullopt;
    int hours = 0, minutes = 0;
    bool shaped = take_number(text, 2, hours) && take(text, ':') && take_number(text, 2, minutes);
    if (!shaped || hours > 23 || minutes > 59) return std::nullopt;
    std::int64_t offset = hours * 3600 + minutes * 60;
    return behind ? -offset : offset;
}

struct Amount {
    std::int64_t whole = 0;
    double fraction = 0;
};

std::optional<Amount> take_amount(std::string_view& text) {
    Amount amount;
    std::size_t digits = 0;
    while (!text.empty() && is_digit(text.front())) {
        if (amount.whole > (INT64_MAX - 9) / 10) return std::nullopt;
        amount.whole = amount.whole * 10 + (text.front() - '0');
        text.remove_prefix(1);
        ++digits;
    }
    if (take(text, '.')) {
        double unit = 0.1;
        for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1), unit /= 10, ++digits) {
            amount.fraction += (text.front() - '0') * unit;
        }
    }
    if (digits == 0) return std::nullopt;
    return amount;
}

const Unit* take_unit(std::string_view& text) {
    std::size_t length = 0;
    while (length < text.size() && !is_digit(text[length]) && text[length] != '.') ++length;
    for (const Unit& unit : kUnits) {
        if (unit.name != text.substr(0, length)) continue;
        text.remove_prefix(length);
        return &unit;
    }
    return nullptr;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
    bool negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    if (text == "0") return 0;
    if (text.empty()) return std::nullopt;
    std::int64_t total = 0;
    while (!text.empty()) {
        std::optional<Amount> amount = take_amount(text);
        const Unit* unit = amount ? take_unit(text) : nullptr;
        if (unit == nullptr || amount->whole > INT64_MAX / unit->nanos) return std::nullopt;
        std::int64_t part = amount->whole * unit->nanos;
        auto rest = static_cast<std::int64_t>(amount->fraction * static_cast<double>(unit->nanos) + 1e-6);
        if (__builtin_add_overflow(total, part, &total) || __builtin_add_overflow(total, rest, &total)) {
            return std::nullopt;
        }
    }
    return negative ? -total : total;
}

std::string duration_text(std::int64_t nanos) {
    std::int64_t seconds = nanos / kSecond;
    std::int64_t rest = nanos % kSecond;
    std::string out = std::to_string(seconds);
    if (rest != 0) {
        std::array<char, 16> digits{};
        std::snprintf(digits.data(), digits.size(), "%09lld", static_cast<long long>(rest < 0 ? -rest : rest));
        std::string fraction(digits.data());
        fraction.erase(fraction.find_last_not_of('0') + 1);
        if (seconds == 0 && rest < 0) out = "-0";
        out += "." + fraction;
    }
    return out + "s";
}

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    std::optional<std::int64_t> days = take_days(text);
    if (!days || (!take(text, 'T') && !take(text, 't'))) return std::nullopt;
    int hour = 0, minute = 0, second = 0;
    bool shaped = take_number(text, 2, hour) && take(text, ':') && take_number(text, 2, minute) && take(text, ':') &&
                  take_number(text, 2, second);
    if (!shaped || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    std::optional<std::int32_t> nanos = take_fraction(text);
    std::optional<std::int64_t> offset = take_offset(text);
    if (!nanos || !offset || !text.empty()) return std::nullopt;
    return Timestamp{*days * 86400 + hour * 3600 + minute * 60 + second - *offset, *nanos};
}

std::optional<Timestamp> parse_date(std::string_view text) {
    std::optional<std::int64_t> days = take_days(text);
    if (!days || !text.empty()) return std::nullopt;
    return Timestamp{*days * 86400, 0};
}

std::string timestamp_text(Timestamp time) {
    CivilTime parts = civil(time, 0);
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%04lld-%02d-%02dT%02d:%02d:%02d", static_cast<long long>(parts.year),
                  parts.month, parts.day, parts.hour, parts.minute, parts.second);
    std::string out(text.data());
    if (time.nanos != 0) {
        std::snprintf(text.data(), text.size(), ".%09d", time.nanos);
        std::string fraction(text.data());
        fraction.erase(fraction.find_last_not_of('0') + 1);
        out += fraction;
    }
    return out + "Z";
}

CivilTime civil(Timestamp time, std::int64_t offset_seconds) {
    std::int64_t local = time.seconds + offset_seconds;
    std::int64_t day_count = local / 86400 - (local % 86400 < 0 ? 1 : 0);
    std::int64_t rest = local - day_count * 86400;
    std::chrono::sys_days day{std::chrono::days(static_cast<int>(day_count))};
    std::chrono::year_month_day date(day);
    std::chrono::sys_days new_year = date.year() / std::chrono::January / 1;
    CivilTime parts;
    parts.year = static_cast<int>(date.year());
    parts.month = static_cast<int>(static_cast<unsigned>(date.month()));
    parts.day = static_cast<int>(static_cast<unsigned>(date.day()));
    parts.hour = static_cast<int>(rest / 3600);
    parts.minute = static_cast<int>(rest / 60 % 60);
    parts.second = static_cast<int>(rest % 60);
    parts.weekday = static_cast<int>(std::chrono::weekday(day).c_encoding());
    parts.yearday = static_cast<int>((day - new_year).count());
    return parts;
}

}  // namespace atl::schema::cel
