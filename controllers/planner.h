#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "cloud/orchestrator.h"
#include "controllers/content.h"
#include "controllers/identity.h"
#include "controllers/targets.h"
#include "crds/service_instance.h"
#include "crds/stack.h"
#include "operator/kube/client.h"

namespace atl::controllers {

/// What would happen for one object, if it became what the manifest says.
struct ObjectPlan {
    std::string kind;
    kube::ObjectKey key;
    bool exists = false;               ///< the object is on the API server already
    std::vector<std::string> changed;  ///< paths in its spec that would change, if it exists
    cloud::Plan plan;
    std::optional<Error> error;  ///< why it cannot be planned, or what it waits for
};

/// Says what an apply of manifests would change, by the same functions that the controllers act by; only reads.
class Planner {
public:
    struct Parts {
        kube::Client& client;
        const cloud::Registry& registry;
        cloud::Surroundings surroundings;
        std::string name_space;  ///< of the operator: holds the installation's Secret
    };
    explicit Planner(Parts parts);

    /// One plan an object, in the order of the documents; a Stack's ServiceInstances follow it. Objects of other kinds
    /// are looked at for references only.
    Task<std::vector<ObjectPlan>> plan(std::vector<nlohmann::json> documents, Instant deadline);

private:
    struct Session;
    Task<std::optional<Installation>> installation();
    Task<std::optional<nlohmann::json>> present(Session& session, kube::ResourceType type, kube::ObjectKey key);
    Task<ObjectPlan> plan_cluster(Session& session, nlohmann::json document);
    Task<> plan_stack(Session& session, nlohmann::json document);
    Task<ObjectPlan> plan_instance(Session& session, nlohmann::json document, crds::Stack stack);
    Task<> plan_workloads(Session& session, const crds::Stack& stack, const crds::ServiceInstance& instance,
                          ObjectPlan& result);
    Task<cloud::Endpoint> endpoint_of(Session& session, const kube::ObjectKey& cluster,
                                      const cloud::Orchestrator*& orchestrator);
    Task<Content> content_for(Session& session, const crds::Stack& stack, const crds::ServiceInstance& instance);

    Parts parts_;
    Targets targets_;
};

/// Paths that differ between two trees, at most 20: "spec.services[0].container.image".
std::vector<std::string> differing_paths(const nlohmann::json& before, const nlohmann::json& after,
                                         const std::string& root);

/// The plan as people read it: one line an item with its sign (+ ~ -/+ -), the fields that differ, and the counts at
/// the end.
std::string plan_text(const std::vector<ObjectPlan>& plans);
/// Whether anything would change.
bool has_changes(const std::vector<ObjectPlan>& plans);

}  // namespace atl::controllers
