#pragma once

#include <string>
#include <vector>

#include "operator/kube/cache.h"

namespace atl::controllers {

/// Who names whom, by the caches: for waiting before something is torn down, and for waking those that depend on a
/// change.
class Users {
public:
    Users(const kube::Cache& stacks, const kube::Cache& instances) : stacks_(stacks), instances_(instances) {}

    /// Stacks whose clusterRef names the Cluster.
    std::vector<kube::ObjectKey> stacks_on(const kube::ObjectKey& cluster) const;
    /// ServiceInstances that run on the Cluster: by their own clusterRef, by status.cluster, or by their Stack's.
    std::vector<kube::ObjectKey> instances_on(const kube::ObjectKey& cluster) const;
    /// ServiceInstances whose stackRef names the Stack, its own among them.
    std::vector<kube::ObjectKey> instances_of(const kube::ObjectKey& stack) const;

private:
    const kube::Cache& stacks_;
    const kube::Cache& instances_;
};

/// The same, over what a list gave, of the Cluster's namespace.
std::vector<kube::ObjectKey> stacks_on(const kube::ObjectKey& cluster, const std::vector<kube::Object>& stacks);
std::vector<kube::ObjectKey> instances_on(const kube::ObjectKey& cluster, const std::vector<kube::Object>& instances,
                                          const std::vector<kube::Object>& stacks);

/// "a, b, c and 4 more": at most three names.
std::string names_of(const std::vector<kube::ObjectKey>& keys);

}  // namespace atl::controllers
