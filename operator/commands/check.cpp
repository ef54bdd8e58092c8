#include <iostream>
#include <map>

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

/// Who holds the Lease, or that of the first shard, and renews it while we look; empty if nobody does.
Task<std::string> leader(kube::Client& client, Clock& clock, kube::ObjectKey key) {
    const kube::Target whole(kLease, key);
    const kube::Target shard(kLease, kube::ObjectKey(key.ns, key.name + "-shard-0"));
    const Instant end = clock.now() + kPatience;
    std::map<std::string, std::string> first;
    for (bool again = false; clock.now() < end; again = true) {
        for (const kube::Target* target : {&whole, &shard}) {
            const std::optional<kube::Object> now = co_await client.find(*target);
            const std::string version = now ? now->meta().resource_version : "";
            if (!again) first[target->key.name] = version;
            if (version != first[target->key.name] && !holder_of(now).empty()) co_return holder_of(now);
        }
        co_await sleep_for(clock, 1s);
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
                  << " or that of the first shard; is an operator running?\n";
        co_return 2;
    }
    std::cout << "the definitions are served, and " << holder << " is at work\n";
    co_return 0;
}

}  // namespace

int check(const CheckOptions& options) {
    const kube::ObjectKey lease(options.name_space, "atoll");
    return run_client_command({"check", options.kubeconfig},
                              [&](kube::Client& client, Clock& clock) { return look(client, clock, lease); });
}

}  // namespace atl::commands
