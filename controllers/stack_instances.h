#pragma once

#include <nlohmann/json_fwd.hpp>

#include "crds/stack.h"

namespace atl::controllers {

/// The ServiceInstance that a Stack makes for one of its services: the full intent of the field manager atoll-stack.
/// Replicas are in it only where the Stack sets them.
nlohmann::json instance_object(const crds::Stack& stack, const crds::Service& service);

}  // namespace atl::controllers
