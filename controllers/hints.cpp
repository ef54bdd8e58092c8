#include "controllers/hints.h"

#include <algorithm>
#include <utility>

#include "operator/base/root_task.h"

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
    if (stopped_) return;
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
    earned_at_.erase(owner);
    const auto looks = looks_.find(owner);
    if (looks != looks_.end()) {
        spawner_.cancel(looks->second.job);
        looks_.erase(looks);
    }
    for (auto cluster = clusters_.begin(); cluster != clusters_.end();) {
        cluster->second.owners.erase(owner);
        const bool last = cluster->second.owners.empty();
        if (last) spawner_.cancel(cluster->second.job);
        cluster = last ? clusters_.erase(cluster) : std::next(cluster);
    }
}

void Hints::stop() {
    stopped_ = true;
    for (const auto& [owner, looks] : looks_) spawner_.cancel(looks.job);
    for (const auto& [cluster, followed] : clusters_) spawner_.cancel(followed.job);
    looks_.clear();
    clusters_.clear();
    owners_.clear();
}

void Hints::receive(const cloud::Hint& hint) {
    const auto owner = owners_.find(hint.owner);
    if (owner == owners_.end() || owner->second.installation != hint.installation) return;
    const auto [looks, is_first] = looks_.try_emplace(hint.owner);
    looks->second.renewed = !is_first;
    if (!is_first) return;
    if (until_allowed(hint.owner) == Duration::zero()) wake(hint.owner);
    looks->second.job = spawner_.start("looks after a hint", look_again(hint.owner));
}

Task<> Hints::look_again(std::string owner) {
    std::size_t next = 0;
    while (next < kLooks.size()) {
        const Duration pause = std::max(kLooks[next], until_allowed(owner));
        co_await sleep_for(surroundings_.clock, pause);
        const auto looks = looks_.find(owner);
        if (looks == looks_.end()) co_return;  // it has left a moment ago
        next = std::exchange(looks->second.renewed, false) ? 0 : next + 1;
        wake(owner);
    }
    looks_.erase(owner);
}

Duration Hints::until_allowed(const std::string& owner) const {
    const auto earned = earned_at_.find(owner);
    if (earned == earned_at_.end()) return Duration::zero();
    return std::max(Duration::zero(), earned->second - surroundings_.clock.now() - (kBurst - 1) * kRefill);
}

void Hints::wake(const std::string& owner) {
    const Instant now = surroundings_.clock.now();
    Instant& earned = earned_at_.try_emplace(owner, now).first->second;
    earned = std::max(earned, now) + kRefill;
    const auto found = owners_.find(owner);
    if (found != owners_.end() && wake_) wake_(kube::ObjectKey(found->second.name_space, found->second.name));
}

}  // namespace atl::controllers
