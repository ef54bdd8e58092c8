#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/api_request.h"
#include "operator/apiserver/store.h"
#include "operator/apiserver/watch_cache.h"

namespace atl::apiserver {

/// One rule of a Role or ClusterRole.
struct PolicyRule {
    std::vector<std::string> verbs;
    std::vector<std::string> groups;
    std::vector<std::string> resources;
    std::vector<std::string> names;
    std::vector<std::string> urls;

    static PolicyRule of(const nlohmann::json& rule);
    nlohmann::json json() const;
};

/// What somebody wants to do.
struct Attributes {
    std::string verb;
    bool is_resource = true;
    std::string group;
    std::string plural;
    std::string subresource;
    std::string ns;
    std::string name;
    std::string path;  ///< if it is no resource

    static Attributes of(const ApiRequest& request);
};

/// RBAC over the Roles, ClusterRoles and bindings in the store. The group system:masters may do everything. A
/// ClusterRole with an aggregationRule has the rules of those that it selects.
class Authorizer {
public:
    Authorizer(Store& store, const WatchCache& watches) : store_(store), watches_(watches) {}

    /// Whether the user may. Errors: only if the store fails.
    Result<bool> allows(const User& user, const Attributes& wanted);
    /// The rules that hold for the user in a namespace ("" for none).
    Result<std::vector<PolicyRule>> rules_for(const User& user, const std::string& ns);
    /// Whether the user has everything that the rules give, in a namespace.
    Result<bool> covers(const User& user, const std::string& ns, const std::vector<PolicyRule>& rules);
    /// The rules of a role, empty if it does not exist.
    Result<std::vector<PolicyRule>> rules_of(const std::string& kind, const std::string& ns, const std::string& name);

private:
    struct Binding {
        std::string ns;  ///< empty: everywhere
        std::string role_kind;
        std::string role_name;
        std::vector<std::pair<std::string, std::string>> subjects;  ///< kind (User, Group), name
    };
    struct Snapshot {
        std::map<std::string, std::vector<PolicyRule>> roles;  ///< "ns/name", "/name" for a ClusterRole
        std::vector<Binding> bindings;
    };
    Result<Unit> refresh();
    Result<Unit> read_roles(Snapshot& snapshot);
    Result<Unit> read_bindings(Snapshot& snapshot);
    Revision last_change() const;

    Store& store_;
    const WatchCache& watches_;
    Snapshot snapshot_;
    Revision read_at_ = -1;
};

/// 403 in Kubernetes' words.
Error denied(const User& user, const Attributes& wanted);

}  // namespace atl::apiserver
