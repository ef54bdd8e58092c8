#pragma once

#include <memory>

#include "cloud/docker/client.h"
#include "cloud/orchestrator.h"

namespace atl::cloud::existing {

/// infrastructure.existing: machines that people have already, through their Docker engines. They are used and never
/// deleted. `versions` is shared with the orchestrators.
std::unique_ptr<Infrastructure> make_existing(std::shared_ptr<docker::Versions> versions);

}  // namespace atl::cloud::existing
