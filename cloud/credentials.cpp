#include "cloud/credentials.h"

namespace atl::cloud {

namespace {

Error incomplete(const std::string& secret, const std::string& what) {
    return Error(ErrorClass::Credentials, "SecretIncomplete",
                 "Secret \"" + secret + "\" " + what + "; it needs the keys ca.crt, tls.crt and tls.key");
}

}  // namespace

Result<std::shared_ptr<const net::TlsConfig>> tls_from(const Account& account, const std::string& secret) {
    const auto values = account.secrets.find(secret);
    if (values == account.secrets.end()) return incomplete(secret, "is not there");
    auto tls = std::make_shared<net::TlsConfig>();
    struct Row {
        const char* key;
        std::string& to;
    };
    for (const Row& row :
         {Row{"ca.crt", tls->ca_pem}, Row{"tls.crt", tls->certificate_pem}, Row{"tls.key", tls->key_pem}}) {
        const auto value = values->second.find(row.key);
        if (value == values->second.end() || value->second.empty()) {
            return incomplete(secret, "has no value for " + std::string(row.key));
        }
        row.to = value->second;
    }
    return std::shared_ptr<const net::TlsConfig>(std::move(tls));
}

Result<Endpoint> with_credentials(Endpoint endpoint, const Account& account) {
    for (Endpoint::Engine& engine : endpoint.engines) {
        if (engine.tls_secret.empty()) continue;
        auto tls = tls_from(account, engine.tls_secret);
        if (!tls.ok()) return tls.error();
        engine.where.scheme = net::Scheme::Https;
        engine.where.tls = *tls;
    }
    return endpoint;
}

}  // namespace atl::cloud
