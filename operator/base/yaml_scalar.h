#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace atl {

/// What an unquoted scalar means, by the rules of go-yaml 2, which Kubernetes' tools use: a boolean, null, a number or
/// a text. nullopt for .inf and .nan, which JSON does not have.
std::optional<nlohmann::json> resolve_plain_scalar(std::string_view text);

}  // namespace atl
