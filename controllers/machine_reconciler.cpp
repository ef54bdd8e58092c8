#include "controllers/machine_reconciler.h"

#include <nlohmann/json.hpp>

#include "controllers/machines.h"
#include "controllers/types.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;

void show(const cloud::Observed& seen, kube::Pass& pass) {
    nlohmann::json& status = pass.status();
    status["state"] = std::string(cloud::to_string(seen.state));
    status["message"] = seen.message.empty() ? nlohmann::json() : nlohmann::json(seen.message);
    auto output = [&](const char* name) {
        const auto found = seen.outputs.find(name);
        return found == seen.outputs.end() ? nlohmann::json() : nlohmann::json(found->second);
    };
    status["address"] = output("address");
    nlohmann::json engine = nlohmann::json::object();
    for (const auto& [field, name] : {std::pair("version", "engineVersion"),
                                      {"apiVersion", "apiVersion"},
                                      {"operatingSystem", "operatingSystem"},
                                      {"architecture", "architecture"},
                                      {"kernel", "kernel"}}) {
        if (const nlohmann::json value = output(name); !value.is_null()) engine[field] = value;
    }
    if (!engine.empty()) status["engine"] = engine;
    nlohmann::json capacity = nlohmann::json::object();
    for (const char* name : {"cpu", "memory"}) {
        if (const nlohmann::json value = output(name); !value.is_null()) capacity[name] = value;
    }
    if (!capacity.empty()) status["capacity"] = capacity;
}

}  // namespace

MachineReconciler::MachineReconciler(const kube::Cache& clusters, const Identity& identity, Targets& targets)
    : TypedReconciler([](const kube::Object& object) { return crds::decode_machine(object.json()); }),
      clusters_(clusters),
      identity_(identity),
      targets_(targets) {}

Task<kube::Recheck> MachineReconciler::reconcile(crds::Machine& machine, kube::Pass& pass) {
    if (machine.being_deleted()) co_return kube::Recheck::never();
    const auto object = clusters_.find(kube::ObjectKey(machine.meta.name_space, machine.spec.cluster_ref.name));
    if (!object)
        co_return Error::waiting("ClusterMissing", "Cluster \"" + machine.spec.cluster_ref.name + "\" does not exist",
                                 10min);
    const cloud::Owner owner = co_await identity_.owner_of(*object, types::kCluster.kind);
    const crds::Cluster cluster = co_await crds::decode_cluster(object->json());
    Target target = co_await targets_.open(cluster, owner);
    const cloud::World world = co_await targets_.world(target, 1min, pass.deadline());
    const cloud::Observed* seen = world.find(cloud::ResourceKey{kMachineKind, machine.spec.slot.value_or("")});
    if (seen == nullptr) co_return Error::waiting("NotSeen", "the machine was not seen yet", 5s);
    show(*seen, pass);
    if (seen->state != cloud::State::Ready) co_return Error::waiting("NotReady", seen->message, 10s);
    co_return kube::Recheck(1min);
}

}  // namespace atl::controllers
