#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include "controllers/planner.h"
#include "operator/base/manifest.h"
#include "operator/commands/access.h"
#include "operator/commands/client_command.h"
#include "operator/commands/commands.h"
#include "operator/commands/manifests.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;

Task<int> make_plan(Running& running, kube::Client& client, std::vector<nlohmann::json> documents,
                    std::string name_space) {
    controllers::Planner planner(
        {client, running.registry, {running.transport, running.loop, running.random}, name_space});
    const Instant deadline = running.loop.now() + 30s;
    const auto plans = co_await planner.plan(std::move(documents), deadline);
    std::cout << controllers::plan_text(plans);
    co_return controllers::has_changes(plans) ? 2 : 0;
}

}  // namespace

int plan(const PlanOptions& options) {
    Running running(LogLevel::Error);
    auto manifests = read_manifests(running.files, options.files);
    if (!manifests.ok()) return refuse("plan", manifests.error());
    for (const std::string& other : manifests->others)
        std::cerr << "atoll plan: passed over, it is not of Atoll's kinds: " << other << "\n";
    const auto access = find_access(options.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) return refuse("plan", access.error());
    kube::Client client(running.transport, running.loop, *access);
    return run_command(running, "plan", make_plan(running, client, std::move(manifests->objects), options.name_space));
}

}  // namespace atl::commands
