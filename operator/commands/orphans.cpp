#include "controllers/orphans.h"

#include <iostream>

#include "operator/commands/access.h"
#include "operator/commands/commands.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;

Task<int> look(controllers::Orphans& orphans, std::vector<std::string> to_remove, Instant deadline) {
    if (!to_remove.empty()) {
        co_await orphans.remove(std::move(to_remove), deadline);
        std::cout << "removed what was named\n";
    }
    const controllers::OrphanReport report = co_await orphans.find(deadline);
    std::cout << controllers::orphans_text(report);
    for (const std::string& failure : report.failures) std::cerr << "atoll orphans: not looked at: " << failure << "\n";
    if (!report.failures.empty()) co_return 1;
    co_return report.orphans.empty() ? 0 : 2;
}

Task<> finish(Running& running, controllers::Orphans& orphans, std::vector<std::string> to_remove) {
    const Instant deadline = running.loop.now() + 60s;
    const auto code = co_await look(orphans, std::move(to_remove), deadline).attempt();
    if (!code.ok()) std::cerr << "atoll orphans: " << code.error().message() << "\n";
    running.stop(code.ok() ? *code : 1);
}

Task<> give_up(Running& running) {
    running.stop(1);
    co_return;
}

}  // namespace

int orphans(const OrphansOptions& options) {
    Running running(LogLevel::Error);
    const auto access = find_access(options.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) {
        std::cerr << "atoll orphans: " << access.error().message() << "\n";
        return 1;
    }
    kube::Client client(running.transport, running.loop, *access);
    controllers::Orphans search({client,
                                 running.registry,
                                 {running.transport, running.loop, running.random},
                                 options.name_space,
                                 options.hosts});
    return running.run("orphans", finish(running, search, options.to_remove), [&] { return give_up(running); });
}

}  // namespace atl::commands
