#pragma once

#include <string>

#include "operator/base/result.h"
#include "operator/net/http.h"

namespace atl::kube {

/// Where the API server is, and how to say who we are.
struct Access {
    net::Endpoint endpoint;     ///< with CA and client certificate
    std::string authorization;  ///< value of the Authorization header; empty if the certificate says it all
};

/// Gives the access that holds at the moment. Implementations re-read files at most once a minute: tokens and CAs in
/// files are rotated under us.
class CredentialSource {
public:
    virtual ~CredentialSource() = default;
    /// What to use now. A file that cannot be read is a Credentials error.
    virtual Result<Access> current() = 0;
    /// The server has answered 401: read again at the next call, whatever the time.
    virtual void refused() = 0;
};

/// Access that never changes.
class FixedCredentials final : public CredentialSource {
public:
    explicit FixedCredentials(Access access) : access_(std::move(access)) {}
    Result<Access> current() override { return access_; }
    void refused() override {}

private:
    Access access_;
};

}  // namespace atl::kube
