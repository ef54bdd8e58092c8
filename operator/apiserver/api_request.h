#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "operator/apiserver/api_error.h"
#include "operator/net/server.h"

namespace atl::apiserver {

/// Who sent a request.
struct User {
    std::string name;
    std::string uid;
    std::vector<std::string> groups;
};

/// What a request asks for: the parts of its path and query, and who asks.
struct ApiRequest {
    const net::ServerRequest* http = nullptr;
    User user;
    std::string path;                          ///< decoded, without the query
    std::map<std::string, std::string> query;  ///< the first value of each parameter
    /// get, list, watch, create, update, patch, delete, deletecollection; for a path that is no resource the method in
    /// lower case.
    std::string verb;

    /// The rest only if the path is that of a resource.
    bool is_resource = false;
    std::string group;
    std::string version;
    std::string ns;
    std::string plural;
    std::string name;
    std::string subresource;

    /// The parameter's value, "" if it is missing.
    std::string parameter(const std::string& name) const;
    /// Whether the parameter is there and neither "false" nor "0".
    bool is_set(const std::string& name) const;
    Subject subject() const { return {group, plural, name}; }
};

/// Takes a request apart. Errors: 400 for a path or query that cannot be decoded, 404 for one that is no path of an
/// API.
Result<ApiRequest> read_request(const net::ServerRequest& http);

}  // namespace atl::apiserver
