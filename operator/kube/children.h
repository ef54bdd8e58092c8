#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/task.h"
#include "operator/kube/caches.h"
#include "operator/kube/client.h"
#include "operator/kube/pass.h"

namespace atl::kube {

/// Writes objects that belong to others: by server-side apply with the owner's controller reference, and never over a
/// stranger's object of the same name.
///
/// An apply equal to the last one, of a child that nobody has changed since, costs no request. What it remembers for
/// that is a shortcut only: lost with the process, and checked against the cache.
class Children {
public:
    /// manager: the fixed field manager ("atoll-stack").
    Children(Client& client, Caches& caches, std::string manager);

    /// Makes the child as given (full intent: what an earlier apply set and this one does not is removed). apiVersion,
    /// kind and the owner reference are added; metadata.name must be there; the namespace is the owner's. A child of
    /// that name that the owner does not own is a Conflict (reason NameTaken); one that is being deleted is Waiting
    /// (reason ChildBeingDeleted). Labels and annotations of the owner are not copied.
    Task<Object> apply(Pass& owner, ResourceType type, const nlohmann::json& child);
    /// Removes the child if the owner owns it, bound to its uid. True once it is gone.
    Task<bool> remove(Pass& owner, ResourceType type, std::string name);
    /// What the owner owns of a type, as last seen.
    std::vector<Object> of(const Pass& owner, const ResourceType& type);

private:
    struct Applied {
        std::size_t intent;
        Object result;
    };
    Task<std::optional<Object>> present(Pass& owner, Target target);
    Task<Object> send(Target target, const nlohmann::json& intent);

    Client& client_;
    Caches& caches_;
    std::string manager_;
    std::map<std::string, Applied> applied_;  ///< by uid of the child
};

}  // namespace atl::kube
