#include "controllers/targets.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "cloud/credentials.h"
#include "cloud/matrix.h"
#include "controllers/secret_values.h"
#include "controllers/types.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;

/// Names of Secrets that a value tree refers to: every member `…SecretRef: {name}`.
void collect_secrets(const nlohmann::json& value, std::set<std::string>& names) {
    if (value.is_array()) {
        for (const auto& element : value) collect_secrets(element, names);
    }
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.items()) {
        const bool refers = key.ends_with("SecretRef") && member.is_object() && member.contains("name");
        if (refers && member["name"].is_string()) names.insert(member["name"].get<std::string>());
        collect_secrets(member, names);
    }
}

cloud::Topology topology_of(const crds::Cluster& cluster) {
    cloud::Topology topology;
    topology.cluster = cluster.meta.name;
    topology.infrastructure_name = cluster.spec.infrastructure.name();
    topology.infrastructure = crds::infrastructure_value(cluster.spec);
    topology.orchestrator = crds::orchestrator_value(cluster.spec);
    return topology;
}

}  // namespace

std::set<std::string> secrets_of(const crds::ClusterSpec& cluster) {
    std::set<std::string> names;
    collect_secrets(crds::infrastructure_value(cluster), names);
    return names;
}

Result<Layout> layout_of(const cloud::Registry& registry, const crds::Cluster& cluster) {
    const std::string infrastructure = cluster.spec.infrastructure.name();
    const std::string orchestrator = cluster.spec.orchestrator.name();
    const auto pair = cloud::check_pair(infrastructure, orchestrator);
    if (!pair.ok()) return pair.error();
    const auto place = registry.infrastructures.find(infrastructure);
    const auto scheduler = registry.orchestrators.find(orchestrator);
    if (place == registry.infrastructures.end() || scheduler == registry.orchestrators.end()) {
        return unsupported("UnsupportedPair", "this build has no " + infrastructure + " with " + orchestrator);
    }
    Layout layout;
    layout.topology = topology_of(cluster);
    layout.infrastructure = place->second.get();
    layout.orchestrator = scheduler->second.get();
    auto desired = layout.infrastructure->resources(layout.topology);
    if (!desired.ok()) return desired.error();
    layout.desired = std::move(*desired);
    layout.orchestrator->extend(layout.desired, layout.topology);
    return layout;
}

Targets::Targets(const cloud::Registry& registry, cloud::Surroundings surroundings, kube::Client& client)
    : registry_(registry), surroundings_(surroundings), client_(client) {}

Task<cloud::Account> Targets::account_of(const crds::Cluster& cluster) {
    cloud::Account account;
    account.infrastructure = crds::infrastructure_value(cluster.spec);
    for (const std::string& name : secrets_of(cluster.spec)) {
        kube::Target target(types::kSecret, kube::ObjectKey(cluster.meta.name_space, name));
        const std::optional<kube::Object> secret = co_await client_.find(target);
        if (!secret) {
            co_return Error(ErrorClass::Credentials, "SecretMissing",
                            "Secret \"" + name + "\" does not exist; create it");
        }
        account.secrets[name] = values_of(*secret);
    }
    co_return account;
}

Task<Target> Targets::open(const crds::Cluster& cluster, cloud::Owner owner) {
    Layout layout = co_await layout_of(registry_, cluster);
    Target target;
    target.owner = std::move(owner);
    target.topology = std::move(layout.topology);
    target.orchestrator = layout.orchestrator;
    target.desired = std::move(layout.desired);
    target.account = co_await account_of(cluster);
    target.driver = layout.infrastructure->open(target.account, target.orchestrator->name(), surroundings_);
    co_return target;
}

Task<cloud::World> Targets::world(const Target& target, Duration max_age, Instant deadline) {
    const auto seen = inventory_.find(target.owner.id);
    if (seen != inventory_.end() && surroundings_.clock.now() - seen->second.at <= max_age)
        co_return seen->second.world;
    cloud::World world = co_await target.driver->observe(target.owner, deadline);
    inventory_[target.owner.id] = Seen{world, surroundings_.clock.now()};
    co_return world;
}

Task<cloud::Endpoint> Targets::endpoint(const Target& target, Instant deadline) {
    const cloud::World seen = co_await world(target, std::chrono::seconds(30), deadline);
    cloud::Endpoint found = co_await target.orchestrator->endpoint(seen);
    co_return cloud::with_credentials(std::move(found), target.account);
}

Task<cloud::Endpoint> Targets::endpoint_to_clear(const Target& target, Instant deadline) {
    auto found = co_await endpoint(target, deadline).attempt();
    if (found.ok() || found.error().error_class() != ErrorClass::Waiting) co_return found;
    const cloud::World now = co_await world(target, 0s, deadline);
    cloud::Endpoint left = co_await target.orchestrator->endpoint_to_clear(now);
    co_return cloud::with_credentials(std::move(left), target.account);
}

std::shared_ptr<cloud::Driver> Targets::driver_at(const Target& target, cloud::Endpoint endpoint) const {
    return target.orchestrator->connect(std::move(endpoint), surroundings_);
}

}  // namespace atl::controllers
