#pragma once

#include <vector>

#include "cloud/model.h"
#include "cloud/workload.h"

namespace atl::cloud::swarm {

/// How far each workload is, from its service and the copies of it.
///
/// Done: so many copies of the current revision as are wanted have run for the monitor time. Failed: Swarm has stopped
/// an update, or copies of the current revision have failed three times and too few run.
std::vector<WorkloadStatus> status(const std::vector<Workload>& workloads, const World& world);

}  // namespace atl::cloud::swarm
