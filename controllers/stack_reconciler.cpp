#include "controllers/stack_reconciler.h"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/convergence.h"
#include "controllers/release.h"
#include "controllers/stack_instances.h"
#include "controllers/stack_summary.h"
#include "controllers/types.h"
#include "controllers/workloads.h"
#include "crds/composition.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;

}  // namespace

StackReconciler::StackReconciler(Parts parts)
    : TypedReconciler([](const kube::Object& object) { return crds::decode_stack(object.json()); }),
      parts_(parts),
      finalizers_(parts.client, "atoll.dev/stack") {}

Task<kube::Recheck> StackReconciler::reconcile(crds::Stack& stack, kube::Pass& pass) {
    if (stack.being_deleted()) co_return co_await dismantle(stack, pass);

    const crds::FieldErrors errors = crds::check(stack.spec);
    if (!errors.empty()) co_return crds::to_error(errors);
    const kube::ObjectKey cluster(stack.meta.name_space, stack.spec.cluster_ref.name);
    const Place place = co_await parts_.places.find(cluster, pass.deadline());
    if (!finalizers_.is_on(pass.object())) co_await parts_.places.accepts_newcomers(cluster);
    const cloud::Owner owner = co_await parts_.identity.ensure(pass, finalizers_);  // before the first call
    const cloud::Desired desired = place.orchestrator->shared(group_name(stack.meta), place.endpoint);
    co_await share(place, desired, owner, pass);
    co_await write_instances(stack, pass);
    show(stack, pass);
    co_await all_ready(stack, parts_.children.of(pass, types::kServiceInstance));
    co_return kube::Recheck(5min);
}

Task<> StackReconciler::share(const Place& place, const cloud::Desired& desired, const cloud::Owner& owner,
                              kube::Pass& pass) {
    cloud::World seen = co_await place.driver->observe(owner, pass.deadline());
    const crds::ResourceCounts counts = counts_of(desired, seen);
    pass.status()["resources"] = {{"total", counts.total}, {"ready", counts.ready}};
    Round round = co_await converge(*place.driver, desired, std::move(seen), {owner, pass});
    pass.status()["plan"] = plan_json(round.plan);
    co_await std::move(round.finished);
}

Task<> StackReconciler::write_instances(const crds::Stack& stack, kube::Pass& pass) {
    std::set<std::string> wanted;
    for (const crds::Service* service : crds::instantiated_services(stack.spec)) {
        wanted.insert(instance_name(stack.meta.name, service->name));
        co_await tell_of_undone_scale(stack, *service, pass);
        const nlohmann::json object = instance_object(stack, *service);
        co_await parts_.children.apply(pass, types::kServiceInstance, object);
    }
    for (const kube::Object& instance : parts_.children.of(pass, types::kServiceInstance)) {
        if (wanted.contains(instance.key().name) || instance.meta().being_deleted()) continue;
        co_await parts_.children.remove(pass, types::kServiceInstance, instance.key().name);
        pass.event(kube::EventType::Normal, "RemovedService",
                   "deleted ServiceInstance \"" + instance.key().name + "\"");
    }
}

/// A person or an autoscaler has scaled the instance, and the Stack's own number is about to undo that.
Task<> StackReconciler::tell_of_undone_scale(const crds::Stack& stack, const crds::Service& service, kube::Pass& pass) {
    const bool said_before =
        pass.status_before().value("observedGeneration", nlohmann::json()) == stack.meta.generation;
    if (!service.replicas || !said_before) co_return;
    const std::string name = instance_name(stack.meta.name, service.name);
    const auto differs = [&](const kube::Object& instance) {
        const nlohmann::json spec = instance.member("spec");
        return instance.key().name == name && spec.is_object() && spec.contains("replicas") &&
               spec["replicas"] != *service.replicas;
    };
    if (std::ranges::none_of(parts_.children.of(pass, types::kServiceInstance), differs)) co_return;
    const kube::Target target(types::kServiceInstance, kube::ObjectKey(pass.key().ns, name));
    const std::optional<kube::Object> now = co_await parts_.client.find(target);  // the cache may lag behind our write
    if (!now || !differs(*now)) co_return;
    const std::string field = "spec.services[" + service.name + "].replicas";
    pass.event(kube::EventType::Warning, "ScaleUndone",
               "ServiceInstance \"" + name + "\" was scaled to " + now->member("spec")["replicas"].dump() +
                   ", and is set back to " + std::to_string(*service.replicas) + ": " + field +
                   " of this Stack wins; change it there, or leave it out so that scale and autoscalers own it");
}

void StackReconciler::show(const crds::Stack& stack, kube::Pass& pass) {
    const StackSummary summary = summary_of(stack, parts_.children.of(pass, types::kServiceInstance));
    nlohmann::json& status = pass.status();
    status["services"] = encode(summary.rows);
    status["servicesReady"] = summary.services_ready;
    status["endpoints"] = summary.endpoints;
}

Task<kube::Recheck> StackReconciler::dismantle(crds::Stack& stack, kube::Pass& pass) {
    if (!finalizers_.is_on(pass.object())) co_return kube::Recheck::never();
    if (may_abandon(pass)) co_return co_await abandon(finalizers_, pass);
    co_await not_protected(stack.spec.deletion_protection);
    const cloud::Owner owner = co_await parts_.identity.owner_of(pass.object(), pass.type().kind);
    for (const kube::Object& instance : parts_.children.of(pass, types::kServiceInstance)) {
        co_await parts_.children.remove(pass, types::kServiceInstance, instance.key().name);
    }
    const auto left = parts_.users.instances_of(pass.key());
    if (!left.empty()) {
        co_return Error::waiting("WaitingForInstances", "waiting for ServiceInstances " + names_of(left) + " to go",
                                 30s);
    }
    kube::ObjectKey cluster(stack.meta.name_space, stack.spec.cluster_ref.name);
    co_await tear_down_at(parts_.places, std::move(cluster), stack.spec.deletion_policy, {owner, pass});
    co_await finalizers_.release(pass);
    co_return kube::Recheck::never();
}

}  // namespace atl::controllers
