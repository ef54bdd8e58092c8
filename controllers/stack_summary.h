#pragma once

#include <string>
#include <vector>

#include "crds/service_instance.h"
#include "crds/stack.h"
#include "operator/kube/object.h"

namespace atl::controllers {

/// A Stack's status, from its ServiceInstances.
struct StackSummary {
    std::vector<crds::StackServiceStatus> rows;
    std::string services_ready;
    std::vector<std::string> endpoints;
};
/// Reads what the ServiceInstances say of themselves.
StackSummary summary_of(const crds::Stack& stack, const std::vector<kube::Object>& instances);

/// The rows as status.services.
nlohmann::json encode(const std::vector<crds::StackServiceStatus>& rows);

/// Waiting, naming the first ServiceInstance that is not Ready and why; ok if all are.
Result<Unit> all_ready(const crds::Stack& stack, const std::vector<kube::Object>& instances);

}  // namespace atl::controllers
