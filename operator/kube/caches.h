#pragma once

#include <map>
#include <memory>
#include <string>

#include "operator/base/spawner.h"
#include "operator/kube/cache.h"
#include "operator/kube/reflector.h"

namespace atl::kube {

/// The caches of a process, one a scope, shared by all controllers. Each is kept by a reflector of its own, which is
/// started with the first call of `of`.
class Caches {
public:
    Caches(Client& client, Random& random, Spawner& spawner, Log log, Reflector::Options options = {});

    /// The cache of the scope; starts to follow it.
    Cache& of(const Scope& scope);
    Cache& of(const ResourceType& type) { return of(Scope(type)); }
    /// Whether all have their first list.
    bool synced() const;
    /// What is wrong, one sentence a cache; empty if all follow the server. For /readyz.
    std::string trouble() const;
    /// Whether the server refuses one of them (rights, or a type that it does not know): a person must act. The cache
    /// keeps its last state meanwhile.
    bool refused() const;

private:
    struct Entry {
        explicit Entry(const Scope& scope) : cache(scope) {}
        Cache cache;
        std::unique_ptr<Reflector> reflector;
    };
    Client& client_;
    Random& random_;
    Spawner& spawner_;
    Log log_;
    Reflector::Options options_;
    std::map<Scope, std::unique_ptr<Entry>> entries_;
};

}  // namespace atl::kube
