#include "controllers/release.h"

#include "cloud/let_go.h"
#include "controllers/convergence.h"
#include "controllers/types.h"

namespace atl::controllers {

namespace {

Task<> retain(cloud::Driver& driver, cloud::World seen, std::pair<cloud::Owner, kube::Pass&> what) {
    constexpr std::size_t kNamed = 3;
    if (seen.resources.empty()) co_return;
    const Instant deadline = what.second.deadline();
    const auto kept = co_await cloud::let_go(driver, std::move(seen), what.first, deadline);
    std::string text = "let go of what was made for it, and deleted nothing";
    for (std::size_t i = 0; i < kept.size() && i < kNamed; ++i) {
        text += (i == 0 ? "; marks that cannot be taken off stay on " : ", ") + kept[i].to_string();
    }
    if (kept.size() > kNamed) text += " and " + std::to_string(kept.size() - kNamed) + " more";
    what.second.event(kube::EventType::Normal, "Retained", text);
}

}  // namespace

bool may_abandon(const kube::Pass& pass) {
    return pass.object().annotation(marks::kAbandon) == pass.key().name;
}

Task<kube::Recheck> abandon(kube::Finalizers& finalizers, kube::Pass& pass) {
    pass.event(kube::EventType::Warning, "Abandoned",
               "was let go without cleaning up, as annotation " + std::string(marks::kAbandon) + " asks");
    co_await finalizers.release(pass);
    co_return kube::Recheck::never();
}

Task<> tear_down(cloud::Driver& driver, cloud::World seen, crds::DeletionPolicy policy,
                 std::pair<cloud::Owner, kube::Pass&> what) {
    if (policy == crds::DeletionPolicy::Retain) {
        co_await retain(driver, std::move(seen), what);
        co_return;
    }
    const cloud::Desired nothing = cloud::nothing();
    Round round = co_await converge(driver, nothing, std::move(seen), what);
    co_await std::move(round.finished);
}

Task<> tear_down_at(Places& places, kube::ObjectKey cluster, crds::DeletionPolicy policy,
                    std::pair<cloud::Owner, kube::Pass&> what) {
    const Instant deadline = what.second.deadline();
    const auto found = co_await places.find_to_clear(std::move(cluster), deadline).attempt();
    const bool gone = !found.ok() && found.error().reason() == "ClusterMissing";
    if (gone && policy == crds::DeletionPolicy::Retain) co_return;
    const Place place = co_await found;
    cloud::World seen = co_await place.driver->observe(what.first, deadline);
    co_await tear_down(*place.driver, std::move(seen), policy, what);
}

Result<Unit> not_protected(bool deletion_protection) {
    if (!deletion_protection) return ok();
    return Error::waiting("DeletionProtected",
                          "spec.deletionProtection is true: nothing is torn down until it is false",
                          std::chrono::minutes(10));
}

}  // namespace atl::controllers
