#pragma once

#include <map>
#include <string>

#include "cloud/docker/values.h"
#include "cloud/model.h"

namespace atl::cloud::swarm {

using docker::Json;

/// Which service a specification is for.
struct ServiceIdentity {
    Owner owner;
    std::string name;               ///< graph name
    std::int64_t force_update = 0;  ///< the counter that is live: another value would replace every copy
};

/// Graph names of things that a specification names by id.
struct NamesById {
    std::map<std::string, std::string> networks;
    std::map<std::string, std::string> files;
};

/// The whole specification for the API: an update replaces everything, so everything is in it.
Json service_spec(const Properties& properties, const ServiceIdentity& identity);

/// The properties in normal form of a specification as the API gives it: defaults filled in, ids as names, times in
/// seconds. service_properties(service_spec(p)) == p.
Properties service_properties(const Json& spec, const NamesById& names);

/// A hash of the properties whose change replaces every copy: a label of the copies, by which the current ones are
/// known.
std::string revision_of(const Properties& properties);

}  // namespace atl::cloud::swarm
