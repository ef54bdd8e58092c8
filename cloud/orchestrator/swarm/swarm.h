#pragma once

#include <memory>

#include "cloud/docker/client.h"
#include "cloud/orchestrator.h"

namespace atl::cloud::swarm {

/// orchestrator.swarm: workloads as services of a Docker Swarm that is formed from the Cluster's machines.
std::unique_ptr<Orchestrator> make_swarm(std::shared_ptr<docker::Versions> versions);

}  // namespace atl::cloud::swarm
