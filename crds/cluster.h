#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crds/meta.h"

namespace atl::crds {

/// A container engine: where it listens and how to prove who we are. The Secret has the keys ca.crt, tls.crt, tls.key.
struct Engine {
    std::string host = "unix:///var/run/docker.sock";  ///< unix:///path or tcp://host:port
    std::optional<LocalReference> tls_secret_ref;      ///< only with tcp://
    bool operator==(const Engine&) const = default;
};

/// The machine on which Atoll itself runs, through its engine. Exactly one machine.
struct LocalInfrastructure {
    Engine engine;
    bool operator==(const LocalInfrastructure&) const = default;
};

/// One machine that people already have.
struct ExistingMachine {
    std::string name;
    Engine engine;
    bool operator==(const ExistingMachine&) const = default;
};

/// Machines that are not ours: used, never created or deleted.
struct ExistingInfrastructure {
    std::vector<ExistingMachine> machines;
    bool operator==(const ExistingInfrastructure&) const = default;
};

/// A union: exactly one member is set.
struct InfrastructureChoice {
    std::optional<LocalInfrastructure> local;
    std::optional<ExistingInfrastructure> existing;
    /// Name of the member that is set ("local"); empty if there is not exactly one.
    std::string name() const;
    bool operator==(const InfrastructureChoice&) const = default;
};

struct NoneOrchestrator {
    bool operator==(const NoneOrchestrator&) const = default;
};
struct SwarmOrchestrator {
    bool operator==(const SwarmOrchestrator&) const = default;
};

/// A union: exactly one member is set.
struct OrchestratorChoice {
    std::optional<NoneOrchestrator> none;
    std::optional<SwarmOrchestrator> swarm;
    /// Name of the member that is set ("swarm"); empty if there is not exactly one.
    std::string name() const;
    bool operator==(const OrchestratorChoice&) const = default;
};

struct ClusterSpec {
    bool paused = false;
    DeletionPolicy deletion_policy = DeletionPolicy::Delete;
    bool deletion_protection = false;
    InfrastructureChoice infrastructure;
    OrchestratorChoice orchestrator;
};

struct ClusterStatus {
    std::int64_t observed_generation = -1;
    Conditions conditions;
    std::string infrastructure;  ///< name of the chosen member, for printer columns
    std::string orchestrator;
    std::string endpoint;  ///< URL of the engine or the control plane
    ResourceCounts machines;
    ResourceCounts resources;
    std::optional<PlanSummary> plan;
};

/// One cluster: an infrastructure under an orchestrator.
struct Cluster {
    ObjectMeta meta;
    ClusterSpec spec;
    ClusterStatus status;
    bool being_deleted() const { return meta.being_deleted(); }
};

/// Reads an object as the API server gives it. An Error (Invalid, with the field path) if a field has a wrong type or
/// a required one is missing; unknown fields are ignored.
Result<Cluster> decode_cluster(const nlohmann::json& object);
/// The spec and status in the form of the API. Empty and unset fields are left out of status.
nlohmann::json encode(const ClusterSpec& spec);
nlohmann::json encode(const ClusterStatus& status);
/// The value of the chosen union member, as written, for the driver that reads it; an empty object if none is set.
nlohmann::json infrastructure_value(const ClusterSpec& spec);
nlohmann::json orchestrator_value(const ClusterSpec& spec);

/// What no schema can say. Empty: the spec is sound.
FieldErrors check(const ClusterSpec& spec);

}  // namespace atl::crds
