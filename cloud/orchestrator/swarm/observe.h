#pragma once

#include <string>
#include <vector>

#include "cloud/docker/values.h"
#include "cloud/orchestrator/swarm/copies.h"
#include "cloud/orchestrator/swarm/kinds.h"

namespace atl::cloud::swarm {

/// The API's lists, as they came, and the names that tell what they mean.
struct Listed {
    const Json& services;
    const Json& unlisted;  ///< services that are there and not listed as the owner's, though copies of theirs are
    const Json& copies;
    const Json& networks;  ///< of the whole installation: services use networks of other owners
    const Json& configs;
    const Json& secrets;
    CopyNames names;
};

/// All that is the owner's in the lists, without volumes.
World world_of(const Listed& listed, const Owner& owner);

}  // namespace atl::cloud::swarm
