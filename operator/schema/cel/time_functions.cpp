#include "operator/schema/cel/function.h"

namespace atl::schema::cel {
namespace {

using Args = std::span<const Value>;

/// "UTC" or a fixed offset "-08:00"; the names of time zones need a data base that we do not carry.
std::optional<std::int64_t> zone_offset(std::string_view zone) {
    if (zone == "UTC" || zone.empty()) return 0;
    bool negative = zone.front() == '-';
    if (zone.front() == '-' || zone.front() == '+') zone.remove_prefix(1);
    if (zone.size() != 5 || zone[2] != ':') return std::nullopt;
    int parts[4] = {zone[0] - '0', zone[1] - '0', zone[3] - '0', zone[4] - '0'};
    for (int digit : parts) {
        if (digit < 0 || digit > 9) return std::nullopt;
    }
    std::int64_t offset = (parts[0] * 10 + parts[1]) * 3600 + (parts[2] * 10 + parts[3]) * 60;
    return negative ? -offset : offset;
}

template <std::int64_t (*part)(const CivilTime&)>
Value of_time(Args args) {
    std::optional<std::int64_t> offset = args.size() > 1 ? zone_offset(args[1].string()) : 0;
    if (!offset) return Value::fail("unknown time zone " + std::string(args[1].string()));
    return Value(part(civil(*args[0].as<Timestamp>(), *offset)));
}

std::int64_t year(const CivilTime& time) {
    return time.year;
}
std::int64_t month(const CivilTime& time) {
    return time.month - 1;
}
std::int64_t date(const CivilTime& time) {
    return time.day;
}
std::int64_t day_of_month(const CivilTime& time) {
    return time.day - 1;
}
std::int64_t day_of_week(const CivilTime& time) {
    return time.weekday;
}
std::int64_t day_of_year(const CivilTime& time) {
    return time.yearday;
}
std::int64_t hours(const CivilTime& time) {
    return time.hour;
}
std::int64_t minutes(const CivilTime& time) {
    return time.minute;
}
std::int64_t seconds(const CivilTime& time) {
    return time.second;
}

Value time_milliseconds(Args args) {
    return Value(static_cast<std::int64_t>(args[0].as<Timestamp>()->nanos / 1'000'000));
}

template <std::int64_t unit>
Value of_duration(Args args) {
    return Value(args[0].as<DurationValue>()->nanos / unit);
}

Value duration_milliseconds(Args args) {
    return Value(args[0].as<DurationValue>()->nanos / 1'000'000);
}

constexpr std::int64_t kSecond = 1'000'000'000;

// clang-format off
constexpr FunctionRow kTimes[] = {
    {"getFullYear",     "timestamp.() int",       of_time<year>},
    {"getFullYear",     "timestamp.(string) int", of_time<year>},
    {"getMonth",        "timestamp.() int",       of_time<month>},
    {"getMonth",        "timestamp.(string) int", of_time<month>},
    {"getDate",         "timestamp.() int",       of_time<date>},
    {"getDate",         "timestamp.(string) int", of_time<date>},
    {"getDayOfMonth",   "timestamp.() int",       of_time<day_of_month>},
    {"getDayOfMonth",   "timestamp.(string) int", of_time<day_of_month>},
    {"getDayOfWeek",    "timestamp.() int",       of_time<day_of_week>},
    {"getDayOfWeek",    "timestamp.(string) int", of_time<day_of_week>},
    {"getDayOfYear",    "timestamp.() int",       of_time<day_of_year>},
    {"getDayOfYear",    "timestamp.(string) int", of_time<day_of_year>},
    {"getHours",        "timestamp.() int",       of_time<hours>},
    {"getHours",        "timestamp.(string) int", of_time<hours>},
    {"getHours",        "duration.() int",        of_duration<3600 * kSecond>},
    {"getMinutes",      "timestamp.() int",       of_time<minutes>},
    {"getMinutes",      "timestamp.(string) int", of_time<minutes>},
    {"getMinutes",      "duration.() int",        of_duration<60 * kSecond>},
    {"getSeconds",      "timestamp.() int",       of_time<seconds>},
    {"getSeconds",      "timestamp.(string) int", of_time<seconds>},
    {"getSeconds",      "duration.() int",        of_duration<kSecond>},
    {"getMilliseconds", "timestamp.() int",       time_milliseconds},
    {"getMilliseconds", "duration.() int",        duration_milliseconds},
};
// clang-format on

}  // namespace

std::span<const FunctionRow> time_functions() {
    return kTimes;
}

}  // namespace atl::schema::cel
