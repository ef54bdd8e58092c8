#pragma once

#include <string>
#include <string_view>

#include "operator/base/error.h"

namespace atl::cloud::docker {

/// What a refusal of the engine means. The engine answers many things with 500, so the text decides there.
Error classify(int status, std::string_view message);

/// What the engine says, in one line, without its transport's prefix and without the ids (64 hex digits) that it makes
/// anew at each attempt: the same trouble has the same text, so that a status that shows it does not change.
std::string steady_text(std::string_view message);

}  // namespace atl::cloud::docker
