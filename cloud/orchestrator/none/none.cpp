#include "cloud/orchestrator/none/none.h"

#include "cloud/docker/engines.h"
#include "cloud/docker/events.h"
#include "cloud/docker/urls.h"
#include "cloud/orchestrator/none/driver.h"
#include "cloud/orchestrator/none/status.h"
#include "cloud/orchestrator/none/translate.h"
#include "operator/base/root_task.h"

namespace atl::cloud::none {

namespace {

class None final : public Orchestrator {
public:
    explicit None(std::shared_ptr<docker::Versions> versions) : versions_(std::move(versions)) {}

    std::string_view name() const override { return "none"; }
    void extend(Desired&, const Topology&) const override {}
    Result<Desired> translate(const std::vector<Workload>& workloads, const Endpoint& endpoint) const override {
        return none::translate(workloads, endpoint);
    }
    Desired shared(const std::string& group, const Endpoint& endpoint) const override {
        return none::shared(group, endpoint);
    }
    std::vector<WorkloadStatus> status(const std::vector<Workload>& workloads, const World& world) const override {
        return none::status(workloads, world);
    }
    Result<Endpoint> endpoint(const World& world) const override { return docker::endpoint_of_machines(world, ""); }
    Result<Endpoint> endpoint_to_clear(const World& world) const override {
        return docker::endpoint_of_machines(docker::with_engines_of_others(world), "");
    }
    std::vector<std::string> urls(const std::vector<Workload>& workloads, const Endpoint& endpoint) const override {
        return docker::urls_of(workloads, endpoint);
    }
    std::shared_ptr<Driver> connect(Endpoint endpoint, Surroundings surroundings) const override {
        return std::make_shared<NoneDriver>(std::move(endpoint), surroundings, versions_);
    }
    Task<> follow(Endpoint endpoint, Surroundings surroundings,
                  std::function<void(const Hint&)> on_hint) const override {
        return docker::follow_all(std::move(endpoint), surroundings, versions_, std::move(on_hint));
    }

private:
    std::shared_ptr<docker::Versions> versions_;
};

}  // namespace

std::unique_ptr<Orchestrator> make_none(std::shared_ptr<docker::Versions> versions) {
    return std::make_unique<None>(std::move(versions));
}

}  // namespace atl::cloud::none
