#pragma once

#include <string>
#include <vector>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/service_account_tokens.h"

namespace atl::apiserver {

/// A bearer token and who it stands for.
struct TokenUser {
    std::string token;
    User user;
};

/// Tells who sent a request: by a bearer token of the list or of a ServiceAccount, or by a client certificate that the
/// connection has verified (common name, and organizations as groups). Everybody who is known is in the group
/// system:authenticated; who shows nothing is system:anonymous.
class Authenticator {
public:
    Authenticator(std::vector<TokenUser> tokens, const ServiceAccountTokens& accounts)
        : tokens_(std::move(tokens)), accounts_(accounts) {}
    /// Errors: 401 for a token that nobody knows.
    Result<User> authenticate(const net::ServerRequest& request) const;

private:
    std::vector<TokenUser> tokens_;
    const ServiceAccountTokens& accounts_;
};

inline constexpr const char* kAnonymous = "system:anonymous";
inline constexpr const char* kMasters = "system:masters";
inline constexpr const char* kAuthenticated = "system:authenticated";

}  // namespace atl::apiserver
