#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::schema::cel {

/// The parts of an absolute URI, or of a path that starts with "/".
struct Url {
    std::string scheme;
    std::string host;      ///< with port and brackets
    std::string hostname;  ///< without
    std::string port;
    std::string path;  ///< still escaped
    std::string query;
};

std::optional<Url> parse_url(std::string_view text);

/// The decoded parameters of the query.
std::map<std::string, std::vector<std::string>> query_of(const Url& url);

}  // namespace atl::schema::cel
