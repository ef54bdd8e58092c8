#pragma once

#include <functional>

#include "operator/kube/client.h"
#include "operator/net/server.h"
#include "operator/observe/health.h"
#include "operator/observe/metric_store.h"

namespace atl::commands {

/// The pages for those who watch the process: /metrics (Prometheus' text format), /healthz and /readyz (200 "ok", or
/// 500 with a line a check), /healthz/NAME and /readyz/NAME for one check, ?verbose for all lines. They hold no secrets
/// and need no credentials; serve them on loopback or inside the cluster only.
class ProbeHandler final : public net::Handler {
public:
    struct Parts {
        const observe::MetricStore& metrics;
        const observe::HealthChecks& healthz;
        const observe::HealthChecks& readyz;
        /// Called before each /metrics, to measure what is only measured then; may be empty.
        std::function<void()> before_metrics;
    };
    /// The parts outlive it.
    explicit ProbeHandler(Parts parts) : parts_(std::move(parts)) {}

    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override;
    /// The same without a connection.
    net::Response answer(const net::ServerRequest& request) const;

private:
    Parts parts_;
};

/// Puts one request of a kube::Client into the rest_client_ rows: for ClientOptions::on_request.
void record(Metrics& metrics, const kube::RequestSample& request);

}  // namespace atl::commands
