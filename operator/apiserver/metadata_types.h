#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/resource_type.h"
#include "operator/base/result.h"

namespace atl::apiserver {

/// Looks at the members of metadata that the server sets itself, or reads before it validates: their values are not
/// kept, but one of a wrong type is a fault of the client, and a resourceVersion that is a number would be no lock.
/// Errors: 400 with field, type and what is wanted, as kube-apiserver's decoder. Null is as good as absent.
Result<Unit> check_metadata_types(const ResourceType& type, const nlohmann::json& metadata);

}  // namespace atl::apiserver
