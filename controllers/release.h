#pragma once

#include <utility>

#include "cloud/driver.h"
#include "operator/kube/finalizers.h"
#include "operator/kube/recheck.h"

namespace atl::controllers {

/// Whether a person asked to let the object go without cleaning up: annotation atoll.dev/abandon=<name of the object>.
bool may_abandon(const kube::Pass& pass);
/// Lets the object go; a Warning Event says that what was made for it may be left.
Task<kube::Recheck> abandon(kube::Finalizers& finalizers, kube::Pass& pass);
/// Takes the owner's marks off all that was observed, and deletes nothing: deletionPolicy Retain. An Event names what
/// keeps its marks, because the back end cannot change them.
Task<> retain(cloud::Driver& driver, cloud::World seen, std::pair<cloud::Owner, kube::Pass&> what);
/// Waiting (reason DeletionProtected) while the object is protected: a deletion that got through tears nothing down.
Result<Unit> not_protected(bool deletion_protection);

}  // namespace atl::controllers
