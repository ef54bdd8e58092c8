#pragma once

#include <string>
#include <vector>

#include "operator/base/clock.h"
#include "operator/base/files.h"
#include "operator/base/result.h"

namespace atl::commands {

/// What the embedded API server proves itself with, and what its clients trust. PEM.
struct ServingCertificate {
    std::string ca_pem;
    std::string certificate_pem;
    std::string key_pem;
};

/// Reads the CA and the server's certificate from `directory` (ca.crt, ca.key, server.crt, server.key; mode 0600),
/// makes what is missing, and issues the server's anew if it ends within 30 days or was made for other addresses. The
/// CA stays, so that kubeconfigs stay good.
Result<ServingCertificate> find_or_make_certificate(Files& files, const Clock& clock, const std::string& directory,
                                                    const std::vector<std::string>& addresses);

}  // namespace atl::commands
