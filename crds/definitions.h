#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace atl::crds {

/// The CustomResourceDefinitions of our kinds, in the order Cluster, Stack, ServiceInstance, Machine: what crds/*.yaml
/// say, which are part of the binary.
const std::vector<nlohmann::json>& definitions();
/// The admission policies that come with the definitions, each with its binding: protection from deletion, and a right
/// of its own for the deletion of Clusters.
const std::vector<nlohmann::json>& policies();
/// The YAML as it was written: all documents of both, joined by "---".
const std::string& manifest_text();

}  // namespace atl::crds
