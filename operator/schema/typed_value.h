#pragma once

#include <string>
#include <vector>

#include "operator/schema/field_set.h"
#include "operator/schema/structural.h"

namespace atl::schema {

/// Objects as server-side apply sees them: each node of the schema says whether a list is one value, a set or a map,
/// and whether an object is one value or its fields. Where there is no schema (nullptr), objects are their fields and
/// lists are one value.

/// How two versions of an object differ.
struct Comparison {
    FieldSet removed;
    FieldSet modified;
    FieldSet added;
};

/// The schema of a member of an object; nullptr where nothing is declared.
const Structural* member_schema(const Structural* node, std::string_view name);
/// The schema of the items of a list.
const Structural* item_schema(const Structural* node);

bool is_atomic_list(const Structural* node);
bool is_atomic_object(const Structural* node);

/// The step to an item of a list of type set or map: `v:"x"`, `k:{"name":"web"}`.
std::string item_step(const Structural& list, const Json& item);

/// What does not fit the schema's structure, as the errors of server-side apply name it:
/// ".spec.foo: field not declared in schema".
std::vector<std::string> structure_problems(const Json& value, const Structural* node);

/// All fields of an object.
FieldSet fields_of(const Json& value, const Structural* node);

Comparison compared(const Json& before, const Json& after, const Structural* node);

/// `value` with `patch` laid over it. The order of list items follows the patch, what it does not name stays in place.
Json merged(const Json& value, const Json& patch, const Structural* node);

/// The value without the members of the set.
Json with_removed(const Json& value, const FieldSet& set, const Structural* node);

/// The set, with each declared field that has members below it a member as well.
FieldSet with_named_fields(const FieldSet& set, const Structural* node);

}  // namespace atl::schema
