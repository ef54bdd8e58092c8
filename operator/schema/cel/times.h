#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::schema::cel {

/// A point of time from year 1 to 9999, UTC, in nanoseconds. `seconds` since 1970.
struct Timestamp {
    std::int64_t seconds = 0;
    std::int32_t nanos = 0;
    auto operator<=>(const Timestamp&) const = default;
};

/// "1h30m", "-1.5s", "300ms", "0": as Go's time.ParseDuration; nanoseconds. nullopt if it is not that, or out of range.
std::optional<std::int64_t> parse_duration(std::string_view text);
/// As CEL's string(duration): "5400s", "0.3s".
std::string duration_text(std::int64_t nanos);

/// RFC 3339, any offset, up to nanoseconds.
std::optional<Timestamp> parse_timestamp(std::string_view text);
/// "2006-01-02".
std::optional<Timestamp> parse_date(std::string_view text);
std::string timestamp_text(Timestamp time);

/// The parts of a time at an offset from UTC.
struct CivilTime {
    std::int64_t year = 1970;
    int month = 1, day = 1, hour = 0, minute = 0, second = 0;
    int weekday = 0;  ///< 0: Sunday
    int yearday = 0;  ///< 0: January 1
};
CivilTime civil(Timestamp time, std::int64_t offset_seconds);

}  // namespace atl::schema::cel
