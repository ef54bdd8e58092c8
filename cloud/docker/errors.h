#pragma once

#include <string_view>

#include "operator/base/error.h"

namespace atl::cloud::docker {

/// What a refusal of the engine means. The engine answers many things with 500, so the text decides there.
Error classify(int status, std::string_view message);

}  // namespace atl::cloud::docker
