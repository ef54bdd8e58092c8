#include "controllers/places.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "operator/base/root_task.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;

Error missing(const kube::ObjectKey& key) {
    return Error::waiting("ClusterMissing",
                          "Cluster \"" + key.name + "\" does not exist in namespace \"" + key.ns + "\"; create it",
                          10min);
}

/// A Cluster that has come up at least once.
Result<crds::Cluster> usable(const kube::Object& object) {
    const std::string& name = object.key().name;
    auto cluster = crds::decode_cluster(object.json());
    if (!cluster.ok()) return Error(cluster.error()).during("Cluster \"" + name + "\"");
    if (cluster->status.endpoint.empty()) {
        const crds::Condition* ready = crds::find_condition(cluster->status.conditions, "Ready");
        const std::string why = ready == nullptr || ready->message.empty() ? "" : ": " + ready->message;
        return Error::waiting("ClusterNotReady", "Cluster \"" + name + "\" has no endpoint yet" + why, 1min);
    }
    return cluster;
}

}  // namespace

Task<Target> Places::open(kube::ObjectKey cluster) {
    const auto object = clusters_.find(cluster);
    if (!object) co_return missing(cluster);
    const crds::Cluster found = co_await usable(*object);
    auto owner = identity_.owner_of(*object, types::kCluster.kind);
    if (!owner.ok()) co_return Error(owner.error()).during("Cluster \"" + found.meta.name + "\"");
    Target target = co_await targets_.open(found, std::move(*owner));
    co_return target;
}

Place Places::place_at(const Target& target, cloud::Endpoint endpoint) const {
    Place place;
    place.cluster = target.topology.cluster;
    place.cluster_owner = target.owner.id;
    place.orchestrator = target.orchestrator;
    place.driver = targets_.driver_at(target, endpoint);
    place.endpoint = std::move(endpoint);
    return place;
}

Task<Place> Places::find(kube::ObjectKey cluster, Instant deadline) {
    const Target target = co_await open(std::move(cluster));
    cloud::Endpoint endpoint = co_await targets_.endpoint(target, deadline);
    co_return place_at(target, std::move(endpoint));
}

Task<Place> Places::find_to_clear(kube::ObjectKey cluster, Instant deadline) {
    if (!clusters_.find(cluster)) {
        co_return Error::waiting(
            "ClusterMissing",
            "Cluster \"" + cluster.name +
                "\" is gone, so what was placed on it cannot be taken away; create it again, or set "
                "annotation " +
                marks::kAbandon + "=<name of this object> to let this object go without cleaning up",
            10min);
    }
    const Target target = co_await open(std::move(cluster));
    cloud::Endpoint endpoint = co_await targets_.endpoint_to_clear(target, deadline);
    co_return place_at(target, std::move(endpoint));
}

Task<> Places::accepts_newcomers(kube::ObjectKey cluster) {
    const kube::Target target(types::kCluster, cluster);
    const std::optional<kube::Object> now = co_await client_.find(target);
    if (!now) co_await fail(missing(cluster));
    if (now->meta().being_deleted()) {
        co_await fail(Error::waiting("ClusterBeingDeleted",
                                     "Cluster \"" + cluster.name + "\" is being deleted; nothing new is placed on it",
                                     10min));
    }
}

}  // namespace atl::controllers
