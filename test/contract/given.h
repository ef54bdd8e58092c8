#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cloud/apply.h"
#include "cloud/diff.h"
#include "test/contract/bench.h"

namespace atl::contract {

/// A Cluster on one engine, with an orchestrator, and an owner of workloads on it: what controllers do, in few words.
class Given {
public:
    /// bench: "fake" or "real"; orchestrator: "swarm" or "none". skip() says why, if it cannot be.
    Given(const std::string& bench, const std::string& orchestrator);
    /// The same on machines that are there already.
    Given(Bench& bench, nlohmann::json machines, const std::string& orchestrator);
    ~Given();

    const std::string& skip() const { return skip_; }
    Bench& bench() { return *bench_; }
    cloud::Orchestrator& orchestrator() { return *orchestrator_; }
    cloud::Infrastructure& infrastructure() { return *infrastructure_; }

    /// Makes the Cluster Ready and connects to it.
    void cluster_up();
    /// Takes the Cluster down; nothing of ours is left on the engine.
    void cluster_down();
    /// The network of the group "test".
    void share();
    void unshare();

    /// One pass for the workloads: observe, diff, apply. The Waiting, the error, or ok when finished.
    Result<Unit> pass(const std::vector<cloud::Workload>& workloads);
    /// Passes until finished; adds a failure if that takes longer than the limit.
    void converge(const std::vector<cloud::Workload>& workloads, Duration limit = std::chrono::seconds(60));
    /// Passes until the first workload's phase is the wanted one; its status.
    cloud::WorkloadStatus until(const std::vector<cloud::Workload>& workloads, cloud::WorkloadStatus::Phase phase,
                                Duration limit = std::chrono::seconds(60));
    /// Removes all workloads of the owner, and waits until they are gone.
    void remove_workloads();
    /// How many steps the last plan had, and what they were: "update swarm/service web".
    const std::vector<std::string>& last_plan() const { return last_plan_; }
    cloud::World observe();
    cloud::Plan plan(const std::vector<cloud::Workload>& workloads);

    /// Workloads that start from busybox:local: a page on port 80, or a sleeper.
    cloud::Workload page(const std::string& name) const;
    cloud::Workload sleeper(const std::string& name) const;

    cloud::Owner owner;    ///< of workloads
    cloud::Owner cluster;  ///< of the Cluster
    cloud::Owner stack;    ///< of what is shared
    cloud::Topology topology;
    cloud::Account account;
    cloud::Endpoint endpoint;
    std::shared_ptr<cloud::Driver> cluster_driver;
    std::shared_ptr<cloud::Driver> driver;

    /// One observe, diff and apply of anything.
    Result<Unit> round(cloud::Driver& with, const cloud::Owner& of, const cloud::Desired& desired);
    /// Rounds until finished.
    void rounds(cloud::Driver& with, const cloud::Owner& of, const cloud::Desired& desired, Duration limit);
    cloud::Desired cluster_desired() const;

private:
    void open(const std::string& orchestrator);

    std::string skip_;
    std::unique_ptr<Bench> own_bench_;
    Bench* bench_ = nullptr;
    std::unique_ptr<cloud::Infrastructure> infrastructure_;
    std::unique_ptr<cloud::Orchestrator> orchestrator_;
    std::vector<std::string> last_plan_;
    bool up_ = false;
};

}  // namespace atl::contract
