#include "operator/commands/webhook.h"

#include <nlohmann/json.hpp>

#include "operator/base/base64.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPath = "/validate";
constexpr const char* kWebhookName = "validate.atoll.dev";  ///< in the configuration, and label of the metrics
const kube::ResourceType kConfiguration{"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
                                        "ValidatingWebhookConfiguration", false};

net::Response response(int status, const std::string& type, std::string body) {
    net::Response response;
    response.status = status;
    response.headers.set("Content-Type", type);
    response.body = std::move(body);
    return response;
}

/// Counts a request for as long as it lives: a peer that goes away drops the task.
class InFlight {
public:
    InFlight(std::uint64_t& count, Metrics& metrics) : count_(count), metrics_(metrics) {
        ++count_;
        tell();
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight() {
        --count_;
        tell();
    }

private:
    void tell() {
        metrics_.set("controller_runtime_webhook_requests_in_flight", {kWebhookName}, static_cast<double>(count_));
    }

    std::uint64_t& count_;
    Metrics& metrics_;
};

}  // namespace

AdmissionHandler::AdmissionHandler(Judge judge, Clock& clock, Metrics& metrics, Log log)
    : judge_(std::move(judge)), clock_(clock), metrics_(metrics), log_(std::move(log)) {
    for (const char* code : {"200", "500"}) {
        metrics_.add("controller_runtime_webhook_requests_total", {kWebhookName, code}, 0);
    }
    metrics_.set("controller_runtime_webhook_requests_in_flight", {kWebhookName}, 0);
}

net::Response AdmissionHandler::review(const net::ServerRequest& request) const {
    const auto call = kube::parse_admission_review(request.body);
    if (!call.ok()) return response(400, "text/plain; charset=utf-8", call.error().message() + "\n");
    const kube::AdmissionAnswer answer = judge_(*call);
    if (!answer.errors.empty()) {
        log_.info("Refusing a write", {{key::kOperation, call->operation},
                                       {key::kKind, call->kind},
                                       {key::kNamespace, call->key.ns},
                                       {key::kName, call->key.name},
                                       {key::kUser, call->user},
                                       {key::kError, answer.errors.front().message}});
    } else if (on_admitted) {
        on_admitted(*call);
    }
    return response(200, "application/json", kube::admission_response(*call, answer).dump());
}

net::Response AdmissionHandler::review_or_own_up(const net::ServerRequest& request) const {
    try {
        return review(request);
    } catch (const std::exception& bug) {
        metrics_.add("controller_runtime_webhook_panics_total", {}, 1);
        log_.error("Failing to review a write", {{key::kError, bug.what()}});
        return response(500, "text/plain; charset=utf-8", "a bug in the webhook; its log has more\n");
    }
}

net::Response AdmissionHandler::answer(const net::ServerRequest& request) const {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path != kPath) return response(404, "text/plain; charset=utf-8", "the webhook is at /validate\n");
    if (request.method != "POST") {
        net::Response refused = response(405, "text/plain; charset=utf-8", "only POST\n");
        refused.headers.set("Allow", "POST");
        return refused;
    }
    const Instant began = clock_.now();
    net::Response reviewed = review_or_own_up(request);
    metrics_.add("controller_runtime_webhook_requests_total", {kWebhookName, std::to_string(reviewed.status)}, 1);
    metrics_.observe("controller_runtime_webhook_latency_seconds", {kWebhookName},
                     std::chrono::duration<double>(clock_.now() - began).count());
    return reviewed;
}

Task<> AdmissionHandler::serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
    const InFlight counted(in_flight_, metrics_);
    net::Response answered = answer(request);
    co_await writer.send(std::move(answered));
}

Webhook::Webhook(net::EventLoop& loop, kube::Client& client, AdmissionHandler handler, Options options, Log log)
    : loop_(loop),
      client_(client),
      handler_(std::move(handler)),
      options_(std::move(options)),
      log_(std::move(log)),
      spawner_(loop, [this](const std::string& name, const Error& error, bool) {
          log_.error("Losing a task", {{key::kName, name}, {key::kError, error.message()}});
      }) {}

void Webhook::start() {
    spawner_.start("webhook", keep());
}

Task<> Webhook::keep() {
    while (true) {
        const auto done = co_await look_after_certificate().attempt();
        if (!done.ok()) log_.error("Waiting to serve the webhook", {{key::kError, done.error().message()}});
        const Duration pause = done.ok() ? Duration(1h) : Duration(15s);
        co_await sleep_for(loop_, pause);
    }
}

Task<> Webhook::look_after_certificate() {
    options_.metrics.add("certwatcher_read_certificate_total", {}, 1);
    const auto read = co_await find_or_make_webhook_certificate(client_, options_.service).attempt();
    if (!read.ok()) {
        options_.metrics.add("certwatcher_read_certificate_errors_total", {}, 1);
        co_await fail(read.error());
    }
    const WebhookCertificate& certificate = *read;
    if (server_) {
        co_await server_->replace_tls(certificate.tls);
    } else {
        net::HttpServerOptions http;
        http.address = options_.address;
        http.port = options_.port;
        http.tls = certificate.tls;
        http.max_connections = 256;
        server_ = co_await net::HttpServer::listen(loop_, handler_, http);
    }
    co_await publish_ca(certificate.ca_pem);
}

Task<> Webhook::publish_ca(std::string ca_pem) {
    const kube::Target target(kConfiguration, kube::ObjectKey("", options_.configuration));
    const std::optional<kube::Object> present = co_await client_.find(target);
    const std::string wanted = encode_base64(ca_pem);
    if (!present) {
        log_.error("Waiting for the webhook's configuration", {{key::kName, options_.configuration}});
        co_return;
    }
    // The list is replaced whole, as it was read, and bound to that version.
    nlohmann::json webhooks = present->json().value("webhooks", nlohmann::json::array());
    bool changed = false;
    for (nlohmann::json& webhook : webhooks) {
        if (webhook.value("name", "") != kWebhookName) continue;
        changed = webhook["clientConfig"].value("caBundle", "") != wanted;
        webhook["clientConfig"]["caBundle"] = wanted;
    }
    if (!changed) co_return;
    nlohmann::json patch;
    patch["metadata"] = {{"resourceVersion", present->meta().resource_version}};
    patch["webhooks"] = std::move(webhooks);
    co_await client_.merge_patch(target, patch, "atoll-webhook");
}

}  // namespace atl::commands
