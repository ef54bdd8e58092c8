#pragma once

#include "cloud/orchestrator.h"

namespace atl::cloud::swarm {

/// Adds the swarm, formed on the first machine, and a membership for each of the others.
void extend(Desired& desired, const Topology& topology);

/// The engines of the swarm, its first manager first; Waiting (SwarmNotFormed) until there is one.
Result<Endpoint> endpoint(const World& world);

}  // namespace atl::cloud::swarm
