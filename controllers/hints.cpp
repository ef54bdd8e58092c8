#include "controllers/hints.h"

namespace atl::controllers {

namespace {

std::string engines_of(const cloud::Endpoint& endpoint) {
    std::string text;
    for (const cloud::Endpoint::Engine& engine : endpoint.engines) text += engine.where.to_string() + " ";
    return text;
}

}  // namespace

void Hints::attend(const cloud::Owner& owner, const std::string& cluster, const cloud::Orchestrator& orchestrator,
                   const cloud::Endpoint& endpoint) {
    owners_[owner.id] = owner;
    Followed& followed = clusters_[cluster];
    followed.owners.insert(owner.id);
    const std::string engines = engines_of(endpoint);
    if (followed.job != 0 && followed.engines == engines) return;
    if (followed.job != 0) spawner_.cancel(followed.job);
    followed.engines = engines;
    std::function<void(const cloud::Hint&)> on_hint = [this](const cloud::Hint& hint) { receive(hint); };
    followed.job = spawner_.start("hints", orchestrator.follow(endpoint, surroundings_, std::move(on_hint)));
}

void Hints::leave(const std::string& owner) {
    owners_.erase(owner);
    for (auto cluster = clusters_.begin(); cluster != clusters_.end();) {
        cluster->second.owners.erase(owner);
        const bool last = cluster->second.owners.empty();
        if (last) spawner_.cancel(cluster->second.job);
        cluster = last ? clusters_.erase(cluster) : std::next(cluster);
    }
}

void Hints::receive(const cloud::Hint& hint) {
    const auto owner = owners_.find(hint.owner);
    if (owner == owners_.end() || owner->second.installation != hint.installation || !wake_) return;
    wake_(kube::ObjectKey(owner->second.name_space, owner->second.name));
}

}  // namespace atl::controllers
