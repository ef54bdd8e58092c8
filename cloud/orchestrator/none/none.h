#pragma once

#include <memory>

#include "cloud/docker/client.h"
#include "cloud/orchestrator.h"

namespace atl::cloud::none {

/// orchestrator.none: workloads as plain containers, placed by us through each machine's engine.
std::unique_ptr<Orchestrator> make_none(std::shared_ptr<docker::Versions> versions);

}  // namespace atl::cloud::none
