#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"

namespace atl {

/// What a text of manifests may be at most.
struct ManifestLimits {
    std::size_t bytes = 16 * 1024 * 1024;
    std::size_t documents = 10'000;
    std::size_t depth = 100;       ///< levels of nesting, flow and block together
    std::size_t aliases = 1'000;   ///< uses of anchors in one document
    std::size_t values = 500'000;  ///< values in one document once aliases are written out ("billion laughs")
};

/// One document of a text of manifests.
struct ManifestDocument {
    std::size_t line = 1;   ///< line in the text where it begins
    nlohmann::json object;  ///< always an object
};

/// Reads manifests in YAML or JSON the way kubectl does (sigs.k8s.io/yaml): documents between "---", a byte order mark
/// and CRLF are allowed, empty documents are left out, a v1 List stands for its items. Unquoted scalars are those of
/// YAML 1.1 as go-yaml 2 reads them: y, yes, on, true (booleans), ~ and null, 0x10, 0o7, 010, 1e3, 1_000; 1:30 and
/// dates are texts. Keys become texts. "<<" merges. Refused: a key that comes twice, .inf and .nan, unknown tags,
/// control characters.
///
/// Errors are of class Invalid: `line 3, column 5: key "a" comes twice`. Nothing here recurses deeper than the limits.
Result<std::vector<ManifestDocument>> parse_manifests(std::string_view text, const ManifestLimits& limits = {});

}  // namespace atl
