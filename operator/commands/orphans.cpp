#include "controllers/orphans.h"

#include <iostream>

#include "operator/commands/access.h"
#include "operator/commands/client_command.h"
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

}  // namespace

int orphans(const OrphansOptions& options) {
    Running running(LogLevel::Error);
    const auto access = find_access(options.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) return refuse("orphans", access.error());
    kube::Client client(running.transport, running.loop, *access);
    controllers::Orphans search({client,
                                 running.registry,
                                 {running.transport, running.loop, running.random},
                                 options.name_space,
                                 options.hosts});
    return run_command(running, "orphans", look(search, options.to_remove, running.loop.now() + 60s));
}

}  // namespace atl::commands
