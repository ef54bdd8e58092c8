#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"

namespace atl::schema {

/// A JSONPath of the subset that CRDs use: `.spec.replicas`, `.status.conditions[?(@.type=="Ready")].status`, `[*]`,
/// `[0]`, `[-1]`,
/// `[1:3]`, `['a.b']`, `.metadata.labels.app\.kubernetes\.io/name`, `..name`; filters with ==, !=, <, <=, >, >= and
/// existence.
class JsonPath {
public:
    static constexpr std::size_t kMaxLength = 1024;

    /// Errors: class Invalid, with the place.
    static Result<JsonPath> compile(std::string_view text);

    /// The values it points at, in order; none if a field on the way is missing. They live as long as `object`.
    std::vector<const nlohmann::json*> find(const nlohmann::json& object) const;

    struct Step;

private:
    std::vector<std::shared_ptr<const Step>> steps_;
};

}  // namespace atl::schema
