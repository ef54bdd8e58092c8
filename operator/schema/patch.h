#pragma once

#include <nlohmann/json.hpp>

#include "operator/base/result.h"

namespace atl::schema {

/// RFC 7386. Never fails; null removes.
nlohmann::json merge_patch(nlohmann::json document, const nlohmann::json& patch);

/// RFC 6902. Errors: class Invalid with the operation's index and path; reason "TestFailed" for a failed test (HTTP 422
/// in Kubernetes), "InvalidPatch" for a patch that is not one (HTTP 400), "PathNotFound" (HTTP 422). At most 10,000
/// operations.
nlohmann::json::size_type constexpr kMaxPatchOperations = 10000;
Result<nlohmann::json> json_patch(const nlohmann::json& document, const nlohmann::json& patch);

/// Strategic merge patch for the built-in kinds that we serve: as a merge patch, but lists with a patch strategy merge
/// (metadata.finalizers by value, ownerReferences by uid, secrets and imagePullSecrets by name), with $patch:
/// delete|replace|merge, $retainKeys, $deleteFromPrimitiveList and $setElementOrder. Custom resources answer 415
/// instead; do not call it for them.
Result<nlohmann::json> strategic_merge_patch(const nlohmann::json& document, const nlohmann::json& patch);

}  // namespace atl::schema
