#pragma once

#include <memory>
#include <string>

#include "cloud/docker/client.h"
#include "cloud/orchestrator.h"
#include "cloud/orchestrator/none/kinds.h"

namespace atl::cloud::none {

/// The containers, networks and volumes of one owner on the engines of a Cluster.
///
/// A container is created, filled with its files and started by one step; if that is cut short, the next pass sees a
/// container that is not running and finishes the step.
class NoneDriver final : public Driver {
public:
    NoneDriver(Endpoint endpoint, Surroundings surroundings, std::shared_ptr<docker::Versions> versions);

    std::span<const Kind> kinds() const override { return none::kinds(); }
    Task<World> observe(Owner owner, Instant deadline) override;
    Task<std::vector<Accepted>> apply(Batch batch, Instant deadline) override;

private:
    Task<World> observe_engine(std::size_t engine, Owner owner, Instant deadline);
    Task<> observe_containers(World& world, std::size_t engine, Owner owner, Instant deadline);
    Task<Accepted> run(Owner owner, Step step, Instant deadline);
    Task<Accepted> create(Owner owner, Step step, docker::Client client, Instant deadline);
    Task<Accepted> create_network(Owner owner, Step step, docker::Client client, Instant deadline);
    Task<Accepted> create_container(Owner owner, Step step, docker::Client client, Instant deadline);
    Task<std::string> find_container(std::string name, Owner owner, docker::Client client, Instant deadline);
    Task<> fill_and_start(std::string id, Resource resource, docker::Client client, Instant deadline);
    Task<> pull(Resource resource, docker::Client client, Instant deadline);
    Task<> remove(Step step, docker::Client client, Instant deadline);
    std::size_t engine_of(const std::string& machine) const;
    docker::Client client(std::size_t engine) const;

    Endpoint endpoint_;
    Surroundings surroundings_;
    std::shared_ptr<docker::Versions> versions_;
};

}  // namespace atl::cloud::none
