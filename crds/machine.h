#pragma once

#include <optional>
#include <string>

#include "crds/meta.h"

namespace atl::crds {

struct MachineSpec {
    LocalReference cluster_ref;
    std::string pool;
    std::string role = "worker";      ///< "worker" or "control-plane"
    std::optional<std::string> slot;  ///< graph name of the machine in its Cluster: stable over replacement
    std::optional<std::string> provider_id;
};

struct MachineEngine {
    std::string version;
    std::string api_version;
    std::string operating_system;
    std::string architecture;
    std::string kernel;
    bool operator==(const MachineEngine&) const = default;
};

struct MachineCapacity {
    std::string cpu;     ///< a quantity
    std::string memory;  ///< a quantity
    bool operator==(const MachineCapacity&) const = default;
};

struct MachineStatus {
    std::int64_t observed_generation = -1;
    Conditions conditions;
    std::string state;  ///< Pending, Ready, Failed, Deleting
    std::string address;
    std::string message;
    std::optional<MachineEngine> engine;
    std::optional<MachineCapacity> capacity;
};

/// One machine of a Cluster. Written by Atoll; people read it, annotate it, delete it to have it replaced.
struct Machine {
    ObjectMeta meta;
    MachineSpec spec;
    MachineStatus status;
    bool being_deleted() const { return meta.being_deleted(); }
};

/// See decode_cluster.
Result<Machine> decode_machine(const nlohmann::json& object);
nlohmann::json encode(const MachineSpec& spec);
nlohmann::json encode(const MachineStatus& status);

}  // namespace atl::crds
