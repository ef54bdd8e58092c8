#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"
#include "operator/schema/structural.h"

namespace atl::schema {

/// A set of fields of an object, as a tree (FieldsV1). The steps are "f:NAME", `k:{"name":"web"}`, `v:"x"` and "i:0".
struct FieldSet {
    bool member = false;  ///< whether the field at this node is in the set; of no meaning at the root
    std::map<std::string, FieldSet, std::less<>> children;

    bool operator==(const FieldSet&) const = default;
    bool empty() const { return !member && children.empty(); }
    const FieldSet* find(std::string_view step) const;
    /// Drops branches in which nothing is a member.
    void trim();

    /// The FieldsV1 form: {"f:spec": {".": {}, "f:replicas": {}}}.
    Json to_json() const;
    /// Errors: class Invalid, for what is not FieldsV1.
    static Result<FieldSet> from_json(const Json& fields);

    /// The paths of all members, as errors name them: ".spec.parts[name=\"x\"].count"; members before what lies deeper.
    std::vector<std::string> paths() const;
};

FieldSet united(const FieldSet& a, const FieldSet& b);
FieldSet intersected(const FieldSet& a, const FieldSet& b);
/// The members of a that are not members of b.
FieldSet without(const FieldSet& a, const FieldSet& b);

/// "f:NAME".
std::string field_step(std::string_view name);

}  // namespace atl::schema
