#pragma once

#include <span>

#include "operator/schema/cel/value.h"

namespace atl::schema::cel {

/// a + b. Lists of type set keep each value once; in lists of type map an item of b takes the place of a's with its
/// keys.
Value add_lists(std::span<const Value> args);

}  // namespace atl::schema::cel
