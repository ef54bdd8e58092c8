#pragma once

#include <string>

#include "operator/base/task.h"
#include "operator/kube/client.h"
#include "operator/kube/pass.h"

namespace atl::kube {

/// Our promise, on the object, to clean up: written before the first external call, taken off after the last.
class Finalizers {
public:
    /// name: "<domain>/<kind>", e.g. "atoll.dev/cluster".
    Finalizers(Client& client, std::string name) : client_(client), name_(std::move(name)) {}

    bool is_on(const Object& object) const { return object.meta().has_finalizer(name_); }
    /// Puts the finalizer on, with the annotations (the owner id) in the same write; nothing if it is on already. Bound
    /// to the version that the pass saw: a Conflict if somebody was faster. An object that is being deleted gets no
    /// finalizer: a Conflict (reason BeingDeleted).
    Task<> ensure(Pass& pass, StringMap annotations = {});
    /// Takes the finalizer off, bound to the version that the pass saw, and finishes the pass. An object without it,
    /// or that is gone, is well.
    Task<> release(Pass& pass);

private:
    Client& client_;
    std::string name_;
};

}  // namespace atl::kube
