#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/api_request.h"

namespace atl::apiserver {

/// The languages of patches.
enum class PatchKind { Merge, Json, Strategic, Apply };

/// By the request's media type. Errors: 415 that lists what is accepted.
Result<PatchKind> patch_kind(const ApiRequest& request, bool allows_strategic);

/// The object with a merge, JSON or strategic merge patch. Errors: 400, 422.
Result<nlohmann::json> patched(PatchKind kind, const nlohmann::json& current, const nlohmann::json& patch);

}  // namespace atl::apiserver
