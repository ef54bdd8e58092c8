#pragma once

#include <memory>

#include "cloud/docker/client.h"
#include "cloud/orchestrator.h"
#include "cloud/orchestrator/swarm/copies.h"
#include "cloud/orchestrator/swarm/kinds.h"
#include "cloud/orchestrator/swarm/service_spec.h"

namespace atl::cloud::swarm {

/// The services, networks, configs, secrets and volumes of one owner in a swarm.
///
/// Speaks with the first manager that answers. A service that is gone while copies of it still stop is Deleting until
/// the last of them has gone. An update is sent with the version that was observed; if somebody else was faster, it is
/// a Conflict and the next pass looks again.
class SwarmDriver final : public Driver {
public:
    SwarmDriver(Endpoint endpoint, Surroundings surroundings, std::shared_ptr<docker::Versions> versions);

    std::span<const Kind> kinds() const override { return swarm::kinds(); }
    Task<World> observe(Owner owner, Instant deadline) override;
    Task<std::vector<Accepted>> apply(Batch batch, Instant deadline) override;

private:
    struct Lists {
        Json services, unlisted, copies, networks, configs, secrets, machines;
        std::int64_t engine_time = 0;
    };
    Task<docker::Reply> on_manager(docker::Call call, Instant deadline);
    Task<Lists> read_lists(Owner owner, Instant deadline);
    Task<Json> services_behind(const Lists& lists, Instant deadline);
    Task<std::map<std::string, std::string>> image_ids(Owner owner, Instant deadline);
    Task<> observe_volumes(World& world, Owner owner, Instant deadline);
    std::map<std::string, std::string> machine_names(const Json& machines) const;

    Task<Accepted> run(Owner owner, Step step, Instant deadline);
    Task<Accepted> create(Owner owner, Step step, Instant deadline);
    Task<Accepted> create_in(Collection collection, Owner owner, Step step, Instant deadline);
    Task<> check_registry(Resource service, Instant deadline);
    Task<> check_lasting_volumes(Owner owner, Resource service, Instant deadline);
    Task<Accepted> create_service(Owner owner, Step step, Instant deadline);
    Task<Accepted> create_volume(Owner owner, Step step, Instant deadline);
    Task<std::string> update(Owner owner, Step step, Instant deadline);
    Task<> remove(Step step, Instant deadline);
    Task<> release(Step step, Instant deadline);
    Task<Accepted> taken(std::string path, Owner owner, Instant deadline);
    docker::Client client(std::size_t engine) const;

    Endpoint endpoint_;
    Surroundings surroundings_;
    std::shared_ptr<docker::Versions> versions_;
    std::size_t manager_ = 0;  ///< the engine that answered last
};

}  // namespace atl::cloud::swarm
