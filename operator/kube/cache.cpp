#include "operator/kube/cache.h"

#include <utility>

namespace atl::kube {

namespace {

/// What a map node and its pointers cost beside its payload, about.
constexpr std::size_t kNode = 48;

std::size_t memory_of(const std::map<std::string, std::set<ObjectKey>>& index) {
    std::size_t bytes = 0;
    for (const auto& [value, keys] : index) {
        bytes += kNode + sizeof(std::string) + value.capacity() + sizeof(std::set<ObjectKey>);
        for (const ObjectKey& key : keys) bytes += kNode + sizeof(key) + key.ns.capacity() + key.name.capacity();
    }
    return bytes;
}

}  // namespace

std::optional<Object> Cache::find(const ObjectKey& key) const {
    const auto found = objects_.find(key);
    return found == objects_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Object> Cache::list() const {
    std::vector<Object> all;
    all.reserve(objects_.size());
    for (const auto& [key, object] : objects_) all.push_back(object);
    return all;
}

std::vector<Object> Cache::in_namespace(const std::string& ns) const {
    std::vector<Object> all;
    for (auto at = objects_.lower_bound(ObjectKey(ns, "")); at != objects_.end() && at->first.ns == ns; ++at) {
        all.push_back(at->second);
    }
    return all;
}

std::vector<Object> Cache::pick(const std::set<ObjectKey>& keys) const {
    std::vector<Object> all;
    for (const ObjectKey& key : keys) all.push_back(objects_.at(key));
    return all;
}

std::vector<Object> Cache::owned_by(const std::string& uid) const {
    const auto found = by_owner_.find(uid);
    return found == by_owner_.end() ? std::vector<Object>() : pick(found->second);
}

std::vector<Object> Cache::with_label(const std::string& label, const std::string& value) const {
    const auto indexed = by_label_.find(label);
    if (indexed != by_label_.end()) {
        const auto found = indexed->second.find(value);
        return found == indexed->second.end() ? std::vector<Object>() : pick(found->second);
    }
    std::vector<Object> all;
    for (const auto& [key, object] : objects_) {
        if (object.meta().labels.find(label) == value) all.push_back(object);
    }
    return all;
}

std::size_t Cache::memory() const {
    std::size_t bytes = memory_of(by_owner_);
    for (const auto& [label, index] : by_label_) bytes += memory_of(index);
    for (const auto& [key, object] : objects_) {
        bytes += kNode + sizeof(key) + key.ns.capacity() + key.name.capacity() + object.memory();
    }
    return bytes;
}

void Cache::index_label(std::string label) {
    by_label_[std::move(label)];
}

void Cache::subscribe(Listener listener) {
    for (const auto& [key, object] : objects_) listener(Change{Change::Kind::Added, std::nullopt, object, true});
    listeners_.push_back(std::move(listener));
}

void Cache::when_synced(std::function<void()> callback) {
    if (synced_) {
        callback();
    } else {
        when_synced_.push_back(std::move(callback));
    }
}

bool Cache::has_seen(const ObjectKey& key, const std::string& resource_version) const {
    const auto found = objects_.find(key);
    if (found != objects_.end() && has_reached(found->second.meta().resource_version, resource_version)) return true;
    return has_reached(version_, resource_version);
}

void Cache::replace(std::vector<Object> objects, const std::string& resource_version) {
    const bool initial = !synced_;
    std::set<ObjectKey> present;
    for (const Object& object : objects) present.insert(object.key());
    std::vector<ObjectKey> gone;
    for (const auto& [key, object] : objects_) {
        if (!present.contains(key)) gone.push_back(key);
    }
    for (const ObjectKey& key : gone) drop(key, std::nullopt);
    for (Object& object : objects) put(std::move(object), initial);
    reached(resource_version);
    synced_ = true;
    for (const auto& callback : std::exchange(when_synced_, {})) callback();
}

void Cache::put(Object object) {
    put(std::move(object), false);
}

void Cache::put(Object object, bool initial) {
    // Annotations may hold a copy of what the object holds (kubectl's last applied configuration).
    if (scope_.extent == Extent::Metadata) object = object.bare();
    const ObjectKey key = object.key();
    const auto found = objects_.find(key);
    if (found != objects_.end() && found->second.meta().uid != object.meta().uid) {
        drop(key, std::nullopt);
    } else if (found != objects_.end()) {
        if (found->second.meta().resource_version == object.meta().resource_version) return;
        Change change{Change::Kind::Updated, found->second, object, initial};
        unindex(found->second);
        found->second = std::move(object);
        index(found->second);
        tell(change);
        return;
    }
    const Change change{Change::Kind::Added, std::nullopt, object, initial};
    index(object);
    objects_.emplace(key, std::move(object));
    tell(change);
}

void Cache::erase(const Object& object) {
    drop(object.key(), object);
}

void Cache::drop(const ObjectKey& key, const std::optional<Object>& last) {
    const auto found = objects_.find(key);
    if (found == objects_.end()) return;
    // A late word on an earlier bearer of the name.
    if (last && last->meta().uid != found->second.meta().uid) return;
    const Change change{Change::Kind::Deleted, last ? *last : found->second, std::nullopt, false};
    unindex(found->second);
    objects_.erase(found);
    tell(change);
}

void Cache::reached(const std::string& resource_version) {
    if (!resource_version.empty()) version_ = resource_version;
}

void Cache::index(const Object& object) {
    for (const OwnerReference& owner : object.meta().owners) by_owner_[owner.uid].insert(object.key());
    for (auto& [label, values] : by_label_) {
        if (const auto value = object.meta().labels.find(label)) values[*value].insert(object.key());
    }
}

void Cache::unindex(const Object& object) {
    auto forget = [&object](Keys& keys, const std::string& value) {
        const auto found = keys.find(value);
        if (found == keys.end()) return;
        found->second.erase(object.key());
        if (found->second.empty()) keys.erase(found);
    };
    for (const OwnerReference& owner : object.meta().owners) forget(by_owner_, owner.uid);
    for (auto& [label, values] : by_label_) {
        if (const auto value = object.meta().labels.find(label)) forget(values, *value);
    }
}

void Cache::tell(const Change& change) {
    // By index: a listener may bring another one.
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
        const Listener listener = listeners_[i];
        listener(change);
    }
}

}  // namespace atl::kube
