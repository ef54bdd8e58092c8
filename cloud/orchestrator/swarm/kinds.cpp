#include "cloud/orchestrator/swarm/kinds.h"

namespace atl::cloud::swarm {

namespace {

// clang-format off
constexpr Field kNetworkFields[] = {{"driver", OnChange::Replace}, {"attachable", OnChange::Replace}};
constexpr Field kFileFields[]    = {{"content", OnChange::Replace}};
constexpr Field kVolumeFields[]  = {{"machine", OnChange::Ignore}};  // moving a volume would lose what it holds
constexpr Field kServiceFields[] = {{"content", OnChange::Ignore}, {"imagePullPolicy", OnChange::Ignore}};
constexpr Kind kKinds[] = {
    {kService, kServiceFields},
    {kNetwork, kNetworkFields},
    {kConfig,  kFileFields, false},
    {kSecret,  kFileFields, false},
    {kVolume,  kVolumeFields},
};
constexpr Collection kCollections[] = {
    {kNetwork, "/networks", "/networks/create", "Id", false},
    {kConfig,  "/configs",  "/configs/create",  "ID", true},
    {kSecret,  "/secrets",  "/secrets/create",  "ID", true},
};
// clang-format on

}  // namespace

std::span<const Kind> kinds() {
    return kKinds;
}

std::span<const Collection> collections() {
    return kCollections;
}

}  // namespace atl::cloud::swarm
