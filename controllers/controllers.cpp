#include "controllers/controllers.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/admission.h"
#include "controllers/cluster_reconciler.h"
#include "controllers/hints.h"
#include "controllers/machine_reconciler.h"
#include "controllers/service_instance_reconciler.h"
#include "controllers/stack_reconciler.h"
#include "controllers/types.h"

namespace atl::controllers {

namespace {

kube::ControllerOptions options(const char* name, const kube::ResourceType& type) {
    kube::ControllerOptions result;
    result.name = name;
    result.type = type;
    result.pause_annotation = marks::kMove;
    return result;
}

/// All objects of a type, without what they hold.
kube::Scope metadata_of(const kube::ResourceType& type) {
    kube::Scope scope(type);
    scope.extent = kube::Extent::Metadata;
    return scope;
}

std::vector<kube::ObjectKey> named(const kube::Object& object, const char* reference) {
    const nlohmann::json spec = object.member("spec");
    if (!spec.is_object() || !spec.contains(reference) || !spec[reference].is_object()) return {};
    const nlohmann::json name = spec[reference].value("name", nlohmann::json());
    if (!name.is_string()) return {};
    return {kube::ObjectKey(object.key().ns, name.get<std::string>())};
}

}  // namespace

struct Controllers::Wiring {
    explicit Wiring(Setting setting)
        : runtime(setting.runtime),
          clusters(runtime.caches.of(types::kCluster)),
          stacks(runtime.caches.of(types::kStack)),
          instances(runtime.caches.of(types::kServiceInstance)),
          identity(std::move(setting.installation)),
          targets(setting.registry, setting.surroundings, runtime.client),
          places(runtime.client, clusters, identity, targets),
          cluster_children(runtime.client, runtime.caches, "atoll-cluster"),
          stack_children(runtime.client, runtime.caches, "atoll-stack"),
          machines(cluster_children),
          journals(runtime.client, runtime.caches),
          users(stacks, instances),
          admission({setting.registry, clusters, stacks, instances}),
          hints(runtime.spawner, setting.surroundings),
          cluster_reconciler({runtime.client, identity, targets, machines, users, cluster_secrets}),
          machine_reconciler(clusters, identity, targets),
          stack_reconciler({runtime.client, identity, places, stack_children, users}),
          instance_reconciler({runtime.client, stacks, instances, identity, places, journals, hints, instance_content}),
          cluster(runtime, options("cluster", types::kCluster), cluster_reconciler),
          machine(runtime, options("machine", types::kMachine), machine_reconciler),
          stack(runtime, options("stack", types::kStack), stack_reconciler),
          instance(runtime, options("serviceinstance", types::kServiceInstance), instance_reconciler) {
        wire();
    }

    /// What wakes whom, besides its own changes.
    void wire() {
        hints.on_hint([this](const kube::ObjectKey& key) { instance.hint(key); });
        cluster.watch_owned(types::kMachine);
        cluster.watch(types::kStack,
                      [](const kube::Object& stack_object) { return named(stack_object, "clusterRef"); });
        cluster.watch(types::kServiceInstance, [this](const kube::Object& object) { return clusters_of(object); });
        machine.watch(types::kCluster, [this](const kube::Object& object) { return machines_of(object); });
        stack.watch_owned(types::kServiceInstance);
        stack.watch(types::kServiceInstance, [](const kube::Object& object) { return named(object, "stackRef"); });
        stack.watch(types::kCluster, [this](const kube::Object& object) { return users.stacks_on(object.key()); });
        instance.watch(types::kStack, [this](const kube::Object& object) { return users.instances_of(object.key()); });
        instance.watch(types::kCluster,
                       [this](const kube::Object& object) { return users.instances_on(object.key()); });
        const kube::Scope secrets = metadata_of(types::kSecret);
        cluster.watch(secrets,
                      [this](const kube::Object& object) { return cluster_secrets.users_of_secret(object.key()); });
        instance.watch(secrets,
                       [this](const kube::Object& object) { return instance_content.users_of_secret(object.key()); });
        instance.watch(metadata_of(types::kConfigMap), [this](const kube::Object& object) {
            return instance_content.users_of_config_map(object.key());
        });
    }

    std::vector<kube::ObjectKey> clusters_of(const kube::Object& object) const {
        const nlohmann::json status = object.member("status");
        if (!status.is_object() || !status.value("cluster", nlohmann::json()).is_string()) return {};
        return {kube::ObjectKey(object.key().ns, status["cluster"].get<std::string>())};
    }

    std::vector<kube::ObjectKey> machines_of(const kube::Object& object) const {
        std::vector<kube::ObjectKey> keys;
        for (const kube::Object& owned : runtime.caches.of(types::kMachine).owned_by(object.meta().uid)) {
            keys.push_back(owned.key());
        }
        return keys;
    }

    std::vector<kube::Controller*> all() { return {&cluster, &machine, &stack, &instance}; }

    kube::Runtime runtime;
    kube::Cache& clusters;
    kube::Cache& stacks;
    kube::Cache& instances;
    Identity identity;
    Targets targets;
    Places places;
    kube::Children cluster_children;
    kube::Children stack_children;
    Machines machines;
    Journals journals;
    Users users;
    Admission admission;
    Hints hints;
    ContentUsers cluster_secrets;
    ContentUsers instance_content;
    ClusterReconciler cluster_reconciler;
    MachineReconciler machine_reconciler;
    StackReconciler stack_reconciler;
    ServiceInstanceReconciler instance_reconciler;
    kube::Controller cluster;
    kube::Controller machine;
    kube::Controller stack;
    kube::Controller instance;
};

Controllers::Controllers(Setting setting) : wiring_(std::make_unique<Wiring>(std::move(setting))) {}

Controllers::~Controllers() = default;

void Controllers::start() {
    for (kube::Controller* controller : wiring_->all()) controller->start();
}

void Controllers::stop() {
    wiring_->hints.stop();
    for (kube::Controller* controller : wiring_->all()) controller->stop();
}

void Controllers::take_up(const kube::Controller::Selection& which) {
    for (kube::Controller* controller : wiring_->all()) controller->take_up(which);
}

void Controllers::drop(const kube::Controller::Selection& which) {
    for (kube::Controller* controller : wiring_->all()) controller->drop(which);
}

bool Controllers::works_on(const kube::Controller::Selection& which) const {
    return std::ranges::any_of(wiring_->all(),
                               [&](const kube::Controller* controller) { return controller->works_on(which); });
}

void Controllers::adopt(Installation installation) {
    if (wiring_->identity.installation() == installation) return;
    wiring_->identity.adopt(std::move(installation));
    take_up([](const kube::ObjectKey&) { return true; });
}

kube::AdmissionAnswer Controllers::judge(const kube::AdmissionCall& call) const {
    return synced() ? wiring_->admission.judge(call) : kube::AdmissionAnswer();
}

bool Controllers::synced() const {
    return std::ranges::all_of(wiring_->all(), [](const kube::Controller* controller) { return controller->synced(); });
}

bool Controllers::at_rest() const {
    return std::ranges::all_of(wiring_->all(),
                               [](const kube::Controller* controller) { return controller->at_rest(); });
}

}  // namespace atl::controllers
