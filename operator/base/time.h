#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "operator/base/clock.h"

namespace atl {

/// "2026-01-02T15:04:05Z", as metav1.Time (RFC 3339, UTC, whole seconds).
std::string format_rfc3339(WallTime time);
/// "2026-01-02T15:04:05.000000Z", as metav1.MicroTime.
std::string format_rfc3339_micro(WallTime time);
/// Reads RFC 3339 with or without fraction and with any offset; nullopt if it is not that. What is before 1900 or
/// after 2190 becomes that limit: Docker writes "0001-01-01T00:00:00Z" for never, which nanoseconds cannot hold.
std::optional<WallTime> parse_rfc3339(std::string_view text);
/// "45s", "3m", "2h", "5d": the largest whole units, at most two, for people ("2m5s").
std::string format_age(Duration age);

}  // namespace atl
