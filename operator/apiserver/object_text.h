#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/store.h"

namespace atl::apiserver {

/// An object as text with a hole for its resourceVersion: apiVersion, kind and metadata
/// first, resourceVersion first in that, the rest sorted.
ObjectText render(const nlohmann::json& object);

/// The text of an object that has its resourceVersion, in the same order.
std::string render_whole(const nlohmann::json& object);

/// Reads a text that we wrote.
nlohmann::json parse_stored(const std::string& text);

/// How each text begins that render() writes of an object of that apiVersion, and no other.
std::string start_of_text(const std::string& api_version);

/// The resourceVersion in a text that was written by render(); 0 if it is none.
Revision revision_in(const std::string& text);

/// "v1", "example.com/v1".
std::string api_version_of(const std::string& group, const std::string& version);

}  // namespace atl::apiserver
