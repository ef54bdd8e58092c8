#pragma once

#include <string>
#include <vector>

#include "cloud/orchestrator.h"

namespace atl::cloud::none {

/// Workloads as one container a copy, all of a group on one machine: user networks end at the machine. Changes go copy
/// by copy, as many at a time as may be unavailable.
Result<Desired> translate(const std::vector<Workload>& workloads, const Endpoint& endpoint);

/// The network of the group, on every machine.
Desired shared(const std::string& group, const Endpoint& endpoint);

/// The graph name of a copy: "web/0".
std::string copy_name(const Workload& workload, int copy);

/// The content of the files as a container's resource carries it, and back: a JSON object, path → base64.
std::string pack_files(const std::vector<FileMount>& files);
std::map<std::string, std::string> unpack_files(const std::string& content);

}  // namespace atl::cloud::none
