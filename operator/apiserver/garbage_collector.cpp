#include "operator/apiserver/garbage_collector.h"

#include <algorithm>
#include <utility>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"

namespace atl::apiserver {

using nlohmann::json;
using Propagation = DeleteOptions::Propagation;

namespace {

constexpr auto kAfterFailure = std::chrono::seconds(1);

ObjectWriter::Transform without_owners(std::set<std::string> uids) {
    return [uids = std::move(uids)](const json& current) -> Result<json> {
        json object = current;
        json kept = json::array();
        for (const json& owner : list_of(child(object, "metadata"), "ownerReferences")) {
            if (!uids.contains(text_of(owner, "uid"))) kept.push_back(owner);
        }
        if (kept.empty()) {
            object["metadata"].erase("ownerReferences");
        } else {
            object["metadata"]["ownerReferences"] = std::move(kept);
        }
        return object;
    };
}

}  // namespace

Result<Unit> GarbageCollector::load() {
    for (const TypePtr& type : serving_.registry.stored()) {
        Range range;
        range.resource = type->storage;
        auto page = serving_.store.list(range);
        if (!page.ok()) return std::move(page).error();
        for (const Stored& stored : page->objects) graph_.put(stored.key, parse_stored(stored.text));
    }
    has_touched_ = true;
    return ok();
}

void GarbageCollector::take_in(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
        const json object = parse_stored(change.text);
        if (change.type == ChangeType::Deleted) {
            graph_.erase(text_of(child(object, "metadata"), "uid"));
        } else {
            graph_.put(change.key, object);
        }
    }
    has_touched_ = true;
    if (!waiting_) return;
    const auto waiting = std::exchange(waiting_, std::nullopt);
    waiting->resolve(ok());
}

Task<> GarbageCollector::touched() {
    if (has_touched_) co_return;
    std::function<Cancel(Callback<Unit>)> start = [this](Callback<Unit> woken) -> Cancel {
        waiting_ = std::move(woken);
        return {};
    };
    co_await await_callback<Unit>(start);
}

Task<> GarbageCollector::collect() {
    while (true) {
        co_await touched();
        has_touched_ = false;
        bool has_failed = false;
        for (const std::string& uid : graph_.take_touched()) {
            const auto examined = co_await examine(uid).attempt();
            if (examined.ok()) continue;
            graph_.touch(uid);
            has_failed = true;
        }
        if (!has_failed) continue;
        co_await sleep_for(serving_.clock, kAfterFailure);
        has_touched_ = true;
    }
}

TypePtr GarbageCollector::type_of(const Key& key) const {
    for (const TypePtr& type : serving_.registry.stored()) {
        if (type->storage == key.resource) return type;
    }
    return nullptr;
}

Task<> GarbageCollector::examine(std::string uid) {
    const OwnedObject* found = graph_.find(uid);
    if (found == nullptr) co_return;
    const OwnedObject object = *found;
    if (object.is_deleting && object.is_orphaning) co_await orphan_dependents(object);
    if (object.is_deleting && object.is_foreground) co_await finish_foreground(object);
    if (!object.is_deleting && !object.owners.empty()) co_await judge(object);
}

GarbageCollector::Owner GarbageCollector::state_of(const OwnedObject& dependent, const OwnerReference& owner) const {
    const OwnedObject* object = graph_.find(owner.uid);
    // Only an owner of the same namespace, or of none, counts.
    const bool is_reachable = object != nullptr && (object->key.ns.empty() || object->key.ns == dependent.key.ns);
    if (is_reachable) return object->is_deleting && object->is_foreground ? Owner::Waiting : Owner::Solid;
    return serving_.registry.find_kind(owner.api_version, owner.kind) ? Owner::Absent : Owner::Solid;
}

Task<> GarbageCollector::judge(OwnedObject object) {
    const TypePtr type = type_of(object.key);
    if (!type) co_return;
    std::set<std::string> gone;
    bool is_owned = false;
    bool is_waited_for = false;
    for (const OwnerReference& owner : object.owners) {
        const Owner state = state_of(object, owner);
        is_owned = is_owned || state == Owner::Solid;
        is_waited_for = is_waited_for || state == Owner::Waiting;
        if (state != Owner::Solid) gone.insert(owner.uid);
    }
    if (gone.empty()) co_return;
    if (is_owned) {
        co_await drop_references(object, gone);
        co_return;
    }
    const bool has_dependents = !graph_.dependents_of(object.uid).empty();
    const auto propagation = is_waited_for && has_dependents ? Propagation::Foreground : Propagation::Background;
    co_await writer_.remove(type, object.key, object.uid, propagation);
}

Task<> GarbageCollector::drop_references(OwnedObject object, std::set<std::string> uids) {
    const TypePtr type = type_of(object.key);
    if (type) co_await writer_.change(type, object.key, Part::Main, without_owners(std::move(uids)));
}

Task<> GarbageCollector::orphan_dependents(OwnedObject object) {
    std::vector<OwnedObject> dependents;
    for (const OwnedObject* dependent : graph_.dependents_of(object.uid)) dependents.push_back(*dependent);
    const std::set<std::string> self = {object.uid};
    for (const OwnedObject& dependent : dependents) co_await drop_references(dependent, self);
    const TypePtr type = type_of(object.key);
    if (type) co_await writer_.change(type, object.key, Part::Main, without_finalizer("orphan"));
}

Task<> GarbageCollector::finish_foreground(OwnedObject object) {
    bool is_blocked = false;
    for (const OwnedObject* dependent : graph_.dependents_of(object.uid)) {
        graph_.touch(dependent->uid);
        for (const OwnerReference& owner : dependent->owners) {
            is_blocked = is_blocked || (owner.uid == object.uid && owner.blocks);
        }
    }
    has_touched_ = has_touched_ || is_blocked;
    if (is_blocked) co_return;
    const TypePtr type = type_of(object.key);
    if (type) co_await writer_.change(type, object.key, Part::Main, without_finalizer("foregroundDeletion"));
}

}  // namespace atl::apiserver
