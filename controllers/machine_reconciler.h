#pragma once

#include "controllers/identity.h"
#include "controllers/targets.h"
#include "crds/machine.h"
#include "operator/kube/cache.h"
#include "operator/kube/reconciler.h"

namespace atl::controllers {

/// What a Machine shows: its state, address and engine, from what was last observed of its Cluster. Never makes or
/// removes anything.
class MachineReconciler final : public kube::TypedReconciler<crds::Machine> {
public:
    MachineReconciler(const kube::Cache& clusters, const Identity& identity, Targets& targets);

    Task<kube::Recheck> reconcile(crds::Machine& machine, kube::Pass& pass) override;

private:
    const kube::Cache& clusters_;
    const Identity& identity_;
    Targets& targets_;
};

}  // namespace atl::controllers
