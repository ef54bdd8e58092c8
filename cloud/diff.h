#pragma once

#include <span>

#include "cloud/driver.h"

namespace atl::cloud {

/// What must be done so that the world becomes what is desired. Pure; one function for all back ends.
///
/// Creates and updates come in the order of the graph (what is referred to first), deletes in reverse; a step that
/// cannot run yet names what it waits for. A second resource with the same key is deleted (the one with the smaller id
/// stays). A resource that is Deleting and desired is waited for, then created. Only properties that are desired are
/// compared. Nothing in World that lacks a kind in `kinds` is touched.
Plan diff(const Desired& desired, const World& world, std::span<const Kind> kinds);

}  // namespace atl::cloud
