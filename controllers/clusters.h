#pragma once

#include "crds/cluster.h"
#include "operator/kube/cache.h"

namespace atl::controllers {

/// The Cluster that something is to run on. Waiting (ClusterMissing, ClusterNotReady), with what to do, if it is not
/// there or has no endpoint yet; one that is being deleted is usable, so that what runs on it can go.
Result<crds::Cluster> usable_cluster(const kube::Cache& clusters, const kube::ObjectKey& key);

}  // namespace atl::controllers
