#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace atl::cloud::docker {

using Json = nlohmann::json;
/// A way into a tree: the member names from the root.
using Path = std::initializer_list<std::string_view>;

/// The value at the path; null if a step is missing or not an object. Replies are not trusted: nothing here throws.
const Json& at(const Json& tree, Path path);
/// The string at the path; empty if there is none.
std::string text_at(const Json& tree, Path path);
/// The whole number at the path; `otherwise` if there is none.
std::int64_t number_at(const Json& tree, Path path, std::int64_t otherwise = 0);
/// Whether the value at the path is true.
bool is_true_at(const Json& tree, Path path);
/// The members with string values of the object at the path: labels.
std::map<std::string, std::string> texts_at(const Json& tree, Path path);
/// The array at the path; an empty one if there is none.
const Json& list_at(const Json& tree, Path path);

}  // namespace atl::cloud::docker
