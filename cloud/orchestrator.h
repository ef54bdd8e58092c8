#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cloud/driver.h"
#include "cloud/workload.h"
#include "operator/base/random.h"
#include "operator/net/transport.h"

namespace atl::cloud {

/// A group of equal machines of a Cluster.
struct MachinePool {
    std::string name;
    int replicas = 1;
    std::string role = "worker";  ///< "worker" or "control-plane"
    nlohmann::json machine = nlohmann::json::object();
};

/// The shape of a Cluster, free of any vendor and of Kubernetes.
struct Topology {
    std::string cluster;              ///< name of the Cluster
    std::string infrastructure_name;  ///< "local"
    std::vector<MachinePool> pools;
    nlohmann::json infrastructure = nlohmann::json::object();  ///< the chosen union member's value
    nlohmann::json orchestrator = nlohmann::json::object();
};

/// Everything outside the process, as drivers see it.
struct Surroundings {
    net::Transport& transport;
    Clock& clock;
    Random& random;
};

/// Outputs that a Ready machine has when it is reached through a container engine: "engine" (its URL), "address",
/// "hostname" and "tlsSecret"; "noSwarm" if it is certainly in no swarm of this Cluster.
///
/// How an Orchestrator is reached once the Cluster's resources are Ready. `engines` are the machines in order, managers
/// first.
struct Endpoint {
    struct Engine {
        std::string machine;  ///< name of the machine
        net::Endpoint where;
        std::string address;     ///< address of the machine for its peers and for published ports
        std::string hostname;    ///< what the machine calls itself
        std::string tls_secret;  ///< Secret that `where` needs (see credentials.h); empty: none
    };
    std::vector<Engine> engines;
    std::string url;  ///< for status.endpoint
    /// Outputs of the orchestrator's own resource (cluster id, features), from the World.
    std::map<std::string, std::string> facts;
};

/// Something happened to what an owner has: a container died, a copy became unhealthy. Only a reason to look again.
struct Hint {
    std::string installation;
    std::string owner;  ///< Owner::id
    std::string name;   ///< graph name of the resource, where known
    std::string what;   ///< "container die": for logs
};

/// What runs on machines. extend, translate and status are pure; only the drivers that it makes talk.
class Orchestrator {
public:
    virtual ~Orchestrator() = default;
    virtual std::string_view name() const = 0;
    /// Adds what the orchestrator needs besides the machines (swarm/swarm, ports, managed control planes) to a
    /// Cluster's Desired.
    virtual void extend(Desired& desired, const Topology& topology) const = 0;
    /// Makes workloads of one owner into the orchestrator's own kinds. An Error for what this back end cannot do: class
    /// Unsupported, with the field.
    virtual Result<Desired> translate(const std::vector<Workload>& workloads, const Endpoint& endpoint) const = 0;
    /// What workloads of one group share (networks, volumes): owned by the Stack.
    virtual Desired shared(const std::string& group, const Endpoint& endpoint) const = 0;
    /// How far each workload is, from what was observed of it.
    virtual std::vector<WorkloadStatus> status(const std::vector<Workload>& workloads, const World& world) const = 0;
    /// From this pass's world; Waiting where there is none yet.
    virtual Result<Endpoint> endpoint(const World& world) const = 0;
    /// Where to take workloads away. Unlike endpoint() it also gives one where the world shows for certain that the
    /// orchestrator is gone with all that ran on it; its driver then finds only what outlives it (volumes).
    virtual Result<Endpoint> endpoint_to_clear(const World& world) const { return endpoint(world); }
    /// The URLs under which published ports of the workloads answer.
    virtual std::vector<std::string> urls(const std::vector<Workload>& workloads, const Endpoint& endpoint) const = 0;
    /// A driver for workloads (and shared things) at the endpoint.
    virtual std::shared_ptr<Driver> connect(Endpoint endpoint, Surroundings surroundings) const = 0;
    /// Calls back for what happens at the endpoint, within a second, until it is dropped; connects again by itself.
    /// Hints may be lost or come twice.
    virtual Task<> follow(Endpoint endpoint, Surroundings surroundings,
                          std::function<void(const Hint&)> on_hint) const = 0;
};

/// What an infrastructure's driver needs to be opened: the account, its value tree of the spec, secrets by name.
struct Account {
    nlohmann::json infrastructure = nlohmann::json::object();
    std::map<std::string, std::map<std::string, std::string>> secrets;  ///< referenced Secrets: name → key → value
    /// What the process knows of its own machine: "ipvs" is "true" or "false" (whether /proc/net/ip_vs exists). Holds
    /// for engines on unix sockets only.
    std::map<std::string, std::string> facts;
};

/// One column of the matrix: how to open a driver for one infrastructure, and how it turns pools into resources.
class Infrastructure {
public:
    virtual ~Infrastructure() = default;
    virtual std::string_view name() const = 0;
    /// Machines and network of a Cluster as Desired resources. Error: what can never work, with the field.
    virtual Result<Desired> resources(const Topology& topology) const = 0;
    /// A driver for this account that also knows the kinds that `orchestrator` adds with extend().
    virtual std::shared_ptr<Driver> open(Account account, std::string_view orchestrator,
                                         Surroundings surroundings) const = 0;
};

/// The back ends that this binary was built with: filled in by main.cpp, one line each.
struct Registry {
    std::map<std::string, std::unique_ptr<Infrastructure>, std::less<>> infrastructures;
    std::map<std::string, std::unique_ptr<Orchestrator>, std::less<>> orchestrators;
};

}  // namespace atl::cloud
