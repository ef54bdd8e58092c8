#pragma once

#include "operator/apiserver/authenticator.h"
#include "operator/apiserver/authorizer.h"
#include "operator/apiserver/open_api.h"
#include "operator/apiserver/serving.h"
#include "operator/net/server.h"

namespace atl::apiserver {

/// The request pipeline: reads the request, authenticates, authorises, finds the resource and runs the verb. Every
/// failure is answered with a Status.
class ApiServer final : public net::Handler {
public:
    /// Who may do what.
    struct Access {
        const Authenticator& authenticator;
        Authorizer& authorizer;
        const ServiceAccountTokens& tokens;
    };
    ApiServer(Serving& serving, Access access)
        : serving_(serving),
          authenticator_(access.authenticator),
          authorizer_(access.authorizer),
          tokens_(access.tokens),
          open_api_(serving.registry) {}

    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override;
    /// What /readyz says.
    void set_ready(bool ready) { is_ready_ = ready; }

private:
    Task<> answer(const net::ServerRequest& http, net::ResponseWriter& writer);
    Task<std::string> why_not_ready();
    Task<net::Response> answer_resource(const ApiRequest& request, TypePtr type);
    Result<net::Response> answer_plain(const ApiRequest& request);
    Result<User> impersonated(const net::ServerRequest& http, User user);
    Result<Unit> check(const ApiRequest& request, const User& user);
    Result<TypePtr> find_type(const ApiRequest& request);

    Serving& serving_;
    const Authenticator& authenticator_;
    Authorizer& authorizer_;
    const ServiceAccountTokens& tokens_;
    OpenApi open_api_;
    bool is_ready_ = false;
};

/// Why nothing can be stored, and what to do; empty if the last write reached the disk.
std::string trouble_of(const Store& store);

}  // namespace atl::apiserver
