#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/api_error.h"
#include "operator/apiserver/store.h"
#include "operator/base/clock.h"
#include "operator/schema/crd_schema.h"
#include "operator/schema/object_meta.h"

namespace atl::apiserver {

/// Where a custom resource keeps what its scale subresource shows; paths as in the CRD (".spec.replicas").
struct ScalePaths {
    std::string spec_replicas;
    std::string status_replicas;
    std::string label_selector;  ///< may be empty
};

/// How a kind differs from the plain case. Functions may be empty.
struct Behaviour {
    /// Fills in what the server sets. `old` is null for a create.
    std::function<void(nlohmann::json& object, const nlohmann::json* old, WallTime now)> prepare;
    /// What the schema cannot say.
    std::function<schema::FieldErrors(const nlohmann::json& object, const nlohmann::json* old)> validate;
    /// From another version of the same storage into this one, and back (by apiVersion).
    std::function<void(nlohmann::json& object, const std::string& api_version)> convert;
    /// Table columns and the cells of one row.
    std::function<nlohmann::json()> columns;
    std::function<nlohmann::json(const nlohmann::json& object, WallTime now)> cells;
    /// Fields that a field selector may ask for besides metadata.name and metadata.namespace.
    std::vector<std::string> selectable;
    schema::NameRule name_rule = schema::NameRule::DnsSubdomain;
    /// Whether metadata.generation is kept.
    bool has_generation = false;
    /// Whether an update may come without a resourceVersion.
    bool allows_unconditional_update = true;
    /// Whether the strategic merge patch is understood.
    bool allows_strategic_patch = true;
    /// Whether an update of what does not exist creates it.
    bool allows_create_on_update = false;
};

/// One resource of one version, as it is served. Shared and immutable; a CRD that changes makes a new one.
struct ResourceType {
    std::string group;
    std::string version;
    std::string plural;
    std::string singular;
    std::string kind;
    std::string list_kind;
    bool namespaced = true;
    std::vector<std::string> short_names;
    std::vector<std::string> categories;
    std::vector<std::string> verbs;
    bool has_status = false;
    std::optional<ScalePaths> scale;
    std::string storage;              ///< Key::resource
    std::string storage_api_version;  ///< of the texts in the store
    schema::CrdSchema schema = schema::CrdSchema::preserving();
    std::shared_ptr<const nlohmann::json> open_api;  ///< the schema as the documents show it; null for built-in kinds
    Behaviour behaviour;
    std::string crd;           ///< name of the CustomResourceDefinition, empty for built-in kinds
    std::string deprecation;   ///< the text of a Warning header, if the version is deprecated
    Revision defined_at = 0;   ///< what was stored earlier may lack defaults that the schema has now
    bool terminating = false;  ///< its CRD is being deleted: no creates

    std::string api_version() const;
    bool is_custom() const { return !crd.empty(); }
    Subject subject(const std::string& name) const { return {group, plural, name}; }
    schema::StatusSubject kind_subject(const std::string& name) const { return {group, kind, name}; }
    bool has_verb(std::string_view verb) const;
};

using TypePtr = std::shared_ptr<const ResourceType>;

/// The object, parsed, in the version of the type and with the defaults that its schema has now.
nlohmann::json read_object(const ResourceType& type, const std::string& text);
/// Whether a text from the store is already what read_text gives: of the type's version, and written since its schema
/// has been as it is. Made once for many texts.
class CurrentText {
public:
    explicit CurrentText(const ResourceType& type);
    bool operator()(const std::string& text) const;

private:
    std::string start_;
    Revision defined_at_;
};
/// The same as text, parsed only where it must be.
std::string read_text(const ResourceType& type, const std::string& text);
/// Brings an object of the type's version into that of the store.
void to_storage(const ResourceType& type, nlohmann::json& object);

}  // namespace atl::apiserver
