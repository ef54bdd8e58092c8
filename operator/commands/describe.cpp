#include <iostream>

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "operator/commands/access.h"
#include "operator/commands/commands.h"
#include "operator/commands/describe_tree.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

namespace types = controllers::types;

Task<std::vector<nlohmann::json>> read_all(kube::Client& client, kube::ResourceType type, std::string name_space) {
    const kube::Scope scope(std::move(type), std::move(name_space));
    const kube::ListPage page = co_await client.list(scope);
    std::vector<nlohmann::json> objects;
    for (const kube::Object& object : page.objects) objects.push_back(object.json());
    for (const Error& error : page.undecodable) std::cerr << "atoll describe: " << error.message() << "\n";
    co_return objects;
}

Task<Inventory> read_inventory(kube::Client& client, std::string name_space) {
    Inventory inventory;
    inventory.clusters = co_await read_all(client, types::kCluster, name_space);
    inventory.stacks = co_await read_all(client, types::kStack, name_space);
    inventory.instances = co_await read_all(client, types::kServiceInstance, name_space);
    inventory.machines = co_await read_all(client, types::kMachine, name_space);
    co_return inventory;
}

Task<> print_tree(Running& running, kube::Client& client, std::string name_space) {
    const auto inventory = co_await read_inventory(client, std::move(name_space)).attempt();
    if (!inventory.ok()) {
        std::cerr << "atoll describe: " << inventory.error().message() << "\n";
        running.stop(1);
        co_return;
    }
    std::cout << describe_text(*inventory, running.loop.wall_now());
    running.stop(0);
}

Task<> give_up(Running& running) {
    running.stop(1);
    co_return;
}

}  // namespace

int describe(const DescribeOptions& options) {
    Running running(LogLevel::Error);
    const auto access = find_access(options.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) {
        std::cerr << "atoll describe: " << access.error().message() << "\n";
        return 1;
    }
    kube::Client client(running.transport, running.loop, *access);
    return running.run("describe", print_tree(running, client, options.name_space), [&] { return give_up(running); });
}

}  // namespace atl::commands
