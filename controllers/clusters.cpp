#include "controllers/clusters.h"

#include <nlohmann/json.hpp>

namespace atl::controllers {

using namespace std::chrono_literals;

Result<crds::Cluster> usable_cluster(const kube::Cache& clusters, const kube::ObjectKey& key) {
    const auto object = clusters.find(key);
    if (!object) {
        return Error::waiting("ClusterMissing",
                              "Cluster \"" + key.name + "\" does not exist in namespace \"" + key.ns + "\"; create it",
                              10min);
    }
    auto cluster = crds::decode_cluster(object->json());
    if (!cluster.ok()) return Error(cluster.error()).during("Cluster \"" + key.name + "\"");
    if (cluster->status.endpoint.empty()) {
        const crds::Condition* ready = crds::find_condition(cluster->status.conditions, "Ready");
        const std::string why = ready == nullptr || ready->message.empty() ? "" : ": " + ready->message;
        return Error::waiting("ClusterNotReady", "Cluster \"" + key.name + "\" has no endpoint yet" + why, 1min);
    }
    return cluster;
}

}  // namespace atl::controllers
