#include "controllers/cluster_reconciler.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/convergence.h"
#include "controllers/release.h"
#include "controllers/types.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;
using kube::ConditionStatus;

}  // namespace

ClusterReconciler::ClusterReconciler(Parts parts)
    : TypedReconciler([](const kube::Object& object) { return crds::decode_cluster(object.json()); }),
      client_(parts.client),
      finalizers_(parts.client, "atoll.dev/cluster"),
      identity_(parts.identity),
      targets_(parts.targets),
      machines_(parts.machines),
      users_(parts.users),
      content_users_(parts.content_users) {}

Task<kube::Recheck> ClusterReconciler::reconcile(crds::Cluster& cluster, kube::Pass& pass) {
    if (cluster.being_deleted()) co_return co_await dismantle(cluster, pass);

    const crds::FieldErrors errors = crds::check(cluster.spec);
    if (!errors.empty()) co_return crds::to_error(errors);
    cloud::Owner owner = co_await identity_.ensure(pass, finalizers_);  // promise to clean up before the first call
    content_users_.refer(pass.key(), ContentNames{{}, secrets_of(cluster.spec)});
    Target target = co_await targets_.open(cluster, owner);
    co_await machines_.record(pass, target.desired);  // the intent, before the call

    cloud::World seen = co_await targets_.world(target, 0s, pass.deadline());
    show(target, seen, pass);
    Round round = co_await converge(*target.driver, target.desired, std::move(seen), {owner, pass});
    if (!round.plan.empty()) targets_.forget(owner);
    co_await machines_.forget(pass, target.desired, round.world);
    pass.status()["plan"] = plan_json(round.plan);
    co_await std::move(round.finished);  // else Waiting: names what is missing

    pass.conditions().set("InfrastructureReady", ConditionStatus::True, "Ready", "all resources are ready");
    const cloud::Endpoint endpoint = co_await target.orchestrator->endpoint(round.world);
    pass.status()["endpoint"] = endpoint.url;
    pass.conditions().set("ControlPlaneReady", ConditionStatus::True, "Ready", "");
    pass.conditions().set("EndpointReachable", ConditionStatus::True, "Reachable", "");
    co_return kube::Recheck(1min);  // look again for drift
}

void ClusterReconciler::show(const Target& target, const cloud::World& world, kube::Pass& pass) const {
    const crds::ResourceCounts resources = counts_of(target.desired, world);
    crds::ResourceCounts machines;
    for (const auto& [key, resource] : target.desired.resources) {
        if (key.kind != kMachineKind) continue;
        ++machines.total;
        const cloud::Observed* seen = world.find(key);
        if (seen != nullptr && seen->state == cloud::State::Ready) ++machines.ready;
    }
    nlohmann::json& status = pass.status();
    status["infrastructure"] = std::string(target.topology.infrastructure_name);
    status["orchestrator"] = std::string(target.orchestrator->name());
    status["resources"] = {{"total", resources.total}, {"ready", resources.ready}};
    status["machines"] = {{"total", machines.total}, {"ready", machines.ready}};
    for (const char* type : {"InfrastructureReady", "ControlPlaneReady", "EndpointReachable"}) {
        if (resources.ready < resources.total) {
            pass.conditions().set(
                type, ConditionStatus::False, "NotReady",
                std::to_string(resources.ready) + " of " + std::to_string(resources.total) + " resources are ready");
        }
    }
}

Task<kube::Recheck> ClusterReconciler::dismantle(crds::Cluster& cluster, kube::Pass& pass) {
    content_users_.forget(pass.key());
    if (!finalizers_.is_on(pass.object())) co_return kube::Recheck::never();
    if (may_abandon(pass)) co_return co_await abandon(finalizers_, pass);
    content_users_.refer(pass.key(), ContentNames{{}, secrets_of(cluster.spec)});  // its end needs them too
    co_await not_protected(cluster.spec.deletion_protection);
    const cloud::Owner owner = co_await identity_.owner_of(pass.object(), pass.type().kind);
    co_await until_unused(pass.key());  // never deletes what people wrote
    Target target = co_await targets_.open(cluster, owner);
    cloud::World seen = co_await targets_.world(target, 0s, pass.deadline());
    targets_.forget(owner);
    co_await tear_down(*target.driver, std::move(seen), cluster.spec.deletion_policy, {owner, pass});
    const cloud::World empty;
    const cloud::Desired nothing = cloud::nothing();
    co_await machines_.forget(pass, nothing, empty);
    co_await finalizers_.release(pass);
    content_users_.forget(pass.key());
    co_return kube::Recheck::never();
}

Task<> ClusterReconciler::until_unused(kube::ObjectKey key) {
    auto stacks = users_.stacks_on(key);
    auto instances = users_.instances_on(key);
    if (stacks.empty() && instances.empty()) {  // by the caches; the server knows of the last ones, see Places
        const kube::ListPage all_stacks = co_await client_.list(kube::Scope(types::kStack, key.ns));
        const kube::ListPage all_instances = co_await client_.list(kube::Scope(types::kServiceInstance, key.ns));
        stacks = stacks_on(key, all_stacks.objects);
        instances = instances_on(key, all_instances.objects, all_stacks.objects);
    }
    if (stacks.empty() && instances.empty()) co_return;
    std::string what;
    if (!stacks.empty()) what += "Stacks " + names_of(stacks);
    if (!instances.empty())
        what += (what.empty() ? "" : " and ") + std::string("ServiceInstances ") + names_of(instances);
    co_await fail(Error::waiting("WaitingForStacks", what + " still name this Cluster; delete them first", 1min));
}

}  // namespace atl::controllers
