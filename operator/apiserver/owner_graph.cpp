#include "operator/apiserver/owner_graph.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

OwnedObject read(const Key& key, const json& object) {
    const json& metadata = child(object, "metadata");
    OwnedObject owned;
    owned.key = key;
    owned.uid = text_of(metadata, "uid");
    for (const json& owner : list_of(metadata, "ownerReferences")) {
        owned.owners.push_back({text_of(owner, "uid"), text_of(owner, "apiVersion"), text_of(owner, "kind"),
                                is_true(owner, "blockOwnerDeletion")});
    }
    owned.is_deleting = metadata.contains("deletionTimestamp");
    for (const std::string& finalizer : texts_of(metadata, "finalizers")) {
        owned.is_foreground = owned.is_foreground || finalizer == "foregroundDeletion";
        owned.is_orphaning = owned.is_orphaning || finalizer == "orphan";
    }
    return owned;
}

}  // namespace

void OwnerGraph::unlink(const OwnedObject& object) {
    for (const OwnerReference& owner : object.owners) {
        const auto found = dependents_.find(owner.uid);
        if (found == dependents_.end()) continue;
        found->second.erase(object.uid);
        if (found->second.empty()) dependents_.erase(found);
        touched_.insert(owner.uid);
    }
}

void OwnerGraph::put(const Key& key, const json& object) {
    OwnedObject owned = read(key, object);
    if (owned.uid.empty()) return;
    const auto old = objects_.find(owned.uid);
    if (old != objects_.end()) unlink(old->second);
    for (const OwnerReference& owner : owned.owners) {
        dependents_[owner.uid].insert(owned.uid);
        touched_.insert(owner.uid);
    }
    if (!owned.owners.empty() || owned.is_deleting) touched_.insert(owned.uid);
    objects_[owned.uid] = std::move(owned);
}

void OwnerGraph::erase(const std::string& uid) {
    const auto found = objects_.find(uid);
    if (found == objects_.end()) return;
    unlink(found->second);
    objects_.erase(found);
    for (const OwnedObject* dependent : dependents_of(uid)) touched_.insert(dependent->uid);
}

std::set<std::string> OwnerGraph::take_touched() {
    return std::exchange(touched_, {});
}

const OwnedObject* OwnerGraph::find(const std::string& uid) const {
    const auto found = objects_.find(uid);
    return found == objects_.end() ? nullptr : &found->second;
}

std::vector<const OwnedObject*> OwnerGraph::dependents_of(const std::string& uid) const {
    std::vector<const OwnedObject*> list;
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) return list;
    for (const std::string& dependent : found->second) {
        if (const OwnedObject* object = find(dependent)) list.push_back(object);
    }
    return list;
}

}  // namespace atl::apiserver
