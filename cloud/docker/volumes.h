#pragma once

#include <string>

#include "cloud/docker/client.h"
#include "cloud/model.h"

namespace atl::cloud::docker {

/// Marks a volume that outlives its owner. It has been let go of from the start: never observed, never removed.
inline constexpr std::string_view kRetainLabel = "dev.atoll.retain";

/// Adds the owner's volumes in one engine's list (GET /volumes), with the kind by which the orchestrator calls them.
void add_volumes(World& world, const Json& list, const Observed& like, const Owner& owner);

/// Makes the volume, or finds it as ours; its name. Invalid (NameTaken), looked at again, if a
/// stranger has the name.
Task<std::string> create_volume(Client client, Owner owner, ResourceKey key, Instant deadline);
/// Removes it; one that is gone is success, one that is in use a Conflict.
Task<> remove_volume(Client client, std::string name, Instant deadline);

/// The mounts of a property `volumes`: [{volume, path, readOnly, retain}], where an empty volume is one of the
/// container's own. `kind` names the resource that the volume is.
Json mounts_for(const Json& volumes, const Owner& owner, const std::string& kind);

/// Asks the engine about each volume among the mounts (see mounts_for) that outlives its owner: one of its name that is
/// there is ours, or an earlier object's of the owner's name. Invalid (NameTaken), looked at again, if it is a
/// stranger's: the engine would mount it without a question.
Task<> check_lasting_volumes(Client client, Owner owner, Json mounts, Instant deadline);

/// Takes a network that an earlier object of the owner's name let go of and that nothing uses out of the way: it holds
/// no data. `found` is the engine's view of it. An Invalid error (NameTaken) if it is a stranger's, or is used.
Task<> give_way(Client client, Owner owner, Json found, Instant deadline);

/// Somebody else's thing has the name that ours would have.
Error name_taken(const std::string& name);

}  // namespace atl::cloud::docker
