#include "operator/commands/up.h"

#include <iostream>

#include "operator/commands/control_plane.h"
#include "operator/commands/deletion_audit.h"
#include "operator/commands/probes.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;

Task<> work(Running& running, ControlPlane& control_plane, UpOptions options, std::string probes) {
    co_await control_plane.start();
    kube::Client client(running.transport, running.loop, control_plane.credentials());
    auto installed = co_await install(client, "atoll-system").attempt();
    OperatorProcess::Options process;
    process.client = running.client_options();
    running.process = std::make_unique<OperatorProcess>(running.outside(), control_plane.credentials(), process);
    running.process->start();
    std::cout << "Atoll is up at " << control_plane.url() << "\n\n"
              << "  export KUBECONFIG=" << options.kubeconfig << "\n"
              << "  kubectl apply -f examples/local-swarm/\n"
              << "  kubectl get atoll -A\n\n"
              << "Metrics and health are at " << probes << "/metrics, /healthz and /readyz.\n"
              << std::endl;
    // A policy of this server may refuse it: the server goes on, so that the policy can be mended, and so do the
    // definitions that are there.
    while (!installed.ok()) {
        running.log.error("Waiting to install the definitions", {{key::kError, installed.error().message()}});
        co_await sleep_for(running.loop, 15s);
        installed = co_await install(client, "atoll-system").attempt();
    }
}

Task<> wind_down(Running& running, ControlPlane& control_plane) {
    if (running.process) co_await running.process->stop(kGrace);
    co_await control_plane.stop(1s);
    running.stop(0);
}

}  // namespace

int up(const UpOptions& options) {
    Running running(options.log_level);
    DeletionAudit audit(running.loop, running.random, running.log);
    const auto on_admitted = [&audit](const apiserver::AdmissionRequest& request) { audit.note(request); };
    auto opened = ControlPlane::open(options, {running.loop, running.random, running.files, running.log, on_admitted});
    if (!opened.ok()) {
        std::cerr << "atoll up: " << opened.error().message() << "\n";
        return 1;
    }
    ControlPlane& control_plane = **opened;
    auto probes = Probes::open(running, {"127.0.0.1", options.health_port});
    if (!probes.ok()) {
        std::cerr << "atoll up: " << probes.error().message() << "\n";
        return 1;
    }
    (*probes)->add_readiness("store", [&control_plane]() -> std::optional<std::string> {
        std::string trouble = control_plane.store_trouble();
        return trouble.empty() ? std::nullopt : std::optional(std::move(trouble));
    });
    kube::Client audit_client(running.transport, running.loop, control_plane.credentials());
    audit.write_with(audit_client);
    const int code = running.run("up", work(running, control_plane, options, (*probes)->url()),
                                 [&] { return wind_down(running, control_plane); });
    running.process.reset();  // before the server that it talks to
    return code;
}

}  // namespace atl::commands
