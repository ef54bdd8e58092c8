#pragma once

#include <memory>

#include "cloud/docker/client.h"
#include "cloud/orchestrator.h"

namespace atl::cloud::local {

/// infrastructure.local: one machine, through its Docker engine. `versions` is shared with the orchestrators.
std::unique_ptr<Infrastructure> make_local(std::shared_ptr<docker::Versions> versions);

}  // namespace atl::cloud::local
