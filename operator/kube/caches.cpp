#include "operator/kube/caches.h"

#include <algorithm>

namespace atl::kube {

Caches::Caches(Client& client, Random& random, Spawner& spawner, Log log, Reflector::Options options)
    : client_(client), random_(random), spawner_(spawner), log_(std::move(log)), options_(options) {}

Cache& Caches::of(const Scope& scope) {
    auto& entry = entries_[scope];
    if (!entry) {
        entry = std::make_unique<Entry>(scope);
        entry->reflector = std::make_unique<Reflector>(client_, random_, log_, entry->cache, options_);
        spawner_.start("reflector of " + scope.type.to_string(), entry->reflector->run());
    }
    return entry->cache;
}

bool Caches::synced() const {
    for (const auto& [scope, entry] : entries_) {
        if (!entry->cache.synced()) return false;
    }
    return true;
}

bool Caches::refused() const {
    return std::ranges::any_of(entries_, [](const auto& entry) {
        const ReflectorState state = entry.second->reflector->state();
        return state == ReflectorState::Forbidden || state == ReflectorState::NoSuchType;
    });
}

std::string Caches::trouble() const {
    std::string all;
    for (const auto& [scope, entry] : entries_) {
        const ReflectorState state = entry->reflector->state();
        if (state == ReflectorState::Watching) continue;
        if (!all.empty()) all += "; ";
        all += scope.type.to_string() + ": " + std::string(to_string(state));
        if (!entry->reflector->trouble().empty()) all += ", " + entry->reflector->trouble();
    }
    return all;
}

}  // namespace atl::kube
