#include "operator/kube/children.h"

#include <functional>
#include <optional>

#include <nlohmann/json.hpp>

#include "operator/kube/status_error.h"

namespace atl::kube {

namespace {

using nlohmann::json;

constexpr std::size_t kRemembered = 20000;

json owner_reference(const Pass& owner) {
    return {{"apiVersion", owner.type().api_version()}, {"kind", owner.type().kind}, {"name", owner.key().name},
            {"uid", owner.object().meta().uid},         {"controller", true},        {"blockOwnerDeletion", true}};
}

bool is_owned(const Object& child, const Pass& owner) {
    const OwnerReference* controller = child.meta().controller();
    return controller != nullptr && controller->uid == owner.object().meta().uid;
}

std::string name_of(const json& child) {
    const auto metadata = child.find("metadata");
    if (metadata == child.end() || !metadata->is_object()) return {};
    const auto name = metadata->find("name");
    return name != metadata->end() && name->is_string() ? name->get<std::string>() : std::string();
}

Error name_taken(const Target& target, const Pass& owner) {
    return conflict("NameTaken", target.type.kind + " \"" + target.key.to_string() +
                                     "\" exists and does not belong to " + owner.type().kind + " \"" +
                                     owner.key().to_string() + "\": rename or remove it");
}

}  // namespace

Children::Children(Client& client, Caches& caches, std::string manager)
    : client_(client), caches_(caches), manager_(std::move(manager)) {}

Task<std::optional<Object>> Children::present(Pass& owner, Target target) {
    std::optional<Object> cached = caches_.of(target.type).find(target.key);
    // The cache may lag behind: it only serves to skip the look.
    if (!cached) cached = co_await client_.find(target);
    if (cached && !is_owned(*cached, owner)) co_return name_taken(target, owner);
    co_return cached;
}

Task<Object> Children::apply(Pass& owner, ResourceType type, const json& child) {
    const Target target(type, ObjectKey(type.namespaced ? owner.key().ns : "", name_of(child)));
    if (target.key.name.empty()) co_return invalid("NoName", "a child to apply has no metadata.name");
    const std::optional<Object> present_child = co_await present(owner, target);
    if (present_child && present_child->meta().being_deleted()) {
        co_return Error::waiting("ChildBeingDeleted", type.kind + " \"" + target.key.name + "\" to be gone",
                                 std::chrono::seconds(10));
    }
    json intent = child;
    intent["apiVersion"] = type.api_version();
    intent["kind"] = type.kind;
    if (type.namespaced) intent["metadata"]["namespace"] = target.key.ns;
    intent["metadata"]["ownerReferences"] = json::array({owner_reference(owner)});
    const std::size_t hash = std::hash<std::string>{}(intent.dump(-1, ' ', false, json::error_handler_t::replace));
    if (present_child) {
        const auto last = applied_.find(present_child->meta().uid);
        const bool same = last != applied_.end() && last->second.intent == hash &&
                          equal_but_for_status(last->second.result, *present_child);
        if (same) co_return *present_child;
        // Only this child, not one that took its name meanwhile.
        intent["metadata"]["uid"] = present_child->meta().uid;
    }
    Object written = co_await send(target, intent);
    if (applied_.size() >= kRemembered) applied_.clear();
    applied_.insert_or_assign(written.meta().uid, Applied{hash, written});
    owner.wrote(caches_.of(type), written);
    co_return written;
}

Task<Object> Children::send(Target target, const json& intent) {
    ApplyOptions options;
    options.manager = manager_;
    return client_.apply(std::move(target), intent, std::move(options));
}

Task<bool> Children::remove(Pass& owner, ResourceType type, std::string name) {
    const Target target(type, ObjectKey(type.namespaced ? owner.key().ns : "", std::move(name)));
    const std::optional<Object> child = co_await client_.find(target);
    if (!child) co_return true;
    if (!is_owned(*child, owner)) co_return name_taken(target, owner);
    applied_.erase(child->meta().uid);
    if (child->meta().being_deleted()) co_return false;
    RemoveOptions options;
    options.preconditions.uid = child->meta().uid;
    const std::optional<Object> left = co_await client_.remove(target, options);
    co_return !left.has_value();
}

std::vector<Object> Children::of(const Pass& owner, const ResourceType& type) {
    std::vector<Object> children;
    for (Object& child : caches_.of(type).owned_by(owner.object().meta().uid)) {
        if (is_owned(child, owner)) children.push_back(std::move(child));
    }
    return children;
}

}  // namespace atl::kube
