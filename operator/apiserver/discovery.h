#pragma once

#include <optional>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/registry.h"
#include "operator/net/server.h"

namespace atl::apiserver {

/// The version of Kubernetes whose API is spoken.
inline constexpr const char* kMinor = "32";
inline constexpr const char* kGitVersion = "v1.32.0+atoll";

/// Answers /api, /apis, /apis/GROUP, /api/v1, /apis/GROUP/VERSION (also aggregated) and /version; nothing for another
/// path.
std::optional<Result<net::Response>> answer_discovery(const Registry& registry, const ApiRequest& request);

}  // namespace atl::apiserver
