#pragma once

#include <string>
#include <vector>

#include "operator/apiserver/api_request.h"

namespace atl::apiserver {

/// A bearer token and who it stands for.
struct TokenUser {
    std::string token;
    User user;
};

/// Tells who sent a request: by a bearer token of the list, or by a client certificate that the connection has verified
/// (common name, and organizations as groups). Everybody who is known is in the group system:authenticated; who shows
/// nothing is system:anonymous.
class Authenticator {
public:
    explicit Authenticator(std::vector<TokenUser> tokens) : tokens_(std::move(tokens)) {}
    /// Errors: 401 for a token that is not in the list.
    Result<User> authenticate(const net::ServerRequest& request) const;

private:
    std::vector<TokenUser> tokens_;
};

inline constexpr const char* kAnonymous = "system:anonymous";
inline constexpr const char* kMasters = "system:masters";
inline constexpr const char* kAuthenticated = "system:authenticated";

}  // namespace atl::apiserver
