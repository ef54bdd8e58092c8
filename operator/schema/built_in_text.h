#pragma once

#include <string_view>
#include <vector>

namespace atl::schema {

/// The built-in kinds as text, one line a field: `name[!]: type[=default]  description`, two spaces of indent a level;
/// ! is required. Types: string, boolean, int32, int64, date-time, micro-time, bytes, any, object (its fields below
/// it), ~object (atomic), map(T), list(T) (atomic), set(T), keyed(a b) (a list of type map of objects, by keys). A kind
/// starts with `kind GROUP/VERSION NAME  description`; the core group is "core".
std::vector<std::string_view> built_in_texts();

/// The fields of metadata in the same form.
std::string_view object_meta_text();

}  // namespace atl::schema
