#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "operator/schema/openapi.h"

namespace atl::schema {

/// {"$ref": "#/components/schemas/NAME"}.
nlohmann::json schema_reference(const std::string& name);

/// The schema's name of a type of meta/v1: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta".
std::string meta_name(const std::string& type);

/// The schema's name of a kind: "dev.atoll.v1alpha1.Stack", "io.k8s.api.core.v1.Secret".
std::string schema_name(const ServedKind& kind, const std::string& type);

/// Puts ObjectMeta, ListMeta, Status, DeleteOptions, Patch and what they refer to into `schemas`.
void add_meta_schemas(nlohmann::json& schemas);

/// autoscaling/v1 Scale.
void add_scale_schema(nlohmann::json& schemas);

/// The paths of a kind, with their operations.
void add_paths(const ServedKind& kind, nlohmann::json& paths);

/// The descriptions of apiVersion and kind, the same everywhere.
nlohmann::json type_meta_properties();

}  // namespace atl::schema
