#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cloud/docker/values.h"
#include "operator/base/error.h"

namespace atl::cloud::docker {

/// What a refusal of the engine means. The engine answers many things with 500, so the text decides there.
Error classify(int status, std::string_view message);

/// The failure that a document of a stream tells of, in its member "errorDetail" or "error"; empty if it tells of none.
/// The engine has answered 200 by then, so the text alone decides what it means.
std::optional<Error> stream_error(const Json& document);

/// What the engine says, in one line, without its transport's prefix and without the ids (64 hex digits) that it makes
/// anew at each attempt: the same trouble has the same text, so that a status that shows it does not change.
std::string steady_text(std::string_view message);

}  // namespace atl::cloud::docker
