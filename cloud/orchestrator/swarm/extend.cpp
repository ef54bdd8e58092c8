#include "cloud/orchestrator/swarm/extend.h"

#include <algorithm>

#include "cloud/docker/engines.h"

namespace atl::cloud::swarm {

namespace {

using namespace std::chrono_literals;

}  // namespace

void extend(Desired& desired, const Topology&) {
    std::vector<ResourceKey> machines;
    for (const auto& entry : desired.resources) {
        if (entry.first.kind == "machine") machines.push_back(entry.first);
    }
    if (machines.empty()) return;
    Resource swarm;
    swarm.key = {"swarm/swarm", "swarm"};
    swarm.properties["machine"] = machines.front().name;
    swarm.after = {machines.front()};
    for (std::size_t i = 1; i < machines.size(); ++i) {
        Resource member;
        member.key = {"swarm/member", machines[i].name};
        member.properties["role"] = "worker";
        member.after = {swarm.key, machines[i]};
        desired.add(std::move(member));
    }
    desired.add(std::move(swarm));
}

Result<Endpoint> endpoint(const World& world) {
    const Observed* swarm = world.find({"swarm/swarm", "swarm"});
    if (swarm == nullptr || swarm->state != State::Ready) {
        return Error::waiting("SwarmNotFormed", "the swarm is not formed yet", 1s);
    }
    auto endpoint = docker::endpoint_of_machines(world, swarm->outputs.at("machine"));
    if (!endpoint.ok()) return endpoint;
    endpoint->facts = swarm->outputs;
    return endpoint;
}

Result<Endpoint> endpoint_to_clear(const World& seen) {
    const World world = docker::with_engines_of_others(seen);
    const bool gone = std::ranges::all_of(world.resources, [](const Observed& seen) {
        return seen.key.kind == "machine" && seen.state == State::Ready && seen.outputs.contains("noSwarm");
    });
    if (!gone) return endpoint(world);
    auto bare = docker::endpoint_of_machines(world, "");
    if (bare.ok()) bare->facts[kSwarmGone] = "true";
    return bare;
}

}  // namespace atl::cloud::swarm
