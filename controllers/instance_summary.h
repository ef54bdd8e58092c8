#pragma once

#include <string>
#include <vector>

#include "cloud/workload.h"
#include "crds/service_instance.h"
#include "operator/kube/object.h"
#include "operator/kube/pass.h"

namespace atl::controllers {

/// What a pass has seen of a ServiceInstance.
struct InstanceView {
    const crds::ServiceInstance& instance;
    const std::vector<cloud::Workload>& workloads;
    const std::vector<cloud::WorkloadStatus>& statuses;
    std::vector<std::string> urls;
};

/// Fills the status: counts, containers, links, endpoints, state, and the condition Emulated.
void show(kube::Pass& pass, const InstanceView& view);

/// Whether none of the workloads is to run.
bool is_stopped(const std::vector<cloud::Workload>& workloads);

/// Whether an object is Ready for its present generation.
bool is_ready(const kube::Object& object);

}  // namespace atl::controllers
