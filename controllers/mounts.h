#pragma once

#include <string>
#include <vector>

#include "cloud/workload.h"
#include "controllers/content.h"
#include "operator/base/result.h"

namespace atl::controllers {

/// Where mounts are looked up.
struct MountSource {
    const crds::StackSpec& stack;
    const std::string& instance;  ///< name of the ServiceInstance: its volumes are its own
    const Content& content;
};

/// The files and volumes that a container sees, in the order of their paths.
struct Mounts {
    std::vector<cloud::FileMount> files;
    std::vector<cloud::VolumeMount> volumes;
};

/// Resolves volumeMounts: ConfigMaps and Secrets become files (one a key, or the named items; a subPath is one file at
/// mountPath), persistent and emptyDir become volumes. Waiting (ContentMissing) for what is not there. Pure.
Result<Mounts> mounts_of(const crds::Container& container, const MountSource& source);

}  // namespace atl::controllers
