#pragma once

#include "operator/apiserver/internal_writer.h"
#include "operator/apiserver/owner_graph.h"

namespace atl::apiserver {

/// Deletes what nobody owns any more, as Kubernetes' garbage collector does.
///
/// An object whose owners are all gone is deleted; if some are left, the references to the others go. A Foreground
/// deletion waits until no dependent that blocks it is left; an Orphan deletion takes itself out of its dependents
/// first. An owner of a kind that is not served is taken for present. Works from the store's changes: at rest it does
/// nothing.
class GarbageCollector {
public:
    explicit GarbageCollector(Serving& serving) : serving_(serving), writer_(serving) {}

    /// Reads all there is. Errors: of the store.
    Result<Unit> load();
    /// Takes in what was committed.
    void take_in(const std::vector<Change>& changes);
    /// Runs until it is dropped.
    Task<> collect();

private:
    enum class Owner { Solid, Absent, Waiting };

    Task<> touched();
    Task<> examine(std::string uid);
    Task<> finish_foreground(OwnedObject object);
    Task<> orphan_dependents(OwnedObject object);
    Task<> judge(OwnedObject object);
    Task<> drop_references(OwnedObject object, std::set<std::string> uids);
    Owner state_of(const OwnedObject& dependent, const OwnerReference& owner) const;
    TypePtr type_of(const Key& key) const;

    Serving& serving_;
    InternalWriter writer_;
    OwnerGraph graph_;
    std::optional<Callback<Unit>> waiting_;
    bool has_touched_ = false;
};

}  // namespace atl::apiserver
