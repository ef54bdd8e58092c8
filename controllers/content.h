#pragma once

#include <map>
#include <set>
#include <string>

#include "crds/service_instance.h"
#include "crds/stack.h"

namespace atl::controllers {

/// Names of the ConfigMaps and Secrets that an instance's containers take values or files from.
struct ContentNames {
    std::set<std::string> config_maps;
    std::set<std::string> secrets;
    bool operator==(const ContentNames&) const = default;
};

/// What those objects hold, decoded: object name → key → value. An object that does not exist is not in the map.
struct Content {
    using Values = std::map<std::string, std::string>;
    std::map<std::string, Values> config_maps;
    std::map<std::string, Values> secrets;
    /// The installation's key, under which contents are hashed.
    std::string hash_key;
};

/// All that the instance's containers refer to. Pure.
ContentNames content_of(const crds::StackSpec& stack, const crds::ServiceInstanceSpec& instance);

}  // namespace atl::controllers
