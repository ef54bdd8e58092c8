#pragma once

namespace atl::crds {

/// The texts of crds/*.yaml, which the build puts into the binary. Read them through definitions.h.
extern const char* const k_cluster_yaml;
extern const char* const k_stack_yaml;
extern const char* const k_service_instance_yaml;
extern const char* const k_machine_yaml;
extern const char* const k_deletion_protection_yaml;

}  // namespace atl::crds
