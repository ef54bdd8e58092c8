#pragma once

#include "cloud/orchestrator.h"

namespace atl::commands {

/// Every infrastructure and orchestrator of this build: one line each. The only place that names them.
cloud::Registry back_ends();

}  // namespace atl::commands
