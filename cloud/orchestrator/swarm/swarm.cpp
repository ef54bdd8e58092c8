#include "cloud/orchestrator/swarm/swarm.h"

#include "cloud/docker/events.h"
#include "cloud/docker/urls.h"
#include "cloud/orchestrator/swarm/driver.h"
#include "cloud/orchestrator/swarm/extend.h"
#include "cloud/orchestrator/swarm/status.h"
#include "cloud/orchestrator/swarm/translate.h"

namespace atl::cloud::swarm {

namespace {

class Swarm final : public Orchestrator {
public:
    explicit Swarm(std::shared_ptr<docker::Versions> versions) : versions_(std::move(versions)) {}

    std::string_view name() const override { return "swarm"; }
    void extend(Desired& desired, const Topology& topology) const override { swarm::extend(desired, topology); }
    Result<Desired> translate(const std::vector<Workload>& workloads, const Endpoint& endpoint) const override {
        return swarm::translate(workloads, endpoint);
    }
    Desired shared(const std::string& group, const Endpoint&) const override { return swarm::shared(group); }
    std::vector<WorkloadStatus> status(const std::vector<Workload>& workloads, const World& world) const override {
        return swarm::status(workloads, world);
    }
    Result<Endpoint> endpoint(const World& world) const override { return swarm::endpoint(world); }
    Result<Endpoint> endpoint_to_clear(const World& world) const override { return swarm::endpoint_to_clear(world); }
    std::vector<std::string> urls(const std::vector<Workload>& workloads, const Endpoint& endpoint) const override {
        return docker::urls_of(workloads, endpoint);
    }
    std::shared_ptr<Driver> connect(Endpoint endpoint, Surroundings surroundings) const override {
        return std::make_shared<SwarmDriver>(std::move(endpoint), surroundings, versions_);
    }
    Task<> follow(Endpoint endpoint, Surroundings surroundings,
                  std::function<void(const Hint&)> on_hint) const override {
        return docker::follow_all(std::move(endpoint), surroundings, versions_, std::move(on_hint));
    }

private:
    std::shared_ptr<docker::Versions> versions_;
};

}  // namespace

std::unique_ptr<Orchestrator> make_swarm(std::shared_ptr<docker::Versions> versions) {
    return std::make_unique<Swarm>(std::move(versions));
}

}  // namespace atl::cloud::swarm
