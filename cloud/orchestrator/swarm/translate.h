#pragma once

#include <string>
#include <vector>

#include "cloud/orchestrator.h"

namespace atl::cloud::swarm {

/// Workloads as services, with their files and volumes. Errors as docker::check_workload, and for what needs a routing
/// mesh where there is none.
Result<Desired> translate(const std::vector<Workload>& workloads, const Endpoint& endpoint);

/// The network that the workloads of a group share.
Desired shared(const std::string& group);

/// Whether the swarm's kernels are known to have IPVS: only then do virtual addresses and the routing mesh work.
bool has_routing_mesh(const Endpoint& endpoint);

}  // namespace atl::cloud::swarm
