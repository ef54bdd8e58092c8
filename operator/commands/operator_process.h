#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cloud/orchestrator.h"
#include "controllers/controllers.h"
#include "operator/base/log.h"
#include "operator/base/metrics.h"
#include "operator/base/spawner.h"
#include "operator/kube/caches.h"
#include "operator/kube/client.h"
#include "operator/kube/events.h"
#include "operator/kube/lease.h"
#include "operator/kube/leased_transport.h"
#include "operator/kube/shards.h"

namespace atl::commands {

/// A running operator: client, caches, controllers, all on one loop. `atoll up` and `atoll operator` are this with
/// production's bindings; the simulation is this with its own. Destroying it, outside of its own tasks, is a crash:
/// nothing is said good-bye to.
class OperatorProcess {
public:
    /// Everything outside of it. Outlives it.
    struct Outside {
        Executor& executor;
        Clock& clock;
        Random& random;
        net::Transport& transport;
        Metrics& metrics;
        Log log;
        const cloud::Registry& registry;
    };
    struct Options {
        std::string name_space = "atoll-system";     ///< holds the installation's Secret and the Lease
        std::optional<kube::LeaseOptions> election;  ///< unset: this is the only process
        std::function<void()> on_lost;               ///< the lease was lost: the process must end
        std::size_t shards = 0;  ///< with an election: all replicas work, each on its shards; 0: one does
        kube::ClientOptions client;
    };
    OperatorProcess(Outside outside, std::shared_ptr<kube::CredentialSource> credentials, Options options);
    OperatorProcess(const OperatorProcess&) = delete;
    OperatorProcess& operator=(const OperatorProcess&) = delete;
    ~OperatorProcess();

    /// Begins: reads (or makes) the installation, follows the API server, works once it leads.
    void start();
    /// No new passes; those that run have 1.5 s to end by themselves. Then nothing is written any more, what is under
    /// way is awaited (all in all at most the grace), and the lease, or the shards, are given back.
    Task<> stop(Duration grace);

    /// Whether the caches have their first lists, and the server refuses none of them; a standby is ready too. With
    /// what is missing otherwise.
    bool ready() const;
    std::string trouble() const;
    /// What admission says of a write; nothing until the process knows what is there.
    kube::AdmissionAnswer judge(const kube::AdmissionCall& call) const;
    /// Whether no pass is queued or running.
    bool at_rest() const;
    /// The lease's guard or the shards; nullptr where this is the only process.
    const kube::WorkGuard* guard() const;

private:
    Task<> run();
    void start_shards();
    net::Transport& way_out();
    std::unique_ptr<kube::LeaseElection> make_election();
    std::unique_ptr<kube::Shards> make_shards();
    Task<controllers::Installation> installation();
    void begin(controllers::Installation installation);
    void follow_installation();

    Outside outside_;
    Options options_;
    std::unique_ptr<Spawner> spawner_;
    std::unique_ptr<Spawner> election_spawner_;
    kube::Client election_client_;  ///< not bound to the lease: for the lease itself, and what precedes it
    std::unique_ptr<kube::LeaseElection> election_;
    std::unique_ptr<kube::Shards> shards_;
    std::unique_ptr<kube::LeasedTransport> leased_;
    kube::Client client_;
    kube::Caches caches_;
    kube::EventRecorder events_;
    std::unique_ptr<controllers::Controllers> controllers_;
};

/// Puts our CustomResourceDefinitions and policies on the API server, by server-side apply, and makes the operator's
/// namespace. For `up`, and for simulation; in a real cluster the chart does it.
Task<> install(kube::Client& client, std::string name_space);

}  // namespace atl::commands
