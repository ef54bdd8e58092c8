#include "crds/cluster.h"

#include "crds/shapes.h"

namespace atl::crds {

using nlohmann::json;

std::string InfrastructureChoice::name() const {
    if (local.has_value() == existing.has_value()) return "";
    return local ? "local" : "existing";
}

std::string OrchestratorChoice::name() const {
    if (none.has_value() == swarm.has_value()) return "";
    return none ? "none" : "swarm";
}

Result<Cluster> decode_cluster(const json& object) {
    return read_object<Cluster>(object);
}

json encode(const ClusterSpec& spec) {
    return Writer::write(spec);
}

json encode(const ClusterStatus& status) {
    return Writer::write(status);
}

json infrastructure_value(const ClusterSpec& spec) {
    if (spec.infrastructure.local) return Writer::write(*spec.infrastructure.local);
    if (spec.infrastructure.existing) return Writer::write(*spec.infrastructure.existing);
    return json::object();
}

json orchestrator_value(const ClusterSpec&) {
    // Neither choice has settings yet.
    return json::object();
}

}  // namespace atl::crds
