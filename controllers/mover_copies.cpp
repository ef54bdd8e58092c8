// What a move carries over, and in which order.
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/identity.h"
#include "controllers/mover.h"
#include "controllers/secret_values.h"
#include "controllers/targets.h"
#include "controllers/types.h"
#include "crds/cluster.h"

namespace atl::controllers {

namespace {

using nlohmann::json;
using State = MoveMark::State;

const kube::ResourceType kNamespace{"", "v1", "namespaces", "Namespace", false};

void add(ContentNames& all, const ContentNames& more) {
    all.secrets.insert(more.secrets.begin(), more.secrets.end());
    all.config_maps.insert(more.config_maps.begin(), more.config_maps.end());
}

/// All that the Stack's own services refer to, whether a ServiceInstance runs them or not.
ContentNames content_of_all(const crds::StackSpec& stack) {
    ContentNames names;
    for (const crds::Service& service : stack.services) {
        crds::ServiceInstanceSpec alone;
        alone.service = service.name;
        add(names, content_of(stack, alone));
    }
    return names;
}

Result<crds::Stack> stack_with(const std::string& spec) {
    const json object{{"metadata", {{"name", "good"}}}, {"spec", json::parse(spec, nullptr, false)}};
    return crds::decode_stack(object);
}

Result<crds::ServiceInstance> instance_with(const std::string& spec) {
    const json object{{"metadata", {{"name", "good"}}}, {"spec", json::parse(spec, nullptr, false)}};
    return crds::decode_service_instance(object);
}

/// What the last good revision refers to: it may have to run again.
ContentNames content_of_journal(const kube::Object& journal) {
    auto values = values_of(journal);
    const auto stack = stack_with(values["goodStack"]);
    const auto instance = instance_with(values["goodInstance"]);
    return stack.ok() && instance.ok() ? content_of(stack->spec, instance->spec) : ContentNames();
}

/// The names of the keys in which two Secrets or ConfigMaps differ; never a value.
std::string differing_keys(const kube::Object& a, const kube::Object& b) {
    const auto left = values_of(a);
    const auto right = values_of(b);
    std::set<std::string> keys;
    for (const auto& [key, value] : left) {
        const auto other = right.find(key);
        if (other == right.end() || other->second != value) keys.insert(key);
    }
    for (const auto& [key, value] : right) {
        if (!left.contains(key)) keys.insert(key);
    }
    std::string text;
    for (const std::string& key : keys) text += (text.empty() ? "\"" : ", \"") + key + "\"";
    return text;
}

/// Creates a copy, or writes it over the one that is there.
Task<kube::Object> put(kube::Client& side, kube::Target target, json copy, std::optional<kube::Object> present) {
    if (!present) co_return co_await side.create(target.type, copy);
    if (holds_copy(*present, copy)) co_return *present;
    copy["metadata"]["resourceVersion"] = present->meta().resource_version;
    co_return co_await side.update(target, copy);
}

Task<> ensure_namespace(kube::Client& from, kube::Client& to, std::string name) {
    const kube::Target target(kNamespace, kube::ObjectKey("", name));
    const std::optional<kube::Object> present = co_await to.find(target);
    if (present) co_return;
    json object{{"metadata", {{"name", name}}}};
    const auto here = co_await from.find(target).attempt();
    if (here.ok() && *here) {
        for (const auto& [key, value] : (*here)->meta().labels.entries()) object["metadata"]["labels"][key] = value;
    }
    const auto made = co_await to.create(kNamespace, object).attempt();
    if (!made.ok() && made.error().reason() != "AlreadyExists") co_await fail(made.error());
}

}  // namespace

Task<> Mover::copy_installation() {
    co_await ensure_namespace(parts_.from, parts_.to, options_.installation_namespace);
    const kube::Target target(types::kSecret, kube::ObjectKey(options_.installation_namespace, kInstallationSecret));
    const std::optional<kube::Object> ours = co_await parts_.from.find(target);
    const std::optional<kube::Object> theirs = co_await parts_.to.find(target);
    if (!ours) co_await fail(conflict("NoInstallation", "the source's Secret atoll-installation is gone"));
    if (theirs && values_of(*theirs) == values_of(*ours)) co_return;
    co_await check_installation();
    const MovedUids none;
    json copy = copy_of(types::kSecret, *ours, none, {});
    co_await put(parts_.to, target, std::move(copy), theirs);
    parts_.say("copied the installation's identity");
}

Task<> Mover::copy_namespaces(std::vector<MoveItem>& items) {
    std::set<std::string> names;
    for (const MoveItem& item : items) names.insert(item.object.key().ns);
    for (const std::string& name : names) co_await ensure_namespace(parts_.from, parts_.to, name);
}

Task<std::vector<kube::Object>> Mover::journals() {
    kube::Scope scope(types::kSecret, options_.name_space);
    scope.label_selector = marks::kJournal;
    const kube::ListPage page = co_await parts_.from.list(scope);
    co_return page.objects;
}

Task<std::map<std::string, ContentNames>> Mover::contents(std::vector<MoveItem>& items) {
    std::map<std::string, ContentNames> names;
    std::map<kube::ObjectKey, crds::Stack> stacks;
    for (const MoveItem& item : items) {
        const kube::ObjectKey& key = item.object.key();
        const json object = item.object.json();
        if (const auto cluster = crds::decode_cluster(object); item.type == types::kCluster && cluster.ok())
            add(names[key.ns], {{}, secrets_of(cluster->spec)});
        if (auto stack = crds::decode_stack(object); item.type == types::kStack && stack.ok()) {
            add(names[key.ns], content_of_all(stack->spec));
            stacks.emplace(key, std::move(*stack));
        }
        const auto instance = crds::decode_service_instance(object);
        if (item.type != types::kServiceInstance || !instance.ok()) continue;
        const auto stack = stacks.find(kube::ObjectKey(key.ns, instance->spec.stack_ref.name));
        if (stack != stacks.end()) add(names[key.ns], content_of(stack->second.spec, instance->spec));
    }
    const auto kept = co_await journals();
    for (const kube::Object& journal : kept) add(names[journal.key().ns], content_of_journal(journal));
    co_return names;
}

Task<> Mover::copy_contents(std::vector<MoveItem>& items) {
    const auto names = co_await contents(items);
    for (const auto& [ns, content] : names) {
        for (const std::string& name : content.secrets)
            co_await copy_content(types::kSecret, kube::ObjectKey(ns, name));
        for (const std::string& name : content.config_maps)
            co_await copy_content(types::kConfigMap, kube::ObjectKey(ns, name));
    }
}

/// What people wrote is never written over, and stays at the source: others may use it.
Task<> Mover::copy_content(kube::ResourceType type, kube::ObjectKey key) {
    const kube::Target target(type, key);
    const std::optional<kube::Object> here = co_await parts_.from.find(target);
    if (!here) co_return;
    const std::optional<kube::Object> there = co_await parts_.to.find(target);
    if (there && values_of(*there) == values_of(*here)) co_return;
    if (there) {
        co_await fail(
            invalid("ContentDiffers", type.kind + " " + key.to_string() + " differs in the target (keys " +
                                          differing_keys(*here, *there) +
                                          "): make both equal, or delete the target's; what is at work would change"));
    }
    const MovedUids none;
    const json copy = copy_of(type, *here, none, {});
    co_await parts_.to.create(type, copy);
    parts_.say("copied " + type.kind + " " + key.to_string());
}

Task<> Mover::copy_items(std::vector<MoveItem>& items) {
    uids_.clear();
    for (MoveItem& item : items) {
        if (!item.has_left()) co_await copy_item(item);
        if (item.there) uids_[item.object.meta().uid] = item.there->meta().uid;
    }
}

Task<> Mover::copy_item(MoveItem& item) {
    const kube::Target target(item.type, item.object.key());
    const json copy = copy_of(item.type, item.object, uids_, {State::Arriving, item.mark().id});
    const bool is_new = !item.there.has_value();
    item.there = co_await put(parts_.to, target, copy, item.there);
    const auto lost = lost_field(copy.value("spec", json::object()), item.there->member("spec"), "spec");
    if (lost)
        co_await fail(
            invalid("FieldLost", item.to_string() + ": the target does not keep " + *lost +
                                     ": its definitions are older; install those of this version (atoll crds)"));
    if (is_new) parts_.say("copied " + item.to_string());
}

Task<> Mover::copy_journals(std::vector<MoveItem>& items) {
    std::set<std::string> movable;
    for (const MoveItem& item : items) {
        if (!item.has_left()) movable.insert(item.object.meta().uid);
    }
    const auto kept = co_await journals();
    for (const kube::Object& journal : kept) {
        const kube::OwnerReference* owner = journal.meta().controller();
        if (owner == nullptr || !movable.contains(owner->uid)) continue;
        const kube::Target target(types::kSecret, journal.key());
        json copy = copy_of(types::kSecret, journal, uids_, {});
        const std::optional<kube::Object> there = co_await parts_.to.find(target);
        co_await put(parts_.to, target, std::move(copy), there);
    }
}

}  // namespace atl::controllers
