#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/files.h"

namespace atl::commands {

/// What stands in manifest files.
struct Manifests {
    std::vector<nlohmann::json> objects;  ///< of our kinds, ConfigMaps and Secrets, in the order of the files
    std::vector<std::string> others;      ///< objects that were passed over: `Deployment "x" (shop.yaml, line 3)`
};

/// The objects of manifest files; of a folder, those of its .yaml, .yml and .json files by name; of "-", those of
/// standard input. They are checked and completed as the API server would (ManifestCheck). Errors are one line with
/// file, line, object and field: something that cannot be read, a faulty object, one that comes twice, or no object at
/// all.
Result<Manifests> read_manifests(Files& files, const std::vector<std::string>& paths);

}  // namespace atl::commands
