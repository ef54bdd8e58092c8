#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/kube/pass.h"

namespace atl::kube {

/// The merge patch (RFC 7386) that turns one tree into the other; an empty object if they mean the same: members that
/// are null count as absent. Pure.
nlohmann::json merge_patch_between(const nlohmann::json& before, const nlohmann::json& after);

/// The patch that writes what the pass says to the status subresource, bound to the uid and version that it saw; null
/// if nothing would change in meaning. `settled`: whether status.observedGeneration becomes the pass's generation.
enum class Settled { No, Yes };
nlohmann::json status_patch(const Pass& pass, Settled settled);

}  // namespace atl::kube
