#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace atl::schema {

/// A served kind, as the OpenAPI documents describe it.
struct ServedKind {
    std::string group;  ///< "" for the core group
    std::string version;
    std::string kind;       ///< "Stack"
    std::string list_kind;  ///< "StackList"
    std::string plural;     ///< "stacks"
    bool namespaced = true;
    bool has_status = false;
    bool has_scale = false;
    /// openAPIV3Schema of a custom resource, or of built_in_schema().
    nlohmann::json schema;
    std::string description;  ///< of the kind, when the schema has none at its root
};

/// The OpenAPI v3 document of one group version (/openapi/v3/apis/GROUP/VERSION, /openapi/v3/api/v1):
/// components.schemas with x-kubernetes-group-version-kind, ObjectMeta, ListMeta, Status, DeleteOptions, Patch; paths
/// with x-kubernetes-action and x-kubernetes-group-version-kind, which is what kubectl explain, apply and client-side
/// checks read.
nlohmann::json openapi_v3_document(const std::vector<ServedKind>& kinds);

/// /openapi/v2: a document without schemas, which is all that clients of v3 ask of it. kubectl before it checks the
/// items of a List loads it, as protobuf (gnostic's openapi.v2.Document), and lets pass what it does not find there.
nlohmann::json openapi_v2_document();
std::string openapi_v2_protobuf();

/// The index at /openapi/v3: {"paths": {"apis/atoll.dev/v1alpha1": {"serverRelativeURL":
/// "/openapi/v3/apis/…?hash=…"}}}. `hashes`: group version path ("api/v1", "apis/atoll.dev/v1alpha1") and the hash of
/// its document.
nlohmann::json openapi_v3_index(const std::vector<std::pair<std::string, std::string>>& hashes);

}  // namespace atl::schema
