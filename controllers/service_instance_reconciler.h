#pragma once

#include <map>
#include <set>

#include "controllers/content.h"
#include "controllers/content_users.h"
#include "controllers/hints.h"
#include "controllers/identity.h"
#include "controllers/journal.h"
#include "controllers/places.h"
#include "controllers/rollout.h"
#include "crds/service_instance.h"
#include "crds/stack.h"
#include "operator/kube/cache.h"
#include "operator/kube/finalizers.h"
#include "operator/kube/reconciler.h"

namespace atl::controllers {

/// What a ServiceInstance means: the containers of one service of its Stack run on its Cluster. The only one that
/// places workloads.
///
/// A revision that fails (by its back end's word, or its progress deadline) is remembered in the journal and not tried
/// again; the last good one runs instead (RolledBack) until the spec changes.
class ServiceInstanceReconciler final : public kube::TypedReconciler<crds::ServiceInstance> {
public:
    struct Parts {
        kube::Client& client;
        const kube::Cache& stacks;
        const kube::Cache& instances;
        const Identity& identity;
        Places& places;
        Journals& journals;
        Hints& hints;
        ContentUsers& content_users;
    };
    explicit ServiceInstanceReconciler(Parts parts);

    Task<kube::Recheck> reconcile(crds::ServiceInstance& instance, kube::Pass& pass) override;

private:
    /// What one pass knows.
    struct View {
        const crds::ServiceInstance& instance;
        kube::Pass& pass;
        cloud::Owner owner;
        Place place;
        Journal journal;
        Revision revision;
        std::optional<Error> refused;  ///< why the specs cannot be run: the last good revision runs
    };
    /// What one pass has done.
    struct Outcome {
        Progress progress;
        bool changed = false;  ///< something was sent: what was seen is old
        Result<Unit> finished = ok();
    };
    Task<kube::Recheck> dismantle(crds::ServiceInstance& instance, kube::Pass& pass);
    Task<crds::DeletionPolicy> policy_of(const crds::ServiceInstance& instance, kube::Pass& pass);
    Task<> clear(kube::ObjectKey cluster, crds::DeletionPolicy policy, kube::Pass& pass);
    /// What is wrong with the specs of the Stack and the instance; nullopt if nothing is.
    static std::optional<Error> refusal_of(const crds::Stack& stack, const crds::ServiceInstance& instance);
    Result<crds::Stack> stack_of(const crds::ServiceInstance& instance) const;
    Task<cloud::Owner> begin(kube::Pass& pass, const std::string& cluster);
    Task<Content> content_for(const crds::StackSpec& stack, const crds::ServiceInstance& instance);
    Task<Revision> compile(const crds::Stack& stack, const crds::ServiceInstance& instance, const Place& place);
    Task<> choose_revision(const crds::Stack& stack, View& view);
    Result<Unit> dependencies_ready(const crds::Stack& stack, const View& view) const;
    Task<Outcome> make_round(View& view);
    Task<> remember_start(View& view);
    Task<kube::Recheck> conclude(const crds::Stack& stack, View& view, Outcome outcome);
    Task<> give_up(View& view, std::string failure);

    Parts parts_;
    kube::Finalizers finalizers_;
};

}  // namespace atl::controllers
