#include <iostream>

#include "controllers/types.h"
#include "operator/commands/client_command.h"
#include "operator/commands/commands.h"

namespace atl::commands {

namespace {

namespace types = controllers::types;

/// "Cluster default/local": of each object of the type. A server without the type has none.
Task<std::vector<std::string>> names_of_all(kube::Client& client, kube::ResourceType type) {
    const kube::Scope scope(type);
    const auto page = co_await client.list(scope).attempt();
    if (!page.ok() && page.error().reason() == "NoSuchType") co_return std::vector<std::string>();
    if (!page.ok()) co_return page.error();
    std::vector<std::string> names;
    for (const kube::Object& object : page->objects) names.push_back(type.kind + " " + object.key().to_string());
    co_return names;
}

Task<int> look(kube::Client& client, Clock&) {
    constexpr std::size_t kShown = 20;
    std::vector<std::string> left;
    for (const kube::ResourceType& type : {types::kCluster, types::kStack, types::kServiceInstance}) {
        const std::vector<std::string> names = co_await names_of_all(client, type);
        left.insert(left.end(), names.begin(), names.end());
    }
    if (left.empty()) {
        std::cout << "no Cluster, Stack or ServiceInstance is left: the operator may go\n";
        co_return 0;
    }
    std::cerr << "atoll guard: without the operator nothing cleans up behind these " << left.size()
              << " objects; delete them and wait, then uninstall:\n"
              << "  kubectl delete serviceinstances,stacks,clusters --all -A --wait\n";
    for (std::size_t i = 0; i < left.size() && i < kShown; ++i) std::cerr << "  " << left[i] << "\n";
    if (left.size() > kShown) std::cerr << "  and " << left.size() - kShown << " more\n";
    std::cerr << "all goes on as before, but Helm has marked the release: to keep it, helm rollback it before the next "
                 "upgrade\n";
    co_return 2;
}

}  // namespace

int guard(const std::string& kubeconfig) {
    return run_client_command({"guard", kubeconfig}, look);
}

}  // namespace atl::commands
