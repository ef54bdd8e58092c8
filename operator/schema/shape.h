#pragma once

#include <string>
#include <vector>

#include "operator/schema/structural.h"

namespace atl::schema {

/// Removes nulls that the schema neither allows nor has a default for, then sets defaults where fields are missing or
/// null. What kube-apiserver does with every object that comes in.
void apply_defaults(Json& value, const Structural& node);

/// Removes what the schema does not declare; paths of what is gone, sorted.
std::vector<std::string> prune(Json& value, const Structural& node);

}  // namespace atl::schema
