#include <iostream>

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "operator/commands/client_command.h"
#include "operator/commands/commands.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;
namespace types = controllers::types;

const kube::ResourceType kLease{"coordination.k8s.io", "v1", "leases", "Lease", true};
constexpr Duration kPatience = 12s;  ///< longer than a leader may go without renewing

std::string holder_of(const std::optional<kube::Object>& lease) {
    if (!lease) return "";
    const nlohmann::json spec = lease->member("spec");
    const nlohmann::json holder = spec.is_object() ? spec.value("holderIdentity", nlohmann::json()) : nlohmann::json();
    return holder.is_string() ? holder.get<std::string>() : "";
}

/// Who holds the Lease and renews it while we look; empty if nobody does.
Task<std::string> leader(kube::Client& client, Clock& clock, kube::ObjectKey key) {
    const kube::Target target(kLease, std::move(key));
    const Instant end = clock.now() + kPatience;
    const std::optional<kube::Object> first = co_await client.find(target);
    while (clock.now() < end) {
        co_await sleep_for(clock, 1s);
        const std::optional<kube::Object> now = co_await client.find(target);
        const bool moved = now && (!first || now->meta().resource_version != first->meta().resource_version);
        if (moved && !holder_of(now).empty()) co_return holder_of(now);
    }
    co_return std::string();
}

Task<int> look(kube::Client& client, Clock& clock, kube::ObjectKey lease) {
    for (const kube::ResourceType& type : {types::kCluster, types::kStack, types::kServiceInstance, types::kMachine}) {
        kube::ListOptions options;
        options.limit = 1;
        const kube::Scope scope(type);
        const auto page = co_await client.list_page(scope, options).attempt();
        if (page.ok()) continue;
        std::cerr << "atoll check: " << type.to_string() << ": " << page.error().message()
                  << "; install the definitions: atoll crds | kubectl apply --server-side -f -\n";
        co_return page.error().reason() == "NoSuchType" ? 2 : 1;
    }
    const std::string holder = co_await leader(client, clock, lease);
    if (holder.empty()) {
        std::cerr << "atoll check: nobody holds and renews Lease " << lease.to_string()
                  << "; is an operator running?\n";
        co_return 2;
    }
    std::cout << "the definitions are served, and " << holder << " leads\n";
    co_return 0;
}

}  // namespace

int check(const CheckOptions& options) {
    const kube::ObjectKey lease(options.name_space, "atoll");
    return run_client_command({"check", options.kubeconfig},
                              [&](kube::Client& client, Clock& clock) { return look(client, clock, lease); });
}

}  // namespace atl::commands
