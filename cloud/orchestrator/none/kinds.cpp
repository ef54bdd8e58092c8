#include "cloud/orchestrator/none/kinds.h"

namespace atl::cloud::none {

namespace {

// A container cannot be changed: what is not named here replaces it too, see the list of properties in translate.cpp.
// clang-format off
constexpr Field kContainerFields[] = {
    {"state",            OnChange::Update},
    {"removeBefore",     OnChange::Ignore},
    {"imagePullPolicy",  OnChange::Ignore},
    {"image",            OnChange::Replace},
    {"command",          OnChange::Replace},
    {"args",             OnChange::Replace},
    {"env",              OnChange::Replace},
    {"workingDir",       OnChange::Replace},
    {"init",             OnChange::Replace},
    {"stopGraceSeconds", OnChange::Replace},
    {"limits",           OnChange::Replace},
    {"healthCheck",      OnChange::Replace},
    {"files",            OnChange::Replace},
    {"volumes",          OnChange::Replace},
    {"network",          OnChange::Replace},
    {"ports",            OnChange::Replace},
    {"machine",          OnChange::Replace},
    {"content",          OnChange::Replace},
};
constexpr Field kNetworkFields[] = {{"machine", OnChange::Replace}};
constexpr Field kVolumeFields[]  = {{"machine", OnChange::Ignore}};  // moving a volume would lose what it holds
constexpr Kind kKinds[] = {
    {kContainer, kContainerFields},
    {kNetwork,   kNetworkFields},
    {kVolume,    kVolumeFields},
};
// clang-format on

}  // namespace

std::span<const Kind> kinds() {
    return kKinds;
}

}  // namespace atl::cloud::none
