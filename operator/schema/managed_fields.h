#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"
#include "operator/schema/crd_schema.h"

namespace atl::schema {

/// Who writes: the key of an entry in metadata.managedFields, and the time it gets.
struct FieldManager {
    std::string name;         ///< "kubectl-client-side-apply"; ≤ 128 characters, checked by the caller
    std::string api_version;  ///< "atoll.dev/v1alpha1"
    std::string subresource;  ///< "", "status" or "scale"
    std::string time;         ///< RFC 3339, whole seconds
    /// Whether the kind has a status subresource: .status is then written, and owned, through it alone.
    bool status_is_apart = true;
};

/// Another manager owns a field that an apply wants to change.
struct ApplyConflict {
    std::string manager;
    std::string operation;  ///< "Apply" or "Update"
    std::string api_version;
    std::string subresource;
    std::string time;
    std::string field;  ///< ".spec.replicas", `.spec.services[name="web"].image`

    /// `conflict with "kubectl-edit" using example.dev/v1: .spec.replicas` without the field: what kube-apiserver puts
    /// in a cause.
    std::string text() const;
};

/// What a server-side apply comes to.
struct Applied {
    Json object;           ///< merged, with metadata.managedFields; the live object if there are conflicts
    bool changed = false;  ///< false: nothing but the time would differ, so nothing is written
    std::vector<ApplyConflict> conflicts;
};

enum class Force { No, Yes };

/// Server-side apply.
struct ApplyRequest {
    const Json& live;     ///< null when the object is to be created
    const Json& applied;  ///< the intent; must not have metadata.managedFields
    const CrdSchema& schema;
    FieldManager manager;
    Force force = Force::No;
};

/// Merges the intent into the live object. Fields that the manager applied before and left out now are removed unless
/// somebody else owns them. Errors: class Invalid, for an intent that does not fit the schema's types
/// (`failed to create typed patch object (…): .spec.x: field not declared in schema`; status 400 for unknown
/// fields, 422 for wrong types; kube-apiserver answers 500, which clients would repeat).
///
/// One thing differs from kube-apiserver: a map or list whose last entry goes, and which somebody else owns, is left
/// empty; there it becomes null, and the write fails.
Result<Applied> apply_patch(const ApplyRequest& request);

/// metadata.managedFields after a create (old is null), update or patch that was not an apply. `updated` carries the
/// managedFields that the client sent: [{}] strips all of them, an empty list is as good as none, others replace those
/// of `old` (not through a subresource). Returns `updated` with its new managedFields; entries that did not change keep
/// their time.
Json update_managed_fields(const Json& old, Json updated, const CrdSchema& schema, const FieldManager& manager);

/// The message of the 409 Status: `Apply failed with 1 conflict: conflict with "kubectl-edit" using example.dev/v1:
/// .spec.replicas`.
std::string conflicts_text(const std::vector<ApplyConflict>& conflicts);

/// The whole v1 Status of HTTP 409, reason Conflict, causes of type FieldManagerConflict. `subject.kind` is not used.
Json apply_conflict_status(const std::vector<ApplyConflict>& conflicts);

}  // namespace atl::schema
