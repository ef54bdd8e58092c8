#include "operator/base/time.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

namespace atl {

namespace {

using std::chrono::microseconds;

// Two times of this range are less than 292 years apart, so that their difference is a Duration.
constexpr std::chrono::sys_days kEarliest{std::chrono::year(1900) / 1 / 1};
constexpr std::chrono::sys_days kLatest{std::chrono::year(2190) / 1 / 1};

struct Calendar {
    std::chrono::year_month_day date;
    std::chrono::hh_mm_ss<microseconds> time;
};

Calendar calendar(WallTime time) {
    const auto micros = std::chrono::floor<microseconds>(time);
    const auto day = std::chrono::floor<std::chrono::days>(micros);
    return {std::chrono::year_month_day(day), std::chrono::hh_mm_ss<microseconds>(micros - day)};
}

std::string format(WallTime time, bool fraction) {
    const Calendar c = calendar(time);
    char text[64];
    std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(c.date.year()),
                  static_cast<unsigned>(c.date.month()), static_cast<unsigned>(c.date.day()),
                  static_cast<int>(c.time.hours().count()), static_cast<int>(c.time.minutes().count()),
                  static_cast<int>(c.time.seconds().count()));
    std::string result = text;
    if (fraction) {
        std::snprintf(text, sizeof(text), ".%06d", static_cast<int>(c.time.subseconds().count()));
        result += text;
    }
    return result + "Z";
}

/// Reads digits at a position; -1 if there are not exactly so many.
int digits(std::string_view text, std::size_t at, std::size_t count) {
    if (at + count > text.size()) return -1;
    int value = 0;
    const char* end = text.data() + at + count;
    auto [stop, error] = std::from_chars(text.data() + at, end, value);
    return error == std::errc() && stop == end && text[at] != '-' ? value : -1;
}

/// Offset from UTC in minutes; nullopt if malformed.
std::optional<int> offset(std::string_view text) {
    if (text == "Z" || text == "z") return 0;
    if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
    const int hours = digits(text, 1, 2);
    const int minutes = digits(text, 4, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

std::string format_rfc3339(WallTime time) {
    return format(time, false);
}

std::string format_rfc3339_micro(WallTime time) {
    return format(time, true);
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
    if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') ||
        text[13] != ':' || text[16] != ':') {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year(digits(text, 0, 4)),
                                           std::chrono::month(static_cast<unsigned>(digits(text, 5, 2))),
                                           std::chrono::day(static_cast<unsigned>(digits(text, 8, 2)))};
    const int hour = digits(text, 11, 2);
    const int minute = digits(text, 14, 2);
    const int second = digits(text, 17, 2);
    if (digits(text, 0, 4) < 0 || !date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
        second > 59) {
        return std::nullopt;
    }
    std::size_t at = 19;
    std::int64_t micros = 0;
    if (text[at] == '.') {
        std::int64_t scale = 100'000;
        for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, scale /= 10) {
            micros += (text[at] - '0') * scale;
        }
    }
    const std::optional<int> minutes = offset(text.substr(at));
    if (!minutes) return std::nullopt;
    // Not in nanoseconds yet: those of the year 1 do not fit in 64 bits.
    const auto time = std::chrono::sys_time<microseconds>(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
                      std::chrono::minutes(minute - *minutes) + std::chrono::seconds(second) + microseconds(micros);
    return WallTime(std::clamp<std::chrono::sys_time<microseconds>>(time, kEarliest, kLatest));
}

std::string format_age(Duration age) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
    auto two = [](std::int64_t high, const char* high_unit, std::int64_t low, const char* low_unit) {
        std::string text = std::to_string(high) + high_unit;
        return low == 0 ? text : text + std::to_string(low) + low_unit;
    };
    if (seconds < 60) return std::to_string(seconds < 0 ? 0 : seconds) + "s";
    if (seconds < 3600) return two(seconds / 60, "m", seconds % 60, "s");
    if (seconds < 86400) return two(seconds / 3600, "h", seconds % 3600 / 60, "m");
    return two(seconds / 86400, "d", seconds % 86400 / 3600, "h");
}

}  // namespace atl
