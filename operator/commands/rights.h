#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::commands {

/// One rule of what the operator may do with an API server; together they are its Role and ClusterRole
/// (https://kubernetes.io/docs/reference/access-authn-authz/rbac/).
struct Right {
    bool own_namespace = false;  ///< only in the operator's own namespace
    std::string_view group;      ///< "" is the core group
    std::vector<std::string_view> resources;
    std::vector<std::string_view> verbs;
    std::string_view why;
};

/// All that the operator needs, and nothing else.
std::span<const Right> rights();

/// The rights as YAML: `cluster`, the rules of the ClusterRole, and `own`, those of the Role in the operator's
/// namespace. The Helm chart carries this text.
std::string rights_text();

/// Prints rights_text().
int rbac();

}  // namespace atl::commands
