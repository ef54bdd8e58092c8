#pragma once

#include "operator/apiserver/internal_writer.h"

namespace atl::apiserver {

/// Creates what every server has, where it is missing: the namespaces default and kube-system, and the ClusterRoles
/// cluster-admin, admin, edit, view, system:discovery and system:basic-user with their bindings. Objects that are there
/// stay as they are.
Task<> bootstrap(Serving& serving);

}  // namespace atl::apiserver
