#pragma once

#include "operator/apiserver/registry.h"

namespace atl::apiserver {

/// Adds the kinds that the server knows without a CRD.
void add_built_in_types(Registry& registry);

/// Columns and cells of the Tables of built-in kinds; found by "group/Kind". A kind without an entry gets Name and Age.
void add_table(const std::string& kind, Behaviour& behaviour);

/// Turns a v1 Event into an events.k8s.io/v1 Event and back, by apiVersion. Both are one stored object.
void convert_event(nlohmann::json& event, const std::string& api_version);

}  // namespace atl::apiserver
