#pragma once

#include <optional>
#include <string>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/store.h"
#include "operator/base/clock.h"

namespace atl::apiserver {

/// Tokens of ServiceAccounts: signed with a key of this server (JWT, HS256), good until they expire or the account is
/// deleted. Nothing about them is stored.
class ServiceAccountTokens {
public:
    ServiceAccountTokens(std::string key, Store& store, Clock& clock)
        : key_(std::move(key)), store_(store), clock_(clock) {}

    /// A token for the account, which has this uid.
    std::string issue(const Key& account, const std::string& uid, WallTime until) const;
    /// Who the token stands for; nothing if it is not ours, has expired, or its account is gone.
    std::optional<User> verify(const std::string& token) const;

private:
    std::string sign(const std::string& text) const;
    std::string key_;
    Store& store_;
    Clock& clock_;
};

/// Answers a TokenRequest for the account that the request names. Errors: 400, 404.
Result<net::Response> answer_token_request(const ServiceAccountTokens& tokens, Store& store, const ApiRequest& request,
                                           WallTime now);

/// Key::resource of ServiceAccounts.
inline constexpr const char* kServiceAccounts = "serviceaccounts";

}  // namespace atl::apiserver
