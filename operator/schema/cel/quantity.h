#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::schema::cel {

/// A Kubernetes quantity ("500m", "1.5Gi", "2e3") as a whole number of billionths: the precision that Kubernetes keeps.
struct Quantity {
    __int128 nanos = 0;
    bool operator==(const Quantity&) const = default;
    auto operator<=>(const Quantity&) const = default;
};

/// nullopt if it is no quantity. As in Kubernetes, what is more than 2^63-1 is cut to that.
std::optional<Quantity> parse_quantity(std::string_view text);
/// Whether it is a whole number that fits int64.
bool is_integer(const Quantity& quantity);
double approximate(const Quantity& quantity);

}  // namespace atl::schema::cel
