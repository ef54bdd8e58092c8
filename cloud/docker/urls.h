#pragma once

#include <string>
#include <vector>

#include "cloud/orchestrator.h"

namespace atl::cloud::docker {

/// The URLs of the published ports of the workloads, on each machine that is an engine of the endpoint.
std::vector<std::string> urls_of(const std::vector<Workload>& workloads, const Endpoint& endpoint);

}  // namespace atl::cloud::docker
