#include <iostream>

#include "operator/commands/access.h"
#include "operator/commands/commands.h"
#include "operator/commands/deletion_audit.h"
#include "operator/commands/probes.h"
#include "operator/commands/running.h"
#include "operator/commands/webhook.h"

namespace atl::commands {

namespace {

Task<> begin(Running& running) {
    running.process->start();
    co_return;
}

Task<> wind_down(Running& running) {
    co_await running.process->stop(kGrace);
    running.stop(0);
}

std::unique_ptr<Webhook> make_webhook(Running& running, kube::Client& client, DeletionAudit& audit,
                                      const OperatorOptions& options) {
    Webhook::Options webhook{.metrics = running.metrics};
    webhook.port = options.webhook_port;
    webhook.service = {options.webhook_service, options.name_space};
    webhook.configuration = options.webhook_configuration;
    AdmissionHandler::Judge judge = [&running](const kube::AdmissionCall& call) {
        return running.process->judge(call);
    };
    AdmissionHandler handler(std::move(judge), running.loop, running.metrics, running.log);
    handler.on_admitted = [&audit](const kube::AdmissionCall& call) { audit.note(call); };
    return std::make_unique<Webhook>(running.loop, client, std::move(handler), webhook, running.log);
}

}  // namespace

int run_operator(const OperatorOptions& options) {
    Running running(options.log_level);
    const auto access = find_access(options.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) {
        std::cerr << "atoll operator: " << access.error().message() << "\n";
        return 1;
    }
    const auto probes = Probes::open(running, {options.health_address, options.health_port});
    if (!probes.ok()) {
        std::cerr << "atoll operator: " << probes.error().message() << "\n";
        return 1;
    }
    OperatorProcess::Options process;
    process.client = running.client_options();
    process.name_space = options.name_space;
    process.election.emplace();
    process.election->key = kube::ObjectKey(options.name_space, "atoll");
    process.election->identity = running.environment.get("HOSTNAME").value_or("atoll") + "_" + running.random.uuid();
    process.shards = options.shards;
    process.on_lost = [&running] { running.stop(1); };
    running.process = std::make_unique<OperatorProcess>(running.outside(), *access, process);
    kube::Client webhook_client(running.transport, running.loop, *access, running.client_options());
    DeletionAudit audit(running.loop, running.random, running.log);
    audit.write_with(webhook_client);
    std::unique_ptr<Webhook> webhook;
    if (options.webhook_port != 0) {
        webhook = make_webhook(running, webhook_client, audit, options);
        webhook->start();
    }
    return running.run("operator", begin(running), [&] { return wind_down(running); });
}

}  // namespace atl::commands
