#include "controllers/service_instance_reconciler.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/convergence.h"
#include "controllers/instance_summary.h"
#include "controllers/release.h"
#include "controllers/secret_values.h"
#include "controllers/types.h"
#include "controllers/workloads.h"
#include "operator/base/time.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;
using kube::ConditionStatus;

/// The two specs of the journal's good revision, in place of the present ones.
Result<std::pair<crds::Stack, crds::ServiceInstance>> last_good(const Journal& journal, const crds::Stack& stack,
                                                                const crds::ServiceInstance& instance) {
    auto with_spec = [](const crds::ObjectMeta& meta, const std::string& spec) {
        nlohmann::json object;
        object["metadata"] = crds::encode(meta);
        object["spec"] = nlohmann::json::parse(spec, nullptr, false);
        return object;
    };
    auto good_stack = crds::decode_stack(with_spec(stack.meta, journal.good_stack));
    if (!good_stack.ok()) return good_stack.error();
    auto good_instance = crds::decode_service_instance(with_spec(instance.meta, journal.good_instance));
    if (!good_instance.ok()) return good_instance.error();
    return std::pair(std::move(*good_stack), std::move(*good_instance));
}

/// Whether a plan has steps that are sent now; a failed service leaves one that only waits.
bool sends(const cloud::Plan& plan) {
    return std::ranges::any_of(
        plan.steps, [](const cloud::Step& step) { return step.op != cloud::Op::Wait && step.needs.empty(); });
}

}  // namespace

ServiceInstanceReconciler::ServiceInstanceReconciler(Parts parts)
    : TypedReconciler([](const kube::Object& object) { return crds::decode_service_instance(object.json()); }),
      parts_(parts),
      finalizers_(parts.client, "atoll.dev/serviceinstance") {}

Task<kube::Recheck> ServiceInstanceReconciler::reconcile(crds::ServiceInstance& instance, kube::Pass& pass) {
    if (instance.being_deleted()) co_return co_await dismantle(instance, pass);

    const crds::Stack stack = co_await stack_of(instance);
    pass.status()["observedStackGeneration"] = stack.meta.generation;
    View view{instance, pass, {}, {}, parts_.journals.read(pass.key()), {}, refusal_of(stack, instance)};
    if (view.refused && view.journal.good.empty()) co_return *view.refused;
    const std::string cluster =
        instance.spec.cluster_ref ? instance.spec.cluster_ref->name : stack.spec.cluster_ref.name;
    pass.status()["cluster"] = cluster;
    view.place = co_await parts_.places.find(kube::ObjectKey(pass.key().ns, cluster), pass.deadline());
    view.owner = co_await begin(pass, cluster);  // promise to clean up before the first call
    parts_.hints.attend(view.owner, view.place.cluster_owner, *view.place.orchestrator, view.place.endpoint);
    co_await choose_revision(stack, view);  // the wanted one, or the last good one if that failed
    co_await dependencies_ready(stack, view);
    co_await remember_start(view);  // the intent, before the call
    Outcome outcome = co_await make_round(view);
    co_return co_await conclude(stack, view, std::move(outcome));
}

std::optional<Error> ServiceInstanceReconciler::refusal_of(const crds::Stack& stack,
                                                           const crds::ServiceInstance& instance) {
    const crds::FieldErrors of_stack = crds::check(stack.spec);
    if (!of_stack.empty()) return crds::to_error(of_stack).during("Stack \"" + stack.meta.name + "\"");
    const crds::FieldErrors own = crds::check(instance.spec, stack.spec);
    return own.empty() ? std::nullopt : std::optional(crds::to_error(own));
}

Result<crds::Stack> ServiceInstanceReconciler::stack_of(const crds::ServiceInstance& instance) const {
    const std::string& name = instance.spec.stack_ref.name;
    const auto object = parts_.stacks.find(kube::ObjectKey(instance.meta.name_space, name));
    if (!object) return Error::waiting("StackMissing", "Stack \"" + name + "\" does not exist; create it", 10min);
    auto stack = crds::decode_stack(object->json());
    if (!stack.ok()) return Error(stack.error()).during("Stack \"" + name + "\"");
    return stack;
}

Task<cloud::Owner> ServiceInstanceReconciler::begin(kube::Pass& pass, const std::string& cluster) {
    if (!finalizers_.is_on(pass.object())) {
        co_await parts_.places.accepts_newcomers(kube::ObjectKey(pass.key().ns, cluster));
    }
    kube::StringMap placed_on;
    placed_on.set(marks::kPlacedOn, cluster);
    co_return co_await parts_.identity.ensure(pass, finalizers_, std::move(placed_on));
}

