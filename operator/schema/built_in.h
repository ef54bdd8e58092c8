#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "operator/schema/crd_schema.h"
#include "operator/schema/openapi.h"

namespace atl::schema {

/// One kind that the server knows without a CRD.
struct BuiltInKind {
    std::string group;
    std::string version;
    std::string kind;
    std::string plural;
    std::string singular;
    std::vector<std::string> short_names;
    bool namespaced = true;
    bool has_status = false;
};

/// Namespace, Secret, ConfigMap, Event, ServiceAccount (v1); Event (events.k8s.io/v1); Lease (coordination.k8s.io/v1);
/// CustomResourceDefinition (apiextensions.k8s.io/v1); ValidatingAdmissionPolicy and its binding
/// (admissionregistration.k8s.io/v1); Role, ClusterRole, RoleBinding, ClusterRoleBinding
/// (rbac.authorization.k8s.io/v1).
std::span<const BuiltInKind> built_in_kinds();

/// The compiled schema of a built-in kind, nullptr if it is none of ours. Compiled once, lives as long as the process.
/// Its types, list types and defaults are those of the real kind; rules in words (names, immutability) are not in it.
const CrdSchema* find_built_in_schema(std::string_view group, std::string_view version, std::string_view kind);

/// The same as served kinds for openapi_v3_document, of one group version.
std::vector<ServedKind> built_in_served_kinds(std::string_view group, std::string_view version);

/// The OpenAPI schema of ObjectMeta, as JSON.
const Json& object_meta_definition();

/// The schema of ObjectMeta, which is that of every kind's metadata.
const CrdSchema& object_meta_schema();

}  // namespace atl::schema
