#include "controllers/planner.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "cloud/diff.h"
#include "controllers/rollout.h"
#include "controllers/secret_values.h"
#include "controllers/stack_instances.h"
#include "controllers/types.h"
#include "controllers/workloads.h"
#include "crds/composition.h"

namespace atl::controllers {

/// What is known while one set of documents is planned.
struct Planner::Session {
    std::vector<nlohmann::json> documents;
    std::optional<Identity> identity;  ///< unset: nothing was ever made by this installation
    Instant deadline;
    std::vector<ObjectPlan> plans;

    const nlohmann::json* find(const std::string& kind, const kube::ObjectKey& key) const {
        for (const nlohmann::json& document : documents) {
            if (document["kind"] == kind && document["metadata"]["name"] == key.name &&
                document["metadata"]["namespace"] == key.ns) {
                return &document;
            }
        }
        return nullptr;
    }
    /// The Owner of an object on the API server; unset if it has none yet.
    std::optional<cloud::Owner> owner_of(const std::optional<nlohmann::json>& live, const std::string& kind) const {
        if (!live || !identity) return std::nullopt;
        const auto object = kube::Object::from_json(*live);
        if (!object.ok()) return std::nullopt;
        auto owner = identity->owner_of(*object, kind);
        if (!owner.ok()) return std::nullopt;
        return std::move(*owner);
    }
};

namespace {

kube::ObjectKey key_of(const nlohmann::json& document) {
    return kube::ObjectKey(document["metadata"]["namespace"].get<std::string>(),
                           document["metadata"]["name"].get<std::string>());
}

ObjectPlan begin(const nlohmann::json& document, const std::optional<nlohmann::json>& live) {
    ObjectPlan result;
    result.kind = document["kind"].get<std::string>();
    result.key = key_of(document);
    result.exists = live.has_value();
    if (live) result.changed = differing_paths(live->value("spec", nlohmann::json()), document["spec"], "spec");
    return result;
}

/// The document as it would stand: the live object, with each part that the document has besides metadata (spec, data,
/// …).
nlohmann::json merged(const nlohmann::json& document, const std::optional<nlohmann::json>& live) {
    if (!live) return document;
    nlohmann::json object = *live;
    for (const auto& [part, value] : document.items()) {
        if (part != "metadata" && part != "status") object[part] = value;
    }
    return object;
}

}  // namespace

Planner::Planner(Parts parts) : parts_(parts), targets_(parts.registry, parts.surroundings, parts.client) {}

Task<std::optional<Installation>> Planner::installation() {
    const kube::Target target(types::kSecret, kube::ObjectKey(parts_.name_space, "atoll-installation"));
    const std::optional<kube::Object> secret = co_await parts_.client.find(target);
    if (!secret) co_return std::nullopt;
    const auto values = values_of(*secret);
    if (!values.contains("id") || !values.contains("key")) co_return std::nullopt;
    co_return Installation{values.at("id"), values.at("key")};
}

Task<std::vector<ObjectPlan>> Planner::plan(std::vector<nlohmann::json> documents, Instant deadline) {
    Session session{std::move(documents), std::nullopt, deadline, {}};
    std::optional<Installation> found = co_await installation();
    if (found) session.identity.emplace(std::move(*found));
    for (std::size_t i = 0; i < session.documents.size(); ++i) {
        const nlohmann::json document = session.documents[i];
        if (document["kind"] == "Cluster") {
            ObjectPlan planned = co_await plan_cluster(session, document);
            session.plans.push_back(std::move(planned));
        } else if (document["kind"] == "Stack") {
            co_await plan_stack(session, document);
        } else if (document["kind"] == "ServiceInstance") {
            const kube::ObjectKey stack_key(key_of(document).ns, document["spec"]["stackRef"].value("name", ""));
            const std::optional<nlohmann::json> stack = co_await present(session, types::kStack, stack_key);
            if (!stack)
                co_return invalid("StackMissing",
                                  "Stack \"" + stack_key.to_string() + "\" is neither in the files nor on the server");
            crds::Stack decoded = co_await crds::decode_stack(*stack);
            ObjectPlan planned = co_await plan_instance(session, document, std::move(decoded));
            session.plans.push_back(std::move(planned));
        }
    }
    co_return std::move(session.plans);
}

/// The object as it would stand after the apply: from the documents, else from the server.
Task<std::optional<nlohmann::json>> Planner::present(Session& session, kube::ResourceType type, kube::ObjectKey key) {
    const nlohmann::json* document = session.find(type.kind, key);
    const kube::Target target(type, key);
    const std::optional<kube::Object> live = co_await parts_.client.find(target);
    if (document == nullptr && !live) co_return std::nullopt;
    if (document == nullptr) co_return live->json();
    std::optional<nlohmann::json> server;
    if (live) server = live->json();
    co_return merged(*document, server);
}

Task<ObjectPlan> Planner::plan_cluster(Session& session, nlohmann::json document) {
    const kube::Target object(types::kCluster, key_of(document));
    const std::optional<kube::Object> found = co_await parts_.client.find(object);
    std::optional<nlohmann::json> live;
    if (found) live = found->json();
    ObjectPlan result = begin(document, live);
    const auto owner = session.owner_of(live, "Cluster");
    const crds::Cluster cluster = co_await crds::decode_cluster(merged(document, live));
    const crds::FieldErrors errors = crds::check(cluster.spec);
    if (!errors.empty()) co_return crds::to_error(errors);
    auto target = co_await targets_.open(cluster, owner.value_or(cloud::Owner{})).attempt();
    if (!target.ok()) {
        result.error = target.error();
        co_return result;
    }
    const Instant deadline = session.deadline;
    auto world = co_await target->driver->observe(target->owner, deadline).attempt();
    if (!world.ok()) {
        result.error = world.error();
        co_return result;
    }
    result.plan = cloud::diff(target->desired, *world, target->driver->kinds());
    co_return result;
}

Task<> Planner::plan_stack(Session& session, nlohmann::json document) {
    const kube::Target object(types::kStack, key_of(document));
    const std::optional<kube::Object> found = co_await parts_.client.find(object);
    std::optional<nlohmann::json> live;
    if (found) live = found->json();
    crds::Stack stack = co_await crds::decode_stack(merged(document, live));
    const crds::FieldErrors errors = crds::check(stack.spec);
    if (!errors.empty()) co_await fail(crds::to_error(errors));
    ObjectPlan result = begin(document, live);
    const cloud::Orchestrator* orchestrator = nullptr;
    const kube::ObjectKey cluster(stack.meta.name_space, stack.spec.cluster_ref.name);
    const auto endpoint = co_await endpoint_of(session, cluster, orchestrator).attempt();
    if (endpoint.ok()) {
        cloud::World world;
        const auto owner = session.owner_of(live, "Stack");
        auto driver = orchestrator->connect(*endpoint, parts_.surroundings);
        if (owner && !endpoint->engines.empty()) world = co_await driver->observe(*owner, session.deadline);
        result.plan = cloud::diff(orchestrator->shared(group_name(stack.meta), *endpoint), world, driver->kinds());
    } else {
        result.error = endpoint.error();
    }
    session.plans.push_back(std::move(result));
    for (const crds::Service* service : crds::instantiated_services(stack.spec)) {
        nlohmann::json instance = instance_object(stack, *service);
        ObjectPlan planned = co_await plan_instance(session, std::move(instance), stack);
        session.plans.push_back(std::move(planned));
    }
}

Task<ObjectPlan> Planner::plan_instance(Session& session, nlohmann::json document, crds::Stack stack) {
    const kube::Target object(types::kServiceInstance, key_of(document));
    const std::optional<kube::Object> found = co_await parts_.client.find(object);
    std::optional<nlohmann::json> live;
    if (found) {
        live = found->json();
        // What the document leaves open stays as it is.
        nlohmann::json spec = live->value("spec", nlohmann::json::object());
        spec.merge_patch(document["spec"]);
        document["spec"] = std::move(spec);
    }
    ObjectPlan result = begin(document, live);
    crds::ServiceInstance instance = co_await crds::decode_service_instance(merged(document, live));
    const crds::FieldErrors errors = crds::check(instance.spec, stack.spec);
    if (!errors.empty()) co_return crds::to_error(errors);
    auto planned = co_await plan_workloads(session, stack, instance, result).attempt();
    if (!planned.ok()) result.error = planned.error();
    co_return result;
}

Task<> Planner::plan_workloads(Session& session, const crds::Stack& stack, const crds::ServiceInstance& instance,
                               ObjectPlan& result) {
    const std::string cluster =
        instance.spec.cluster_ref ? instance.spec.cluster_ref->name : stack.spec.cluster_ref.name;
    const cloud::Orchestrator* orchestrator = nullptr;
    const kube::ObjectKey key(stack.meta.name_space, cluster);
    const cloud::Endpoint endpoint = co_await endpoint_of(session, key, orchestrator);
    Content content = co_await content_for(session, stack, instance);
    if (session.identity) content.hash_key = session.identity->installation().key;
    std::vector<cloud::Workload> workloads = co_await workloads_of(stack, instance, content);
    if (instance.spec.state == crds::RunState::Stopped) {
        for (cloud::Workload& workload : workloads) workload.replicas = 0;
    }
    const cloud::Desired desired = co_await orchestrator->translate(workloads, endpoint);
    auto driver = orchestrator->connect(endpoint, parts_.surroundings);
    const kube::Target object(types::kServiceInstance, result.key);
    const std::optional<kube::Object> live = co_await parts_.client.find(object);
    std::optional<nlohmann::json> server;
    if (live) server = live->json();
    cloud::World world;
    const auto owner = session.owner_of(server, "ServiceInstance");
    if (owner && !endpoint.engines.empty()) world = co_await driver->observe(*owner, session.deadline);
    result.plan = cloud::diff(desired, world, driver->kinds());
}

/// Where the Cluster's orchestrator is; without engines if the Cluster does not exist yet (everything is then new).
Task<cloud::Endpoint> Planner::endpoint_of(Session& session, const kube::ObjectKey& cluster,
                                           const cloud::Orchestrator*& orchestrator) {
    const std::optional<nlohmann::json> object = co_await present(session, types::kCluster, cluster);
    if (!object) {
        co_return Error::waiting("ClusterMissing",
                                 "Cluster \"" + cluster.to_string() + "\" is neither in the files nor on the server",
                                 std::chrono::minutes(1));
    }
    const auto owner = session.owner_of(object, "Cluster");
    const crds::Cluster decoded = co_await crds::decode_cluster(*object);
    Target target = co_await targets_.open(decoded, owner.value_or(cloud::Owner{}));
    orchestrator = target.orchestrator;
    if (!owner) co_return cloud::Endpoint{};
    const auto endpoint = co_await targets_.endpoint(target, session.deadline).attempt();
    co_return endpoint.ok() ? *endpoint : cloud::Endpoint{};
}

Task<Content> Planner::content_for(Session& session, const crds::Stack& stack, const crds::ServiceInstance& instance) {
    const ContentNames names = content_of(stack.spec, instance.spec);
    Content content;
    for (const auto& [type, wanted, into] : {std::tuple(types::kConfigMap, &names.config_maps, &content.config_maps),
                                             std::tuple(types::kSecret, &names.secrets, &content.secrets)}) {
        for (const std::string& name : *wanted) {
            const kube::ObjectKey key(stack.meta.name_space, name);
            const std::optional<nlohmann::json> object = co_await present(session, type, key);
            if (!object) continue;
            const auto parsed = kube::Object::from_json(*object);
            if (parsed.ok()) (*into)[name] = values_of(*parsed);
        }
    }
    co_return content;
}

}  // namespace atl::controllers