Task<Content> ServiceInstanceReconciler::content_for(const crds::StackSpec& stack,
                                                     const crds::ServiceInstance& instance) {
    const ContentNames names = content_of(stack, instance.spec);
    Content content;
    content.hash_key = parts_.identity.installation().key;
    for (const std::string& name : names.config_maps) {
        const kube::Target target(types::kConfigMap, kube::ObjectKey(instance.meta.name_space, name));
        const std::optional<kube::Object> found = co_await parts_.client.find(target);
        if (found) content.config_maps[name] = values_of(*found);
    }
    for (const std::string& name : names.secrets) {
        const kube::Target target(types::kSecret, kube::ObjectKey(instance.meta.name_space, name));
        const std::optional<kube::Object> found = co_await parts_.client.find(target);
        if (found) content.secrets[name] = values_of(*found);
    }
    co_return content;
}

Task<Revision> ServiceInstanceReconciler::compile(const crds::Stack& stack, const crds::ServiceInstance& instance,
                                                  const Place& place) {
    const Content content = co_await content_for(stack.spec, instance);
    Revision revision;
    revision.workloads = co_await workloads_of(stack, instance, content);
    const cloud::Desired all = co_await place.orchestrator->translate(revision.workloads, place.endpoint);
    revision.hash = hash_of(all);
    co_return revision;
}

Task<> ServiceInstanceReconciler::choose_revision(const crds::Stack& stack, View& view) {
    parts_.content_users.refer(view.pass.key(), content_of(stack.spec, view.instance.spec));
    if (!view.refused) view.revision = co_await compile(stack, view.instance, view.place);
    if (!view.refused && (view.revision.hash != view.journal.failed || view.journal.good.empty())) co_return;
    const auto good = co_await last_good(view.journal, stack, view.instance);
    parts_.content_users.refer_also(view.pass.key(), content_of(good.first.spec, good.second.spec));
    view.revision = co_await compile(good.first, good.second, view.place);
    view.revision.rolled_back = true;
}

Result<Unit> ServiceInstanceReconciler::dependencies_ready(const crds::Stack& stack, const View& view) const {
    const crds::Service* service = stack.spec.find_service(view.instance.spec.service);
    if (service == nullptr || !view.journal.good.empty()) return ok();  // only before the first start
    for (const std::string& needed : service->depends_on) {
        const std::string name = instance_name(stack.meta.name, needed);
        const auto object = parts_.instances.find(kube::ObjectKey(view.pass.key().ns, name));
        if (object && is_ready(*object)) continue;
        return Error::waiting("DependencyNotReady", "dependsOn: ServiceInstance \"" + name + "\" is not Ready yet",
                              1min);
    }
    return ok();
}

Task<> ServiceInstanceReconciler::remember_start(View& view) {
    Journal& journal = view.journal;
    const std::string& hash = view.revision.hash;
    if (hash == journal.good || hash == journal.started) co_return;
    journal.started = hash;
    journal.started_at = format_rfc3339(parts_.client.clock().wall_now());
    co_await parts_.journals.write(view.pass, journal);
}

Task<ServiceInstanceReconciler::Outcome> ServiceInstanceReconciler::make_round(View& view) {
    const Place& place = view.place;
    cloud::World seen = co_await place.driver->observe(view.owner, view.pass.deadline());
    const auto before = place.orchestrator->status(view.revision.workloads, seen);
    const auto workloads = staged(view.revision.workloads, before, view.instance.spec.state);
    const cloud::Desired desired = co_await place.orchestrator->translate(workloads, place.endpoint);
    const auto statuses = place.orchestrator->status(workloads, seen);
    show(view.pass, {view.instance, workloads, statuses, place.orchestrator->urls(workloads, place.endpoint)});
    const crds::ResourceCounts counts = counts_of(desired, seen);
    view.pass.status()["resources"] = {{"total", counts.total}, {"ready", counts.ready}};
    Round round = co_await converge(*place.driver, desired, std::move(seen), {view.owner, view.pass});
    view.pass.status()["plan"] = plan_json(round.plan);
    Outcome outcome{progress_of(statuses), sends(round.plan), std::move(round.finished)};
    const bool partly = !std::ranges::equal(workloads, view.revision.workloads, {}, &cloud::Workload::replicas,
                                            &cloud::Workload::replicas);
    if (partly && view.instance.spec.state == crds::RunState::Running && outcome.finished.ok()) {
        outcome.finished =
            Error::waiting("StartingProviders", "consumers start once their providers are available", 1s);
    }
    if (view.instance.spec.state == crds::RunState::Stopped && !is_stopped(workloads) && outcome.finished.ok()) {
        outcome.finished = Error::waiting("StoppingConsumers", "providers stop once their consumers have ended", 1s);
    }
    co_return outcome;
}

