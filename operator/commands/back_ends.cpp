#include "operator/commands/back_ends.h"

#include "cloud/docker/client.h"
#include "cloud/infrastructure/existing/existing.h"
#include "cloud/infrastructure/local/local.h"
#include "cloud/orchestrator/none/none.h"
#include "cloud/orchestrator/swarm/swarm.h"

namespace atl::commands {

cloud::Registry back_ends() {
    auto versions = std::make_shared<cloud::docker::Versions>();
    cloud::Registry registry;
    registry.infrastructures["local"] = cloud::local::make_local(versions);
    registry.infrastructures["existing"] = cloud::existing::make_existing(versions);
    registry.orchestrators["none"] = cloud::none::make_none(versions);
    registry.orchestrators["swarm"] = cloud::swarm::make_swarm(versions);
    return registry;
}

}  // namespace atl::commands
