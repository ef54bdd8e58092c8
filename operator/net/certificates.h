#pragma once

#include <string>
#include <vector>

#include "operator/base/clock.h"
#include "operator/base/result.h"

namespace atl::net {

/// A certificate and its private key (EC P-256), PEM.
struct Identity {
    std::string certificate_pem;
    std::string key_pem;
};

/// What a certificate says of its owner. `from` and `until` are taken to the second.
struct CertificateSubject {
    std::string common_name;
    /// Kubernetes reads a client's groups from these.
    std::vector<std::string> organizations;
    /// Names and IP addresses that a server answers to.
    std::vector<std::string> dns_names;
    std::vector<std::string> addresses;
    WallTime from;
    WallTime until;
};

enum class CertificateUse { Server, Client };

/// A self-signed certificate that may sign others. Errors: Invalid with CertificateFailed.
Result<Identity> make_ca(const CertificateSubject& subject);
/// A certificate signed by the CA. Errors: Invalid with CertificateFailed.
Result<Identity> issue_certificate(const Identity& ca, const CertificateSubject& subject, CertificateUse use);
/// When the first certificate of the text ends. Errors: Invalid with CertificateFailed.
Result<WallTime> certificate_end(const std::string& certificate_pem);

}  // namespace atl::net
