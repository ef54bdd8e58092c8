#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/files.h"

namespace atl::commands {

/// The objects of manifest files; of a folder, those of its .yaml, .yml and .json files by name. Ours are checked
/// against their schema and completed with its defaults, as the API server would; those without a namespace go to
/// "default". Errors: file, line, object, field.
Result<std::vector<nlohmann::json>> read_manifests(Files& files, const std::vector<std::string>& paths);

}  // namespace atl::commands
