#pragma once

#include "cloud/orchestrator.h"

namespace atl::cloud::swarm {

/// Adds the swarm, formed on the first machine, and a membership for each of the others.
void extend(Desired& desired, const Topology& topology);

/// The engines of the swarm, its first manager first; Waiting (SwarmNotFormed) until there is one.
Result<Endpoint> endpoint(const World& world);
/// The same while there is a swarm, or one may be coming up; the bare engines, with fact kSwarmGone, once each machine
/// says that it is in no swarm of ours.
Result<Endpoint> endpoint_to_clear(const World& world);
inline constexpr const char* kSwarmGone = "swarmGone";

}  // namespace atl::cloud::swarm
