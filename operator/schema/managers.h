#pragma once

#include <map>
#include <string>

#include "operator/schema/field_set.h"

namespace atl::schema {

/// Who an entry of metadata.managedFields belongs to. Appliers are the same in all API versions.
struct ManagerKey {
    std::string operation;  ///< "Apply" or "Update"
    std::string manager;
    std::string api_version;  ///< empty for Apply
    std::string subresource;
    auto operator<=>(const ManagerKey&) const = default;
};

/// What one manager owns.
struct ManagerEntry {
    FieldSet fields;
    std::string api_version;
    std::string time;  ///< may be empty: an applier that changed nothing
};

using Managers = std::map<ManagerKey, ManagerEntry>;

/// Reads metadata.managedFields; entries that are not readable are dropped, equal keys are united.
Managers read_managers(const Json& object);

/// Puts the entries into metadata.managedFields in Kubernetes' order; without entries the field goes.
void write_managers(const Managers& managers, Json& object);

/// The object as ownership sees it: without metadata.managedFields.
Json without_managed_fields(Json object);

/// What no manager owns: apiVersion, kind, and what the server sets in metadata.
const FieldSet& unowned_fields();

/// Merges the oldest entries of updates into "ancient-changes" when there are more than ten.
void cap_updaters(Managers& managers);

}  // namespace atl::schema
