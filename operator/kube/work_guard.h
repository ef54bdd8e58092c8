#pragma once

#include "operator/kube/object.h"

namespace atl::kube {

/// What a process that is one of several may do at this moment. Both answers are by its own monotonic clock alone, so
/// that they hold for a process that was stopped and goes on later.
class WorkGuard {
public:
    virtual ~WorkGuard() = default;
    /// Whether a pass of the object may begin here.
    virtual bool covers(const ObjectKey& key) const = 0;
    /// Whether anything may be written. To be asked right before each external write.
    virtual bool may_write() const = 0;
};

}  // namespace atl::kube
