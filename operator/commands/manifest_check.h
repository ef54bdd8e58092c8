#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/result.h"
#include "operator/schema/crd_schema.h"

namespace atl::commands {

/// Looks at objects of manifests as the API server would, without one: types, metadata, schema, rules.
class ManifestCheck {
public:
    ManifestCheck();

    /// What the API server would say of an object of our kinds, of a ConfigMap or of a Secret; completes it with the
    /// schema's defaults and the namespace "default". Of other kinds only apiVersion, kind and metadata.name are looked
    /// at. Errors (Invalid) name object, field, value and what is allowed; the values of a Secret are never in them.
    Result<Unit> complete(nlohmann::json& object) const;

    /// Whether the object is one that `atoll plan` reads: ours, a ConfigMap or a Secret.
    static bool is_read(const nlohmann::json& object);

private:
    std::map<std::string, schema::CrdSchema> schemas_;  ///< of our kinds, by name
};

/// `Stack "shop"`: an object as messages name it. It has a kind and a name.
std::string name_of(const nlohmann::json& object);

}  // namespace atl::commands
