#pragma once

#include "cloud/apply.h"
#include "cloud/diff.h"
#include "crds/meta.h"
#include "operator/kube/pass.h"

namespace atl::controllers {

/// One round towards what is desired: what was seen, what was planned, and whether it is finished (else Waiting).
struct Round {
    cloud::World world;
    cloud::Plan plan;
    Result<Unit> finished = ok();
};

/// Diffs the world against what is desired and sends every step that can run now. The steps that were sent are told as
/// Events. Fails with the worst error of the steps.
Task<Round> converge(cloud::Driver& driver, const cloud::Desired& desired, cloud::World world,
                     std::pair<cloud::Owner, kube::Pass&> what);

/// The short form of a plan for status.plan: counts, and at most 50 items, disruptive ones first. Null for a plan that
/// is empty.
nlohmann::json plan_json(const cloud::Plan& plan);
/// How many of the desired resources are Ready.
crds::ResourceCounts counts_of(const cloud::Desired& desired, const cloud::World& world);

}  // namespace atl::controllers
