#pragma once

#include <string>
#include <string_view>

#include "operator/base/clock.h"
#include "operator/base/result.h"

namespace atl {

/// Reads a duration as Go's time.ParseDuration and metav1.Duration do: "300ms", "1h2m3.5s", "-1.5h", "0". Units: ns,
/// us (also µs), ms, s, m, h. Errors (Invalid): text that is none, or longer than about 292 years.
Result<Duration> parse_duration(std::string_view text);

/// As Go's Duration.String: "1h2m3.5s", "300ms", "0s".
std::string format_duration(Duration duration);

}  // namespace atl
