#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/clock.h"

namespace atl::commands {

/// The objects of our kinds, as the API server gives them.
struct Inventory {
    std::vector<nlohmann::json> clusters;
    std::vector<nlohmann::json> stacks;
    std::vector<nlohmann::json> instances;
    std::vector<nlohmann::json> machines;
};

/// What `atoll describe` prints: first what is wrong, each with its whole message, then the tree of Clusters with their
/// Machines, Stacks, ServiceInstances and containers, one line each: NAME, READY, REASON, SINCE, MESSAGE. Stacks whose
/// Cluster is not there, and instances whose Stack is not there, come at the end and are problems. An object that
/// cannot be read is a problem too, never a crash. A pure function: the same objects give the same text.
std::string describe_text(const Inventory& inventory, WallTime now);

}  // namespace atl::commands
