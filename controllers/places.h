#pragma once

#include <memory>
#include <string>

#include "controllers/identity.h"
#include "controllers/targets.h"
#include "operator/kube/cache.h"

namespace atl::controllers {

/// Where workloads run: an open Cluster, its endpoint, and the driver that speaks with it.
struct Place {
    std::string cluster;        ///< name of the Cluster
    std::string cluster_owner;  ///< its Owner::id
    const cloud::Orchestrator* orchestrator = nullptr;
    cloud::Endpoint endpoint;
    std::shared_ptr<cloud::Driver> driver;
};

/// Finds the places of Stacks and ServiceInstances. A Cluster that is being deleted is still a place, so that what runs
/// on it can go; it only takes nothing new.
class Places {
public:
    Places(kube::Client& client, const kube::Cache& clusters, const Identity& identity, Targets& targets)
        : client_(client), clusters_(clusters), identity_(identity), targets_(targets) {}

    /// Waiting (ClusterMissing, ClusterNotReady, …), with what to do, while there is no such Cluster or no endpoint.
    Task<Place> find(kube::ObjectKey cluster, Instant deadline);
    /// The place to take things away from: also one whose orchestrator is certainly gone (see
    /// Orchestrator::endpoint_to_clear).
    Task<Place> find_to_clear(kube::ObjectKey cluster, Instant deadline);
    /// Asks the server, not the cache, whether something new may be placed on the Cluster: Waiting (ClusterMissing,
    /// ClusterBeingDeleted) if not. A Cluster looks for its users on the server too once its deletion has begun, so one
    /// of the two sees the other.
    Task<> accepts_newcomers(kube::ObjectKey cluster);

private:
    Task<Target> open(kube::ObjectKey cluster);
    Place place_at(const Target& target, cloud::Endpoint endpoint) const;

    kube::Client& client_;
    const kube::Cache& clusters_;
    const Identity& identity_;
    Targets& targets_;
};

}  // namespace atl::controllers
