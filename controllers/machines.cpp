#include "controllers/machines.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "crds/machine.h"
#include "operator/base/names.h"

namespace atl::controllers {

namespace {

nlohmann::json machine_object(const std::string& cluster, const cloud::Resource& resource) {
    crds::MachineSpec spec;
    spec.cluster_ref.name = cluster;
    const std::string& slot = resource.key.name;
    spec.pool = slot.substr(0, slot.find('/'));
    spec.role = resource.properties.value("role", "worker");
    spec.slot = slot;
    nlohmann::json object;
    object["metadata"] = {{"name", machine_name(cluster, slot)}, {"labels", {{marks::kCluster, cluster}}}};
    object["spec"] = crds::encode(spec);
    return object;
}

}  // namespace

std::string machine_name(const std::string& cluster, const std::string& graph_name) {
    std::string flat = graph_name;
    std::ranges::replace(flat, '/', '-');
    return bounded_name({cluster, flat});
}

Task<> Machines::record(kube::Pass& cluster, const cloud::Desired& desired) {
    for (const auto& [key, resource] : desired.resources) {
        if (key.kind != kMachineKind) continue;
        const nlohmann::json object = machine_object(cluster.key().name, resource);
        co_await children_.apply(cluster, types::kMachine, object);
    }
}

Task<> Machines::forget(kube::Pass& cluster, const cloud::Desired& desired, const cloud::World& world) {
    std::set<std::string> kept;
    for (const auto& [key, resource] : desired.resources) {
        if (key.kind == kMachineKind) kept.insert(machine_name(cluster.key().name, key.name));
    }
    for (const cloud::Observed& seen : world.resources) {
        if (seen.key.kind == kMachineKind && !desired.resources.empty()) {
            kept.insert(machine_name(cluster.key().name, seen.key.name));
        }
    }
    for (const kube::Object& machine : children_.of(cluster, types::kMachine)) {
        if (!kept.contains(machine.key().name)) co_await children_.remove(cluster, types::kMachine, machine.key().name);
    }
}

}  // namespace atl::controllers
