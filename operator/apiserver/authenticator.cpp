#include "operator/apiserver/authenticator.h"

#include <algorithm>

#include <openssl/crypto.h>

namespace atl::apiserver {

namespace {

/// In time that does not depend on where the texts differ.
bool are_equal(const std::string& a, const std::string& b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

User authenticated(User user) {
    if (std::find(user.groups.begin(), user.groups.end(), kAuthenticated) == user.groups.end()) {
        user.groups.emplace_back(kAuthenticated);
    }
    return user;
}

}  // namespace

Result<User> Authenticator::authenticate(const net::ServerRequest& request) const {
    const auto header = request.headers.find("Authorization");
    constexpr std::string_view kBearer = "Bearer ";
    if (header && header->starts_with(kBearer)) {
        const std::string shown = header->substr(kBearer.size());
        const TokenUser* found = nullptr;
        for (const TokenUser& known : tokens_) {
            if (are_equal(known.token, shown)) found = &known;
        }
        if (found != nullptr) return authenticated(found->user);
        auto account = accounts_.verify(shown);
        if (!account) return api_error(401, "Unauthorized", "Unauthorized");
        return authenticated(std::move(*account));
    }
    if (!request.peer.common_name.empty()) {
        return authenticated(User{request.peer.common_name, "", request.peer.organizations});
    }
    return User{kAnonymous, "", {"system:unauthenticated"}};
}

}  // namespace atl::apiserver
