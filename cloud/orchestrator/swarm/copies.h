#pragma once

#include <map>
#include <string>

#include "cloud/docker/values.h"
#include "cloud/model.h"

namespace atl::cloud::swarm {

using docker::Json;

/// What is needed to read the API's records of a service's copies (there called tasks).
struct CopyNames {
    std::map<std::string, std::string> machines;     ///< by the swarm's id of the machine
    std::int64_t engine_time = 0;                    ///< the engine's clock, seconds since 1970
    std::map<std::string, std::string> images = {};  ///< ids of the images of containers, by the container's id
};

/// One record of a copy in normal form: slot, state, wanted (whether it should run), error, exitCode, container,
/// machine, address, ports, image, imageID, revision, ageSeconds (in its state), since (when it came into it), created.
Json copy_of(const Json& record, const CopyNames& names);

/// Sets state and message of a service from its copies and its own update status. Reads detail {copies, update,
/// revision, replicas}.
void judge(Observed& service);

}  // namespace atl::cloud::swarm
