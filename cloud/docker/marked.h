#pragma once

#include <string>
#include <vector>

#include "cloud/docker/client.h"
#include "cloud/driver.h"

namespace atl::cloud::docker {

/// All on one engine that carries the installation's mark, and, where it manages a swarm, all in that swarm; `machine`
/// is what the engine is called. Copies of services are not listed apart: they go with their service.
Task<std::vector<Marked>> marked_on(Client client, std::string installation, std::string machine, Instant deadline);

/// Removes one thing of such a list, if it still carries that mark of that owner; one that is gone is success. A swarm
/// is refused as Unsupported: leaving it takes all with it.
Task<> remove_marked(Client client, std::string installation, Marked what, Instant deadline);

}  // namespace atl::cloud::docker
