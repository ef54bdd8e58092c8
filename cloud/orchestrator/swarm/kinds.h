#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cloud/driver.h"

namespace atl::cloud::swarm {

inline constexpr std::string_view kService = "swarm/service";
inline constexpr std::string_view kNetwork = "swarm/network";
inline constexpr std::string_view kConfig = "swarm/config";
inline constexpr std::string_view kSecret = "swarm/secret";
inline constexpr std::string_view kVolume = "swarm/volume";

/// What the driver of a swarm can make.
std::span<const Kind> kinds();

/// Where a kind that is a plain list of things lives in the engine's API. Services and volumes have ways of their own.
struct Collection {
    std::string_view kind;
    std::string_view list;    ///< path
    std::string_view create;  ///< path
    std::string_view id;      ///< member of a list's element
    bool in_spec = false;     ///< whether Name and Labels stand in its Spec
};
std::span<const Collection> collections();

}  // namespace atl::cloud::swarm
