#pragma once

#include <string>

#include "operator/kube/client.h"
#include "operator/net/tls.h"

namespace atl::commands {

/// The Service that API servers call the webhook at.
struct WebhookService {
    std::string name;
    std::string name_space;
    std::string dns_name() const { return name + "." + name_space + ".svc"; }
};

/// What the webhook serves, and what API servers verify it with.
struct WebhookCertificate {
    net::ServerTls tls;
    std::string ca_pem;
};

/// The webhook's certificate, of a CA of its own, kept in the Secret `<service>-tls` so that all replicas serve the
/// same: read if it is good for 30 days more and for this name, else made anew (the CA, too, once it ends within a
/// year) and written. Two replicas at once agree: the one whose write is refused reads again. Errors: those of the
/// client, and Invalid with CertificateFailed.
Task<WebhookCertificate> find_or_make_webhook_certificate(kube::Client& client, WebhookService service);

}  // namespace atl::commands
