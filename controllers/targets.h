#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "cloud/orchestrator.h"
#include "controllers/identity.h"
#include "crds/cluster.h"
#include "operator/kube/client.h"

namespace atl::controllers {

/// A Cluster's choices, opened: its two back ends, what it should consist of, and a driver for it.
struct Target {
    cloud::Owner owner;
    cloud::Topology topology;
    cloud::Desired desired;
    const cloud::Orchestrator* orchestrator = nullptr;
    std::shared_ptr<cloud::Driver> driver;
    cloud::Account account;
};

/// Names of the Secrets that the Cluster's infrastructure refers to.
std::set<std::string> secrets_of(const crds::ClusterSpec& cluster);

/// A Cluster's choices, looked up, and what it should consist of: all that can be said without asking anybody.
struct Layout {
    cloud::Topology topology;
    cloud::Desired desired;
    const cloud::Infrastructure* infrastructure = nullptr;
    const cloud::Orchestrator* orchestrator = nullptr;
};
/// Errors: Unsupported for a back end, or a pair, that this build does not have; Invalid with the field for what can
/// never work. The only place that looks a back end up by name.
Result<Layout> layout_of(const cloud::Registry& registry, const crds::Cluster& cluster);

/// Opens Clusters.
class Targets {
public:
    Targets(const cloud::Registry& registry, cloud::Surroundings surroundings, kube::Client& client);

    /// Errors: those of layout_of; Credentials for a Secret that is not there.
    Task<Target> open(const crds::Cluster& cluster, cloud::Owner owner);
    /// What was observed of a Cluster, at most so old; observes anew otherwise, and remembers.
    Task<cloud::World> world(const Target& target, Duration max_age, Instant deadline);
    /// Where the Cluster's orchestrator is reached, by a view of at most 30 s of age; Waiting if it is not there yet.
    Task<cloud::Endpoint> endpoint(const Target& target, Instant deadline);
    /// The same for taking things away: looks anew if there is no endpoint, and takes one whose orchestrator is gone.
    Task<cloud::Endpoint> endpoint_to_clear(const Target& target, Instant deadline);
    std::shared_ptr<cloud::Driver> driver_at(const Target& target, cloud::Endpoint endpoint) const;
    /// Forgets what was observed: it has just been changed.
    void forget(const cloud::Owner& owner) { inventory_.erase(owner.id); }

private:
    Task<cloud::Account> account_of(const crds::Cluster& cluster);
    struct Seen {
        cloud::World world;
        Instant at;
    };
    const cloud::Registry& registry_;
    cloud::Surroundings surroundings_;
    kube::Client& client_;
    std::map<std::string, Seen> inventory_;
};

}  // namespace atl::controllers
