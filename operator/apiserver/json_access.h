#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace atl::apiserver {

/// Reading JSON that others wrote: a field that is missing or of another type than asked for reads as the empty value.
/// Nothing here throws.

/// The member, null if there is none.
const nlohmann::json& child(const nlohmann::json& object, const std::string& name);
/// The member's text, "" if it is no string.
std::string text_of(const nlohmann::json& object, const std::string& name);
/// The member's elements, an empty list if it is no list.
const nlohmann::json& list_of(const nlohmann::json& object, const std::string& name);
/// The strings of the member's list.
std::vector<std::string> texts_of(const nlohmann::json& object, const std::string& name);
/// Whether the member is true.
bool is_true(const nlohmann::json& object, const std::string& name);

}  // namespace atl::apiserver
