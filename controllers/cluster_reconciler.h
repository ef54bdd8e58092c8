#pragma once

#include "controllers/content_users.h"
#include "controllers/identity.h"
#include "controllers/machines.h"
#include "controllers/targets.h"
#include "controllers/users.h"
#include "crds/cluster.h"
#include "operator/kube/finalizers.h"
#include "operator/kube/reconciler.h"

namespace atl::controllers {

/// What a Cluster means: its machines and what its orchestrator needs exist, and are reached at status.endpoint. The
/// only one that calls an infrastructure.
///
/// Deleting one waits for the Stacks and ServiceInstances on it, then converges to nothing. With deletionPolicy Retain
/// everything stays, without our marks. A protected Cluster is not torn down, even if its deletion got through.
class ClusterReconciler final : public kube::TypedReconciler<crds::Cluster> {
public:
    struct Parts {
        kube::Client& client;
        const Identity& identity;
        Targets& targets;
        Machines& machines;
        Users users;
        ContentUsers& content_users;
    };
    explicit ClusterReconciler(Parts parts);

    Task<kube::Recheck> reconcile(crds::Cluster& cluster, kube::Pass& pass) override;

private:
    Task<kube::Recheck> dismantle(crds::Cluster& cluster, kube::Pass& pass);
    Task<> until_unused(kube::ObjectKey key);
    void show(const Target& target, const cloud::World& world, kube::Pass& pass) const;

    kube::Client& client_;
    kube::Finalizers finalizers_;
    const Identity& identity_;
    Targets& targets_;
    Machines& machines_;
    Users users_;
    ContentUsers& content_users_;
};

}  // namespace atl::controllers
