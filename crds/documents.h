#pragma once

namespace atl::crds {

/// The texts of crds/*.yaml, which the build puts into the binary. Read them through definitions.h.
extern const char* const kClusterYaml;
extern const char* const kStackYaml;
extern const char* const kServiceInstanceYaml;
extern const char* const kMachineYaml;
extern const char* const kDeletionProtectionYaml;
extern const char* const kDestroyYaml;

}  // namespace atl::crds
