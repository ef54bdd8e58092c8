#include "controllers/mover.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/types.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using State = MoveMark::State;

constexpr int kAttempts = 5;

/// Owners before what they own.
const kube::ResourceType* const kInOrder[] = {&types::kCluster, &types::kStack, &types::kServiceInstance,
                                              &types::kMachine};

std::string counted(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " object" : " objects");
}

json mark_patch(const kube::Object& object, const json& value) {
    json patch;
    patch["metadata"] = {{"uid", object.meta().uid}, {"annotations", {{marks::kMove, value}}}};
    return patch;
}

/// Takes off what keeps the object at the source; bound to the version that was read.
json release_patch(const kube::Object& object) {
    std::vector<std::string> kept = object.meta().finalizers;
    std::erase_if(kept, [](const std::string& name) { return name.starts_with("atoll.dev/"); });
    json patch;
    patch["metadata"] = {
        {"uid", object.meta().uid}, {"resourceVersion", object.meta().resource_version}, {"finalizers", kept}};
    const json spec = object.member("spec");
    if (spec.is_object() && spec.value("deletionProtection", json()) == true)
        patch["spec"]["deletionProtection"] = false;
    return patch;
}

Task<std::map<kube::ObjectKey, kube::Object>> all_of(kube::Client& side, kube::ResourceType type, std::string ns) {
    const kube::Scope scope(std::move(type), std::move(ns));
    const kube::ListPage page = co_await side.list(scope);
    if (!page.undecodable.empty()) co_return page.undecodable.front();
    std::map<kube::ObjectKey, kube::Object> objects;
    for (const kube::Object& object : page.objects) objects.emplace(object.key(), object);
    co_return objects;
}

}  // namespace

Task<> Mover::check() {
    co_await check_types(parts_.from, "source");
    co_await check_types(parts_.to, "target");
    co_await check_rights();
    co_await check_installation();
}

Task<std::vector<MoveItem>> Mover::survey() {
    std::vector<MoveItem> items;
    for (const kube::ResourceType* type : kInOrder) {
        const auto here = co_await all_of(parts_.from, *type, options_.name_space);
        const auto there = co_await all_of(parts_.to, *type, options_.name_space);
        for (const auto& [key, object] : here) {
            const auto copy = there.find(key);
            items.push_back({*type, object, copy == there.end() ? std::nullopt : std::optional(copy->second)});
        }
    }
    for (const MoveItem& item : items) co_await may_move(item);
    co_return items;
}

Task<> Mover::run() {
    co_await check();
    std::vector<MoveItem> items = co_await survey();
    if (items.empty()) {
        parts_.say("there is nothing to move");
        co_return;
    }
    for (;; items = co_await survey()) {
        if (std::ranges::all_of(items, &MoveItem::has_left)) break;
        if (!co_await mark_all(items)) continue;
        if (!co_await wait_until_seen(items)) continue;
        co_await copy_installation();
        co_await copy_namespaces(items);
        co_await copy_contents(items);
        co_await copy_items(items);
        co_await copy_journals(items);
        co_await mark_left(items);
    }
    co_await resume(items);
    co_await clear(items);
    parts_.say("moved " + counted(items.size()));
    const std::vector<MoveItem> left = co_await survey();
    if (!left.empty())
        co_await fail(transient("NotAllMoved", counted(left.size()) + " left at the source, the first is " +
                                                   left.front().to_string() + ": run the same command again"));
}

Task<> Mover::preview() {
    co_await check();
    std::vector<MoveItem> items = co_await survey();
    for (const MoveItem& item : items) {
        parts_.say("would move " + item.to_string() + (item.has_left() ? " (copied by a move before this one)" : ""));
    }
    const auto names = co_await contents(items);
    for (const auto& [ns, content] : names) {
        for (const std::string& name : content.secrets) parts_.say("would copy Secret " + ns + "/" + name);
        for (const std::string& name : content.config_maps) parts_.say("would copy ConfigMap " + ns + "/" + name);
    }
    parts_.say(items.empty() ? "there is nothing to move"
                             : counted(items.size()) + " would be moved; nothing was changed");
}

