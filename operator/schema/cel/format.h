#pragma once

#include <string>
#include <string_view>

#include "operator/schema/cel/value.h"

namespace atl::schema::cel {

/// string(value), for what converts to a string; also %s of format().
std::string plain_text(const Value& value);

/// "%d of %s".format([3, "x"]): %s %d %f %e %b %x %X %o with widths of fractions; a Failure for anything else.
Value format_text(std::string_view pattern, const Value& arguments);

}  // namespace atl::schema::cel
