#pragma once

#include "operator/kube/object.h"

namespace atl::controllers {

/// The types of objects that our controllers read and write.
namespace types {
inline const kube::ResourceType kCluster{"atoll.dev", "v1alpha1", "clusters", "Cluster", true};
inline const kube::ResourceType kStack{"atoll.dev", "v1alpha1", "stacks", "Stack", true};
inline const kube::ResourceType kServiceInstance{"atoll.dev", "v1alpha1", "serviceinstances", "ServiceInstance", true};
inline const kube::ResourceType kMachine{"atoll.dev", "v1alpha1", "machines", "Machine", true};
inline const kube::ResourceType kSecret{"", "v1", "secrets", "Secret", true};
inline const kube::ResourceType kConfigMap{"", "v1", "configmaps", "ConfigMap", true};
}  // namespace types

/// Annotations and labels that we write or read.
namespace marks {
inline constexpr const char* kOwnerId = "atoll.dev/owner-id";    ///< annotation: see Identity
inline constexpr const char* kPlacedOn = "atoll.dev/placed-on";  ///< annotation of a ServiceInstance: its Cluster
inline constexpr const char* kAbandon = "atoll.dev/abandon";     ///< annotation of a person: let go without cleaning up
inline constexpr const char* kMove = "atoll.dev/move";           ///< annotation: hands off, `atoll move` is under way
inline constexpr const char* kStack = "atoll.dev/stack";         ///< label of a ServiceInstance that a Stack made
inline constexpr const char* kService = "atoll.dev/service";     ///< label: the Stack's service
inline constexpr const char* kInstance = "atoll.dev/instance";   ///< label, also of the scale subresource's selector
inline constexpr const char* kCluster = "atoll.dev/cluster";     ///< label of a Machine
inline constexpr const char* kJournal = "atoll.dev/journal";     ///< label of a journal's Secret
}  // namespace marks

}  // namespace atl::controllers
