#pragma once

#include "cloud/orchestrator.h"

namespace atl::cloud {

/// The TLS settings in a Secret with the keys ca.crt, tls.crt and tls.key. Credentials (reason SecretIncomplete) if one
/// is missing, or the Secret is not among those of the account.
Result<std::shared_ptr<const net::TlsConfig>> tls_from(const Account& account, const std::string& secret);

/// The endpoint with the TLS settings of every engine that names a Secret.
Result<Endpoint> with_credentials(Endpoint endpoint, const Account& account);

}  // namespace atl::cloud
