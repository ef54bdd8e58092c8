#pragma once

#include <string>

#include "cloud/docker/client.h"
#include "cloud/model.h"

namespace atl::cloud::none {

using docker::Json;

/// The body of POST /containers/create. The properties stand in a label too, because an engine gives them back mixed
/// with those of the image.
Json container_spec(const Properties& properties, const Owner& owner, const Resource& resource);

/// What is known of a container from GET /containers/<id>/json: properties from its label, with the state that is live.
Observed container_in(const Json& inspected, const std::string& machine, std::int64_t engine_time);

}  // namespace atl::cloud::none
