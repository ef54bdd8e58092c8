#include <iostream>
#include <optional>

#include <nlohmann/json.hpp>

#include "controllers/planner.h"
#include "operator/base/manifest.h"
#include "operator/commands/access.h"
#include "operator/commands/commands.h"
#include "operator/commands/manifests.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;

Task<> make_plan(Running& running, kube::Client& client, std::vector<nlohmann::json> documents,
                 std::string name_space) {
    controllers::Planner planner(
        {client, running.registry, {running.transport, running.loop, running.random}, name_space});
    const Instant deadline = running.loop.now() + 30s;
    const auto plans = co_await planner.plan(std::move(documents), deadline).attempt();
    if (!plans.ok()) {
        std::cerr << "atoll plan: " << plans.error().message() << "\n";
        running.stop(1);
        co_return;
    }
    std::cout << controllers::plan_text(*plans);
    running.stop(controllers::has_changes(*plans) ? 2 : 0);
}

Task<> give_up(Running& running) {
    running.stop(1);
    co_return;
}

}  // namespace

int plan(const PlanOptions& options) {
    Running running(LogLevel::Error);
    auto manifests = read_manifests(running.files, options.files);
    if (!manifests.ok()) {
        std::cerr << "atoll plan: " << manifests.error().message() << "\n";
        return 1;
    }
    for (const std::string& other : manifests->others)
        std::cerr << "atoll plan: passed over, it is not of Atoll's kinds: " << other << "\n";
    const auto access = find_access(options.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) {
        std::cerr << "atoll plan: " << access.error().message() << "\n";
        return 1;
    }
    kube::Client client(running.transport, running.loop, *access);
    return running.run("plan", make_plan(running, client, std::move(manifests->objects), options.name_space),
                       [&] { return give_up(running); });
}

}  // namespace atl::commands
