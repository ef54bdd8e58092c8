#pragma once

#include <functional>
#include <utility>

#include "operator/base/task.h"
#include "operator/kube/pass.h"
#include "operator/kube/recheck.h"

namespace atl::kube {

/// Knows one type of objects, and what to do about one of them. Remembers nothing between passes; may be cut off at
/// any await, and is then simply called again.
///
/// Errors that end a pass become conditions, events, metrics and the time of the next pass by their class (style: one
/// table decides). Waiting is such a class: `co_await fail(Error::waiting(...))` ends the pass at once.
class Reconciler {
public:
    virtual ~Reconciler() = default;
    /// One pass. Awaits only API calls; cut off at pass.deadline().
    virtual Task<Recheck> run(Pass& pass) = 0;
};

/// A Reconciler of a typed object. `decode` reads it (an error of class Invalid, reason InvalidSpec, makes the object
/// Stalled and costs nothing else).
///
///     class ClusterReconciler : public TypedReconciler<crds::Cluster> {
///         ClusterReconciler() : TypedReconciler([](const Object& object) { return crds::decode_cluster(...); }) {}
///         Task<Recheck> reconcile(crds::Cluster& cluster, Pass& pass) override;
///     };
template <class T>
class TypedReconciler : public Reconciler {
public:
    using Decode = std::function<Result<T>(const Object&)>;
    explicit TypedReconciler(Decode decode) : decode_(std::move(decode)) {}

    virtual Task<Recheck> reconcile(T& object, Pass& pass) = 0;
    Task<Recheck> run(Pass& pass) final {
        T object = co_await decode_(pass.object());
        Recheck recheck = co_await reconcile(object, pass);
        co_return recheck;
    }

private:
    Decode decode_;
};

}  // namespace atl::kube
