#pragma once

#include <string>
#include <vector>

#include "cloud/workload.h"
#include "controllers/content.h"
#include "crds/service_instance.h"
#include "crds/stack.h"
#include "operator/base/result.h"

namespace atl::controllers {

/// The name of the ServiceInstance that a Stack makes for one of its services: `<stack>-<service>`.
std::string instance_name(const std::string& stack, const std::string& service);

/// The name of a container's workload, which is also the DNS name under which it answers inside its Stack's network:
/// the instance's own name for a plain service, `<instance>-<path>` for a part of a composite.
std::string workload_name(const std::string& instance, const std::string& service, const std::string& path);

/// The group of a Stack: its workloads share a network. Unique over namespaces.
std::string group_name(const crds::ObjectMeta& stack);

/// What an instance should run: one Workload for each container, with settings, content, links and published ports
/// filled in. Pure.
///
/// Errors: Invalid with the field for what the schema cannot see (quantities, durations); Waiting (ContentMissing) for
/// a ConfigMap, Secret or key that is not there. Published ports belong to the instance that the Stack made, not to
/// further copies.
Result<std::vector<cloud::Workload>> workloads_of(const crds::Stack& stack, const crds::ServiceInstance& instance,
                                                  const Content& content);

}  // namespace atl::controllers
