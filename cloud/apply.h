#pragma once

#include "cloud/driver.h"

namespace atl::cloud {

/// Runs every step of the plan that can run now: all batches are tried, the worst error is returned (Stop before Wait
/// before Retry; the smallest delay). Success means that all were accepted, not that the plan is finished.
Task<> apply_all(const Plan& plan, Driver& driver, Owner owner, Instant deadline);

/// Waiting, with what is missing and since when it is usual, while the plan holds steps; ok when it is empty and
/// everything in `desired` is Ready in `world`.
Result<Unit> finished(const Plan& plan, const Desired& desired, const World& world);

}  // namespace atl::cloud
