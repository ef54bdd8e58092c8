#pragma once

#include <functional>
#include <memory>

#include "operator/base/log.h"
#include "operator/base/metrics.h"
#include "operator/base/spawner.h"
#include "operator/commands/webhook_certificate.h"
#include "operator/kube/admission_review.h"
#include "operator/net/http_server.h"

namespace atl::commands {

/// Answers AdmissionReviews at POST /validate. It only says what is said again by the controllers, so an API server may
/// go on without it (failurePolicy Ignore).
class AdmissionHandler final : public net::Handler {
public:
    using Judge = std::function<kube::AdmissionAnswer(const kube::AdmissionCall& call)>;
    AdmissionHandler(Judge judge, Clock& clock, Metrics& metrics, Log log);

    /// Told of each review that was admitted; may be unset.
    std::function<void(const kube::AdmissionCall& call)> on_admitted;

    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override;
    /// The same without a connection.
    net::Response answer(const net::ServerRequest& request) const;

private:
    net::Response review(const net::ServerRequest& request) const;
    net::Response review_or_own_up(const net::ServerRequest& request) const;

    Judge judge_;
    Clock& clock_;
    Metrics& metrics_;
    Log log_;
    std::uint64_t in_flight_ = 0;
};

/// The webhook of a process: serves an AdmissionHandler over TLS with a certificate of its own, renews it, and writes
/// its CA into the ValidatingWebhookConfiguration.
class Webhook {
public:
    struct Options {
        std::string address = "0.0.0.0";
        std::uint16_t port = 9443;
        WebhookService service = {};
        std::string configuration = {};  ///< name of the ValidatingWebhookConfiguration
        Metrics& metrics = Metrics::none();
    };
    Webhook(net::EventLoop& loop, kube::Client& client, AdmissionHandler handler, Options options, Log log);

    /// Begins to serve, and to look after the certificate each hour, until it is destroyed; what fails is logged and
    /// tried again.
    void start();

private:
    Task<> keep();
    Task<> look_after_certificate();
    Task<> publish_ca(std::string ca_pem);

    net::EventLoop& loop_;
    kube::Client& client_;
    AdmissionHandler handler_;
    Options options_;
    Log log_;
    std::unique_ptr<net::HttpServer> server_;
    Spawner spawner_;  // last: its tasks use the rest
};

}  // namespace atl::commands
