#include <chrono>
#include <string>

#include "operator/schema/table.h"

namespace atl::schema {
namespace {

/// "3h5m", or "3h" if the rest is 0.
std::string two(std::int64_t whole, char unit, std::int64_t rest, char rest_unit) {
    std::string text = std::to_string(whole) + unit;
    return rest == 0 ? text : text + std::to_string(rest) + rest_unit;
}

}  // namespace

std::string human_duration(Duration age) {
    std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
    if (seconds < -1) return "<invalid>";
    if (seconds < 0) return "0s";
    if (seconds < 120) return std::to_string(seconds) + "s";
    std::int64_t minutes = seconds / 60;
    if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
    if (minutes < 180) return std::to_string(minutes) + "m";
    std::int64_t hours = minutes / 60;
    if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
    if (hours < 48) return std::to_string(hours) + "h";
    std::int64_t days = hours / 24;
    if (days < 8) return two(days, 'd', hours % 24, 'h');
    if (hours < 24 * 365 * 2) return std::to_string(days) + "d";
    std::int64_t years = days / 365;
    return hours < 24 * 365 * 8 ? two(years, 'y', days % 365, 'd') : std::to_string(years) + "y";
}

}  // namespace atl::schema
