#pragma once

#include "controllers/identity.h"
#include "controllers/places.h"
#include "controllers/users.h"
#include "crds/stack.h"
#include "operator/kube/children.h"
#include "operator/kube/finalizers.h"
#include "operator/kube/reconciler.h"

namespace atl::controllers {

/// What a Stack means: one ServiceInstance for each of its services, and what these share (networks). It sends replicas
/// only where the Stack sets them; else scale and autoscalers own them. It never places a workload itself.
class StackReconciler final : public kube::TypedReconciler<crds::Stack> {
public:
    struct Parts {
        kube::Client& client;
        const Identity& identity;
        Places& places;
        kube::Children& children;
        Users users;
    };
    explicit StackReconciler(Parts parts);

    Task<kube::Recheck> reconcile(crds::Stack& stack, kube::Pass& pass) override;

private:
    Task<kube::Recheck> dismantle(crds::Stack& stack, kube::Pass& pass);
    Task<> share(const Place& place, const cloud::Desired& desired, const cloud::Owner& owner, kube::Pass& pass);
    Task<> tell_of_undone_scale(const crds::Stack& stack, const crds::Service& service, kube::Pass& pass);
    Task<> write_instances(const crds::Stack& stack, kube::Pass& pass);
    void show(const crds::Stack& stack, kube::Pass& pass);

    Parts parts_;
    kube::Finalizers finalizers_;
};

}  // namespace atl::controllers
