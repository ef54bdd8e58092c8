#include "operator/commands/probes.h"

namespace atl::commands {

Probes::Probes(Running& running)
    : running_(running), handler_({running.metrics, healthz_, readyz_, [this] { measure(); }}) {
    readyz_.add("operator", [this] { return trouble(); });
    running_.metrics.set("atoll_build_info", {ATOLL_VERSION}, 1);
}

Result<std::unique_ptr<Probes>> Probes::open(Running& running, const Options& options) {
    auto probes = std::make_unique<Probes>(running);
    probes->address_ = options.address;
    net::HttpServerOptions http;
    http.address = options.address;
    http.port = options.port;
    http.max_connections = 64;
    auto listening = net::HttpServer::listen(running.loop, probes->handler_, http);
    if (!listening.ok()) return Error(listening.error()).during("serving /metrics, /healthz and /readyz");
    probes->server_ = std::move(*listening);
    return probes;
}

std::string Probes::url() const {
    return "http://" + address_ + ":" + std::to_string(server_->port());
}

std::optional<std::string> Probes::trouble() const {
    if (!running_.process) return "the operator has not begun yet";
    if (running_.process->ready()) return std::nullopt;
    return running_.process->trouble();
}

void Probes::measure() {
    const observe::ProcessFacts facts = observe::read_process_facts(running_.files);
    observe::record(running_.metrics, facts, last_);
    last_ = facts;
}

}  // namespace atl::commands
