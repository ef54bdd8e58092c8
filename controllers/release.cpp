#include "controllers/release.h"

#include "controllers/types.h"

namespace atl::controllers {

bool may_abandon(const kube::Pass& pass) {
    return pass.object().annotation(marks::kAbandon) == pass.key().name;
}

Task<kube::Recheck> abandon(kube::Finalizers& finalizers, kube::Pass& pass) {
    pass.event(kube::EventType::Warning, "Abandoned",
               "was let go without cleaning up, as annotation " + std::string(marks::kAbandon) + " asks");
    co_await finalizers.release(pass);
    co_return kube::Recheck::never();
}

Result<Unit> not_protected(bool deletion_protection) {
    if (!deletion_protection) return ok();
    return Error::waiting("DeletionProtected",
                          "spec.deletionProtection is true: nothing is torn down until it is false",
                          std::chrono::minutes(10));
}

}  // namespace atl::controllers
