#include <iostream>

#include "operator/commands/access.h"
#include "operator/commands/commands.h"
#include "operator/commands/probes.h"
#include "operator/commands/running.h"

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
    process.on_lost = [&running] { running.stop(1); };
    running.process = std::make_unique<OperatorProcess>(running.outside(), *access, process);
    return running.run("operator", begin(running), [&] { return wind_down(running); });
}

}  // namespace atl::commands
