#include "operator/apiserver/lifecycle.h"

#include <algorithm>

#include "operator/apiserver/custom_resources.h"
#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"
#include "operator/base/deadline.h"
#include "operator/base/time.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr auto kLookAgain = std::chrono::seconds(1);
constexpr auto kEventTtl = std::chrono::hours(1);
constexpr auto kExpireEvery = std::chrono::minutes(5);

bool is_deleting(const json& object) {
    return child(object, "metadata").contains("deletionTimestamp");
}

Result<json> without_namespace_finalizer(const json& current) {
    json object = current;
    json kept = json::array();
    for (const json& one : list_of(child(object, "spec"), "finalizers")) {
        if (one != "kubernetes") kept.push_back(one);
    }
    object["spec"]["finalizers"] = std::move(kept);
    return object;
}

/// When the event was last seen.
WallTime last_seen(const json& event) {
    WallTime last{};
    for (const std::string& text :
         {text_of(child(event, "metadata"), "creationTimestamp"), text_of(event, "lastTimestamp"),
          text_of(event, "eventTime"), text_of(child(event, "series"), "lastObservedTime")}) {
        last = std::max(last, parse_rfc3339(text).value_or(WallTime{}));
    }
    return last;
}

}  // namespace

Task<> Lifecycle::wait_for(std::string resource, Revision seen, bool is_ending) {
    if (!is_ending) {
        co_await serving_.watches.changed(std::move(resource), seen);
        co_return;
    }
    const Instant until = serving_.clock.now() + kLookAgain;
    const auto woken =
        co_await with_deadline(serving_.clock, until, serving_.watches.changed(std::move(resource), seen), "waiting")
            .attempt();
    static_cast<void>(woken);
}

Task<std::size_t> Lifecycle::remove_all(TypePtr type, std::optional<std::string> ns) {
    Range range;
    range.resource = type->storage;
    range.ns = std::move(ns);
    Page page = co_await serving_.store.list(range);
    for (const Stored& stored : page.objects) {
        const json object = parse_stored(stored.text);
        if (is_deleting(object)) continue;
        co_await writer_.remove(type, stored.key, text_of(child(object, "metadata"), "uid"), std::nullopt);
    }
    const Page left = co_await serving_.store.list(range);
    co_return left.objects.size();
}

Task<std::size_t> Lifecycle::empty_namespace(std::string ns) {
    std::size_t left = 0;
    for (const TypePtr& type : serving_.registry.stored()) {
        if (type->namespaced) left += co_await remove_all(type, ns);
    }
    co_return left;
}

/// True once it is gone.
Task<bool> Lifecycle::end_namespace(Stored stored) {
    const std::string name = stored.key.name;
    const std::size_t left = co_await empty_namespace(name);
    if (left > 0) co_return false;
    const TypePtr type = serving_.registry.find("", "v1", "namespaces");
    co_await writer_.change(type, stored.key, Part::Finalize, without_namespace_finalizer);
    // A create that was under way when the namespace ended.
    co_await empty_namespace(name);
    co_return true;
}

Task<> Lifecycle::end_namespaces() {
    while (true) {
        const Revision seen = serving_.watches.revision();
        Range range;
        range.resource = "namespaces";
        const Page page = co_await serving_.store.list(range);
        bool is_ending = false;
        for (const Stored& stored : page.objects) {
            if (!is_deleting(parse_stored(stored.text))) continue;
            const auto ended = co_await end_namespace(stored).attempt();
            is_ending = is_ending || !ended.ok() || !*ended;
        }
        co_await wait_for("namespaces", seen, is_ending);
    }
}

Task<bool> Lifecycle::end_definition(Stored stored) {
    const json definition = parse_stored(stored.text);
    auto types = types_of_definition(definition);
    std::size_t left = 0;
    if (!types.empty()) left = co_await remove_all(std::make_shared<const ResourceType>(types.front()), std::nullopt);
    if (left > 0) co_return false;
    const TypePtr type = serving_.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    co_await writer_.change(type, stored.key, Part::Main, without_finalizer(kCleanupFinalizer));
    co_return true;
}

Task<> Lifecycle::end_definitions() {
    while (true) {
        const Revision seen = serving_.watches.revision();
        Range range;
        range.resource = kDefinitions;
        const Page page = co_await serving_.store.list(range);
        bool is_ending = false;
        for (const Stored& stored : page.objects) {
            const json definition = parse_stored(stored.text);
            const json& finalizers = list_of(child(definition, "metadata"), "finalizers");
            const bool is_ours = std::find(finalizers.begin(), finalizers.end(), kCleanupFinalizer) != finalizers.end();
            if (!is_deleting(definition) || !is_ours) continue;
            const auto ended = co_await end_definition(stored).attempt();
            is_ending = is_ending || !ended.ok() || !*ended;
        }
        co_await wait_for(kDefinitions, seen, is_ending);
    }
}

Task<> Lifecycle::expire_events() {
    const TypePtr type = serving_.registry.find("", "v1", "events");
    while (true) {
        co_await sleep_for(serving_.clock, kExpireEvery);
        Range range;
        range.resource = "events";
        const Page page = co_await serving_.store.list(range);
        for (const Stored& stored : page.objects) {
            const json event = parse_stored(stored.text);
            if (serving_.clock.wall_now() - last_seen(event) < kEventTtl) continue;
            co_await writer_.remove(type, stored.key, text_of(child(event, "metadata"), "uid"), std::nullopt);
        }
    }
}

}  // namespace atl::apiserver
