#pragma once

#include <vector>

#include "cloud/model.h"
#include "cloud/workload.h"

namespace atl::cloud::none {

/// How far each workload is, from its containers. Done: all have run, and are healthy, for the monitor time. Failed:
/// one has been started again by the engine three times and does not run.
std::vector<WorkloadStatus> status(const std::vector<Workload>& workloads, const World& world);

}  // namespace atl::cloud::none
