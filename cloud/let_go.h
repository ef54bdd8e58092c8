#pragma once

#include <vector>

#include "cloud/driver.h"

namespace atl::cloud {

/// The reason of an Unsupported error for a step Release: marks of this kind of thing cannot be taken off.
inline constexpr const char* kMarksStay = "MarksStay";

/// Takes the owner's marks off everything in the world, and deletes nothing. Returns what keeps its marks, because the
/// other side cannot change them. May be repeated. Fails with the first error of another kind, after all was tried.
Task<std::vector<ResourceKey>> let_go(Driver& driver, World world, Owner owner, Instant deadline);

}  // namespace atl::cloud
