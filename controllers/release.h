#pragma once

#include <utility>

#include "controllers/places.h"
#include "crds/meta.h"
#include "operator/kube/finalizers.h"
#include "operator/kube/recheck.h"

namespace atl::controllers {

/// Whether a person asked to let the object go without cleaning up: annotation atoll.dev/abandon=<name of the object>.
bool may_abandon(const kube::Pass& pass);
/// Lets the object go; a Warning Event says that what was made for it may be left.
Task<kube::Recheck> abandon(kube::Finalizers& finalizers, kube::Pass& pass);
/// Ends an owner's things as the policy says. Delete: converges to nothing; Waiting until all is gone. Retain: takes
/// the marks off all that was observed; an Event names what keeps them, because the back end cannot change them.
Task<> tear_down(cloud::Driver& driver, cloud::World seen, crds::DeletionPolicy policy,
                 std::pair<cloud::Owner, kube::Pass&> what);
/// The same for what an owner has on a Cluster. A Cluster that is gone has nothing to let go of.
Task<> tear_down_at(Places& places, kube::ObjectKey cluster, crds::DeletionPolicy policy,
                    std::pair<cloud::Owner, kube::Pass&> what);
/// Waiting (reason DeletionProtected) while the object is protected: a deletion that got through tears nothing down.
Result<Unit> not_protected(bool deletion_protection);

}  // namespace atl::controllers
