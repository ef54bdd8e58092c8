#include <iostream>

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "operator/commands/client_command.h"
#include "operator/commands/commands.h"
#include "operator/commands/describe_tree.h"

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

Task<int> print_tree(kube::Client& client, Clock& clock, std::string name_space) {
    const Inventory inventory = co_await read_inventory(client, std::move(name_space));
    std::cout << describe_text(inventory, clock.wall_now());
    co_return 0;
}

}  // namespace

int describe(const DescribeOptions& options) {
    return run_client_command({"describe", options.kubeconfig}, [&](kube::Client& client, Clock& clock) {
        return print_tree(client, clock, options.name_space);
    });
}

}  // namespace atl::commands
