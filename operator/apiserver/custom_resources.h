#pragma once

#include <vector>

#include "operator/apiserver/registry.h"

namespace atl::apiserver {

/// Fills in a CustomResourceDefinition: defaults of names, conditions NamesAccepted and Established (at once: there is
/// no controller to wait for), acceptedNames, storedVersions. Names that another definition of the group has are not
/// accepted.
void prepare_definition(nlohmann::json& definition, const nlohmann::json* old, WallTime now, const Registry& registry);

/// What is wrong with a definition: names, versions, schemas, rules that do not compile, columns.
schema::FieldErrors validate_definition(const nlohmann::json& definition, const nlohmann::json* old);

/// The resources that a valid definition makes, one for each served version; none if its names are not accepted.
std::vector<ResourceType> types_of_definition(const nlohmann::json& definition);

/// The finalizer that keeps a definition until its objects are gone.
inline constexpr const char* kCleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";
/// Key::resource of definitions.
inline constexpr const char* kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

}  // namespace atl::apiserver
