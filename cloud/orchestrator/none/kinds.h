#pragma once

#include <span>
#include <string_view>

#include "cloud/driver.h"

namespace atl::cloud::none {

inline constexpr std::string_view kContainer = "docker/container";
inline constexpr std::string_view kNetwork = "docker/network";
inline constexpr std::string_view kVolume = "docker/volume";

/// What can be made on an engine without an orchestrator.
std::span<const Kind> kinds();

}  // namespace atl::cloud::none
