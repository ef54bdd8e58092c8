#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"

namespace atl::schema {

/// Deeper nesting than this is refused wherever an object comes in: nothing here recurses further.
inline constexpr int kMaxDepth = 128;

/// A request body, read.
struct Decoded {
    nlohmann::json value;
    /// What strict decoding complains about: `duplicate field "spec.replicas"`. The last of the duplicates is in value.
    std::vector<std::string> duplicates;
};

/// Reads JSON text. Never throws, never recurses: nesting over kMaxDepth, bad UTF-8, and numbers out of range are
/// errors of class Invalid. An own parser callback finds duplicate keys.
Result<Decoded> decode_json(std::string_view text);

/// Whether a tree that was built by hand stays within kMaxDepth; check it before handing it to anything here.
bool within_depth(const nlohmann::json& value);

}  // namespace atl::schema
