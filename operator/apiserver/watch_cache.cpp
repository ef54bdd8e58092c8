#include "operator/apiserver/watch_cache.h"

#include <algorithm>
#include <set>
#include <utility>

namespace atl::apiserver {

WatchCache::WatchCache(Executor& executor, std::size_t length) : executor_(executor), length_(length) {}

void WatchCache::begin_at(Revision revision) {
    begin_ = revision_ = revision;
}

void WatchCache::publish(std::vector<Change> changes) {
    std::set<std::string> resources;
    for (Change& change : changes) {
        Ring& ring = rings_[change.key.resource];
        resources.insert(change.key.resource);
        revision_ = change.revision;
        auto event = std::make_shared<WatchEvent>();
        event->change = std::move(change);
        ring.events.push_back(std::move(event));
        if (ring.events.size() > length_) {
            ring.dropped = ring.events.front()->change.revision;
            ring.events.pop_front();
        }
    }
    for (const std::string& resource : resources) interrupt(resource);
}

void WatchCache::interrupt(const std::string& resource) {
    std::weak_ptr<bool> alive = alive_;
    executor_.post([this, alive, resource] {
        if (alive.lock()) wake(resource);
    });
}

void WatchCache::wake(const std::string& resource) {
    auto waiting = std::exchange(rings_[resource].waiting, {});
    std::weak_ptr<bool> alive = alive_;
    for (const auto& waiter : waiting) {
        waiter.resolve(ok());
        if (!alive.lock()) return;
    }
}

std::optional<WatchCache::Events> WatchCache::since(const std::string& resource, Revision after) const {
    Events events;
    const auto found = rings_.find(resource);
    if (after < begin_) return std::nullopt;
    if (found == rings_.end()) return events;
    const Ring& ring = found->second;
    if (after < ring.dropped) return std::nullopt;
    const auto first =
        std::upper_bound(ring.events.begin(), ring.events.end(), after,
                         [](Revision revision, const auto& event) { return revision < event->change.revision; });
    events.assign(first, ring.events.end());
    return events;
}

Revision WatchCache::last_of(const std::string& resource) const {
    const auto found = rings_.find(resource);
    return found == rings_.end() || found->second.events.empty() ? 0 : found->second.events.back()->change.revision;
}

Task<> WatchCache::changed(std::string resource, Revision after) {
    if (last_of(resource) > after) co_return;
    Ring& ring = rings_[resource];
    std::erase_if(ring.waiting, [](const auto& waiter) { return !waiter.wanted(); });
    std::function<Cancel(Callback<Unit>)> start = [&ring](Callback<Unit> woken) -> Cancel {
        ring.waiting.push_back(std::move(woken));
        return {};
    };
    co_await await_callback<Unit>(start);
}

}  // namespace atl::apiserver