/// Whether every object had a mark already.
Task<bool> Mover::mark_all(std::vector<MoveItem>& items) {
    const auto marked =
        std::ranges::find_if(items, [](const MoveItem& item) { return item.mark().state != State::None; });
    if (id_.empty()) id_ = marked == items.end() ? parts_.random.uuid() : marked->mark().id;
    std::size_t count = 0;
    for (const MoveItem& item : items) {
        if (item.mark().state != State::None) continue;
        const json patch = mark_patch(item.object, MoveMark{State::Leaving, id_}.to_string());
        const kube::Target target(item.type, item.object.key());
        const auto written = co_await parts_.from.merge_patch(target, patch, "atoll-move").attempt();
        if (!written.ok() && written.error().error_class() != ErrorClass::Conflict) co_return written.error();
        ++count;
    }
    if (count == 0) co_return true;
    parts_.say("paused " + counted(count) + " at the source");
    patience_ends_.reset();
    co_return false;
}

Task<bool> Mover::wait_until_seen(std::vector<MoveItem>& items) {
    Clock& clock = parts_.from.clock();
    if (!patience_ends_) patience_ends_ = clock.now() + options_.patience;
    for (const MoveItem& item : items) {
        if (item.has_left() || is_seen_paused(item.object, item.mark())) continue;
        if (clock.now() >= *patience_ends_) {
            co_return transient("NotPaused",
                                "the controllers of the source have not said that they keep their hands off " +
                                    item.to_string() +
                                    " (condition Paused, reason Moving): is an operator at work there, "
                                    "of the same version as this program (atoll check)? Nothing was copied");
        }
        co_await sleep_for(clock, 200ms);
        co_return false;
    }
    co_return true;
}

/// The point of no return, object by object; each only if it is as it was copied. One that is not ends the round.
Task<> Mover::mark_left(std::vector<MoveItem>& items) {
    for (const MoveItem& item : items) {
        if (item.has_left()) continue;
        json patch = mark_patch(item.object, MoveMark{State::Left, item.mark().id}.to_string());
        patch["metadata"]["resourceVersion"] = item.object.meta().resource_version;
        const kube::Target target(item.type, item.object.key());
        const auto written = co_await parts_.from.merge_patch(target, patch, "atoll-move").attempt();
        if (!written.ok() && written.error().error_class() == ErrorClass::Conflict) co_return;
        if (!written.ok()) co_await fail(written.error());
    }
}

Task<> Mover::resume(std::vector<MoveItem>& items) {
    for (const MoveItem& item : items) {
        if (!item.there || move_mark_of(*item.there).state != State::Arriving) continue;
        const json patch = mark_patch(*item.there, nullptr);
        const kube::Target target(item.type, item.object.key());
        co_await parts_.to.merge_patch(target, patch, "atoll-move");
    }
    parts_.say("resumed in the target");
}

/// What is owned goes before its owner, so that no garbage collector has anything to do with it.
Task<> Mover::clear(std::vector<MoveItem>& items) {
    for (const kube::ResourceType* type :
         {&types::kServiceInstance, &types::kStack, &types::kMachine, &types::kCluster}) {
        for (MoveItem& item : items) {
            if (item.type == *type) co_await remove(item);
        }
    }
}

Task<> Mover::remove(MoveItem& item) {
    const kube::Target target(item.type, item.object.key());
    for (int attempt = 1;; ++attempt) {
        const std::optional<kube::Object> present = co_await parts_.from.find(target);
        if (!present || move_mark_of(*present).state != State::Left) co_return;  // gone, or somebody's new one
        const json patch = release_patch(*present);
        const auto released = co_await parts_.from.merge_patch(target, patch, "atoll-move").attempt();
        if (released.ok()) break;
        if (released.error().reason() == "NotFound") co_return;
        if (released.error().error_class() != ErrorClass::Conflict || attempt == kAttempts)
            co_await fail(released.error());
    }
    kube::RemoveOptions options;
    options.preconditions.uid = item.object.meta().uid;
    const std::optional<kube::Object> left = co_await parts_.from.remove(target, options);
    if (left && !left->meta().finalizers.empty())
        parts_.say(item.to_string() + " waits at the source for finalizer \"" + left->meta().finalizers.front() + "\"");
}

}  // namespace atl::controllers
