#pragma once

#include <string>
#include <vector>

#include "cloud/orchestrator.h"
#include "controllers/journal.h"

namespace atl::controllers {

/// What an instance should run in this pass, and which revision that is.
struct Revision {
    std::vector<cloud::Workload> workloads;
    std::string hash;          ///< of all that would be made for it
    bool rolled_back = false;  ///< the wanted revision failed before: these are the last good workloads
};

/// How far the workloads of one revision are, all together.
struct Progress {
    enum class Phase { Progressing, Done, Failed } phase = Phase::Progressing;
    std::string message;  ///< "web: 1 of 2 updated copies are available: <first error>"
};
Progress progress_of(const std::vector<cloud::WorkloadStatus>& statuses);

/// A hash over everything that is desired, contents by their keyed hashes.
std::string hash_of(const cloud::Desired& desired);

/// Whether the revision has been on its way for longer than the longest progress deadline of its workloads.
bool is_overdue(const Journal& journal, const Revision& revision, WallTime now);

/// How many copies of each workload may run now. Running: consumers come up after the providers of the same instance;
/// Stopped: providers go down after their consumers. Pure; works by the statuses that were observed.
std::vector<cloud::Workload> staged(std::vector<cloud::Workload> workloads,
                                    const std::vector<cloud::WorkloadStatus>& statuses, crds::RunState state);

}  // namespace atl::controllers