Task<kube::Recheck> ServiceInstanceReconciler::conclude(const crds::Stack& stack, View& view, Outcome outcome) {
    kube::Conditions& conditions = view.pass.conditions();
    const Progress& progress = outcome.progress;
    const bool overdue = is_overdue(view.journal, view.revision, parts_.client.clock().wall_now());
    if (!outcome.changed && progress.phase != Progress::Phase::Done &&
        (progress.phase == Progress::Phase::Failed || overdue)) {
        co_await give_up(view, progress.message);
    }
    if (outcome.changed || progress.phase != Progress::Phase::Done || !outcome.finished.ok()) {
        conditions.set("Progressing", ConditionStatus::True, "RollingOut", progress.message);
        co_await std::move(outcome.finished);
        co_return Error::waiting("Progressing", progress.message.empty() ? "rolling out" : progress.message, 1s);
    }
    conditions.set("Progressing", ConditionStatus::False, "Complete", "all copies are up to date and available");
    if (view.refused)
        co_return Error(*view.refused).during("the last good revision keeps running").with_retry_after(1min);
    if (view.revision.rolled_back) {
        conditions.set("RolledBack", ConditionStatus::True, "RolloutFailed", view.journal.failure);
        co_return invalid("RolledBack", "the wanted revision failed (" + view.journal.failure +
                                            "); the last good one runs. Change the spec to try again");
    }
    conditions.remove("RolledBack");
    view.journal.good = view.revision.hash;
    view.journal.good_stack = crds::encode(stack.spec).dump();
    view.journal.good_instance = crds::encode(view.instance.spec, crds::WithReplicas::Yes).dump();
    view.journal.failed = view.journal.failure = view.journal.started = view.journal.started_at = "";
    if (view.instance.spec.state == crds::RunState::Running) co_await parts_.journals.write(view.pass, view.journal);
    co_return kube::Recheck(1min);
}

Task<> ServiceInstanceReconciler::give_up(View& view, std::string failure) {
    view.pass.conditions().set("Progressing", ConditionStatus::False, "ProgressDeadlineExceeded", failure);
    const bool can_return =
        !view.revision.rolled_back && !view.journal.good.empty() && view.journal.good != view.revision.hash;
    if (!can_return) co_await fail(Error::waiting("RolloutFailed", failure, 30s));
    view.journal.failed = view.revision.hash;
    view.journal.failure = failure;
    co_await parts_.journals.write(view.pass, view.journal);
    view.pass.event(kube::EventType::Warning, "RolloutFailed", "rolled back to the last good revision: " + failure);
    co_await fail(Error::waiting("RollingBack", "returning to the last good revision: " + failure, 100ms));
}

Task<kube::Recheck> ServiceInstanceReconciler::dismantle(crds::ServiceInstance& instance, kube::Pass& pass) {
    parts_.content_users.forget(pass.key());
    if (!finalizers_.is_on(pass.object())) co_return kube::Recheck::never();
    if (may_abandon(pass)) co_return co_await abandon(finalizers_, pass);
    co_await not_protected(instance.spec.deletion_protection);
    const std::string cluster = pass.object().annotation(marks::kPlacedOn).value_or(instance.status.cluster);
    if (!cluster.empty()) {
        const crds::DeletionPolicy policy = co_await policy_of(instance, pass);
        co_await clear(kube::ObjectKey(pass.key().ns, cluster), policy, pass);
    }
    co_await finalizers_.release(pass);
    co_return kube::Recheck::never();
}

/// The Stack's policy holds for what goes with it, whoever deletes the instance: we, or a cascading deletion.
Task<crds::DeletionPolicy> ServiceInstanceReconciler::policy_of(const crds::ServiceInstance& instance,
                                                                kube::Pass& pass) {
    const kube::OwnerReference* controller = pass.object().meta().controller();
    if (instance.spec.deletion_policy == crds::DeletionPolicy::Retain || controller == nullptr)
        co_return instance.spec.deletion_policy;
    const kube::Target target(types::kStack, kube::ObjectKey(pass.key().ns, controller->name));
    const std::string uid = controller->uid;
    const std::optional<kube::Object> stack = co_await parts_.client.find(target);
    if (!stack || stack->meta().uid != uid || !stack->meta().being_deleted()) co_return crds::DeletionPolicy::Delete;
    const nlohmann::json spec = stack->member("spec");
    const bool retains = spec.is_object() && spec.value("deletionPolicy", nlohmann::json()) == "Retain";
    co_return retains ? crds::DeletionPolicy::Retain : crds::DeletionPolicy::Delete;
}

Task<> ServiceInstanceReconciler::clear(kube::ObjectKey cluster, crds::DeletionPolicy policy, kube::Pass& pass) {
    const cloud::Owner owner = co_await parts_.identity.owner_of(pass.object(), pass.type().kind);
    co_await tear_down_at(parts_.places, std::move(cluster), policy, {owner, pass});
    parts_.hints.leave(owner.id);
}

}  // namespace atl::controllers
