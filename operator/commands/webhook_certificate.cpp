#include "operator/commands/webhook_certificate.h"

#include <nlohmann/json.hpp>

#include "controllers/secret_values.h"
#include "controllers/types.h"
#include "operator/net/certificates.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;
using Values = std::map<std::string, std::string>;

constexpr auto kDay = std::chrono::hours(24);
constexpr auto kCaLife = 3650 * kDay;
constexpr auto kLife = 365 * kDay;
constexpr auto kRenewCaBefore = 366 * kDay;  ///< so that it outlives each certificate that it signs
constexpr auto kRenewBefore = 30 * kDay;

bool is_good_until(const std::string& certificate_pem, WallTime until) {
    const auto end = net::certificate_end(certificate_pem);
    return end.ok() && *end > until;
}

bool is_good(Values& values, const WebhookService& service, WallTime now) {
    return values["dns-name"] == service.dns_name() && !values["ca.key"].empty() && !values["tls.key"].empty() &&
           is_good_until(values["ca.crt"], now + kRenewBefore) && is_good_until(values["tls.crt"], now + kRenewBefore);
}

Result<net::Identity> ca_of(Values& values, WallTime now) {
    net::Identity ca{values["ca.crt"], values["ca.key"]};
    if (!ca.key_pem.empty() && is_good_until(ca.certificate_pem, now + kRenewCaBefore)) return ca;
    net::CertificateSubject subject;
    subject.common_name = "atoll-webhook-ca";
    subject.from = now - 1h;
    subject.until = now + kCaLife;
    return net::make_ca(subject);
}

Result<Values> make(Values present, const WebhookService& service, WallTime now) {
    const auto ca = ca_of(present, now);
    if (!ca.ok()) return ca.error();
    net::CertificateSubject subject;
    subject.common_name = "atoll-webhook";
    subject.dns_names = {service.dns_name(), service.name + "." + service.name_space};
    subject.from = now - 1h;
    subject.until = now + kLife;
    const auto leaf = net::issue_certificate(*ca, subject, net::CertificateUse::Server);
    if (!leaf.ok()) return leaf.error();
    return Values{{"ca.crt", ca->certificate_pem},
                  {"ca.key", ca->key_pem},
                  {"tls.crt", leaf->certificate_pem},
                  {"tls.key", leaf->key_pem},
                  {"dns-name", service.dns_name()}};
}

net::ServerTls tls_of(Values& values) {
    net::ServerTls tls;
    tls.certificate_pem = values["tls.crt"];
    tls.key_pem = values["tls.key"];
    return tls;
}

}  // namespace

Task<WebhookCertificate> find_or_make_webhook_certificate(kube::Client& client, WebhookService service) {
    const kube::Target target(controllers::types::kSecret, {service.name_space, service.name + "-tls"});
    constexpr int kTries = 5;
    Error last = transient("Modified", "somebody else changed the webhook's Secret again and again");
    for (int i = 0; i < kTries; ++i) {
        const WallTime now = client.clock().wall_now();
        const std::optional<kube::Object> present = co_await client.find(target);
        Values values = present ? controllers::values_of(*present) : Values();
        if (present && is_good(values, service, now)) co_return WebhookCertificate{tls_of(values), values["ca.crt"]};
        values = co_await make(std::move(values), service, now);
        nlohmann::json secret{{"type", "Opaque"}, {"data", controllers::secret_data(values)}};
        secret["metadata"] = {{"name", target.key.name}, {"namespace", target.key.ns}};
        if (present) secret["metadata"]["resourceVersion"] = present->meta().resource_version;
        auto written = present ? co_await client.update(target, secret).attempt()
                               : co_await client.create(target.type, secret).attempt();
        if (written.ok()) co_return WebhookCertificate{tls_of(values), values["ca.crt"]};
        if (written.error().error_class() != ErrorClass::Conflict) co_return written.error();
        last = written.error();
    }
    co_return last;
}

}  // namespace atl::commands
