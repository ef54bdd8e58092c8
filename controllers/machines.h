#pragma once

#include <map>
#include <string>

#include "cloud/model.h"
#include "operator/kube/children.h"

namespace atl::controllers {

/// The Machines of a Cluster: the record of each machine that is wanted, written before the call that makes it.
/// Machines that people already have (local, existing) are records only: one that a person deletes is written again.
class Machines {
public:
    explicit Machines(kube::Children& children) : children_(children) {}

    /// Makes sure that each `machine` resource in `desired` has its Machine.
    Task<> record(kube::Pass& cluster, const cloud::Desired& desired);
    /// Removes the Machines of what is neither desired nor seen any more.
    Task<> forget(kube::Pass& cluster, const cloud::Desired& desired, const cloud::World& world);

private:
    kube::Children& children_;
};

/// The name of a Machine: `<cluster>-<graph name>`, with '-' for '/'.
std::string machine_name(const std::string& cluster, const std::string& graph_name);
/// The kind of machines in the graph, alike in every infrastructure.
inline constexpr const char* kMachineKind = "machine";

}  // namespace atl::controllers
