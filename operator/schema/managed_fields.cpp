#include "operator/schema/managed_fields.h"

#include <algorithm>

#include "operator/schema/go_text.h"
#include "operator/schema/managers.h"
#include "operator/schema/typed_value.h"

namespace atl::schema {
namespace {

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

ManagerKey key_of(const FieldManager& manager, const char* operation) {
    bool applies = std::string_view(operation) == "Apply";
    return {operation, manager.name, applies ? "" : manager.api_version, manager.subresource};
}

/// The fields that a write through the manager's door may own.
FieldSet ownable(FieldSet set, const FieldManager& manager) {
    set = without(set, unowned_fields());
    if (manager.subresource == "status") {
        std::erase_if(set.children, [](const auto& child) { return child.first != "f:status"; });
    } else if (manager.status_is_apart) {
        set.children.erase("f:status");
    }
    return set;
}

Comparison ownable(Comparison all, const FieldManager& manager) {
    return {ownable(std::move(all.removed), manager), ownable(std::move(all.modified), manager),
            ownable(std::move(all.added), manager)};
}

void drop_empty(Managers& managers) {
    std::erase_if(managers, [](const auto& entry) { return entry.second.fields.children.empty(); });
}

/// Takes from everybody else what changed, and from everybody what is gone.
void give_up(Managers& managers, const Comparison& change, const ManagerKey* writer) {
    FieldSet taken = united(united(change.modified, change.added), change.removed);
    for (auto& [key, entry] : managers) {
        if (writer == nullptr || key != *writer) entry.fields = without(entry.fields, taken);
    }
    drop_empty(managers);
}

void own_update(Managers& managers, const Json& before, const Json& after, const CrdSchema& schema,
                const FieldManager& manager) {
    Comparison change = ownable(compared(before, after, &schema.root()), manager);
    give_up(managers, change, nullptr);
    FieldSet taken = united(change.modified, change.added);
    if (taken.children.empty()) return;
    ManagerEntry& entry = managers[key_of(manager, "Update")];
    entry.fields = united(entry.fields, taken);
    entry.api_version = manager.api_version;
    entry.time = manager.time;
}

bool asks_for_reset(const Json& object) {
    static const Json::json_pointer place("/metadata/managedFields");
    return object.is_object() && object.contains(place) && object[place] == Json::array({Json::object()});
}

/// The fields of the configuration that kubectl's client-side apply left in an annotation: kubectl may take them over.
FieldSet last_applied_fields(const Json& live, const CrdSchema& schema) {
    static const Json::json_pointer place("/metadata/annotations");
    if (!live.is_object() || !live.contains(place) || !live[place].is_object()) return {};
    auto found = live[place].find(kLastApplied);
    if (found == live[place].end() || !found->is_string()) return {};
    Json config = Json::parse(found->get_ref<const std::string&>(), nullptr, false);
    if (!config.is_object() || !structure_problems(config, &schema.root()).empty()) return {};
    return fields_of(config, &schema.root());
}

/// One server-side apply.
class Applier {
public:
    explicit Applier(const ApplyRequest& request)
        : request_(request),
          node_(&request.schema.root()),
          key_(key_of(request.manager, "Apply")),
          live_(without_managed_fields(request.live)),
          config_(without_managed_fields(request.applied)),
          managers_(read_managers(request.live)) {}

    Result<Applied> run() {
        std::vector<std::string> problems = structure_problems(config_, node_);
        if (!problems.empty()) return refused(problems);
        drop_foreign_parts();
        claim_unmanaged();
        last_ = managers_.contains(key_) ? managers_[key_] : ManagerEntry();
        managers_[key_] = {ownable(fields_of(config_, node_), request_.manager), request_.manager.api_version,
                           last_.time};
        Json result = pruned(merged(live_, config_, node_));
        Comparison change = ownable(compared(live_, result, node_), request_.manager);
        Applied applied;
        applied.conflicts = conflicts(change);
        if (!applied.conflicts.empty() && request_.force == Force::No) {
            applied.object = request_.live;
            return applied;
        }
        applied.conflicts.clear();
        give_up(managers_, change, &key_);
        return finish(std::move(applied), std::move(result));
    }

private:
    Error refused(const std::vector<std::string>& problems) const {
        auto text_at = [&](const char* pointer) {
            Json::json_pointer place(pointer);
            bool present = config_.contains(place) && config_[place].is_string();
            return present ? config_[place].get<std::string>() : std::string();
        };
        std::string text = "failed to create typed patch object (" + text_at("/metadata/namespace") + "/" +
                           text_at("/metadata/name") + "; " + text_at("/apiVersion") + ", Kind=" + text_at("/kind") +
                           "): ";
        if (problems.size() > 1) text += "errors:";
        for (const std::string& problem : problems) text += (problems.size() > 1 ? "\n  " : "") + problem;
        bool only_unknown = std::ranges::all_of(
            problems, [](const std::string& problem) { return problem.ends_with("field not declared in schema"); });
        return atl::invalid("BadApply", std::move(text)).with_status(only_unknown ? 400 : 422);
    }

    /// What this door does not write: status beside its own subresource, everything else through it.
    void drop_foreign_parts() {
        Json foreign = Json::object();
        for (auto member = config_.begin(); member != config_.end();) {
            if (!is_foreign(member.key())) {
                ++member;
                continue;
            }
            foreign[member.key()] = std::move(*member);
            member = config_.erase(member);
        }
        // kube-apiserver drops them after it has looked whether the apply changes anything.
        asks_for_foreign_change_ = !foreign.empty() && merged(live_, foreign, node_) != live_;
    }

    bool is_foreign(const std::string& member) const {
        if (request_.manager.subresource != "status") return request_.manager.status_is_apart && member == "status";
        return member != "status" && member != "apiVersion" && member != "kind";
    }

    /// An object that nobody manages was made by somebody all the same.
    void claim_unmanaged() {
        if (!managers_.empty() || request_.live.is_null()) return;
        FieldManager before = request_.manager;
        before.name = "before-first-apply";
        before.subresource = "";
        own_update(managers_, Json::object(), live_, request_.schema, before);
    }

    /// Removes what this manager applied before and does not any more, unless somebody else owns it.
    Json pruned(const Json& merged_object) const {
        if (last_.fields.children.empty()) return merged_object;
        FieldSet owned;
        for (const auto& [key, entry] : managers_) owned = united(owned, entry.fields);
        FieldSet all = named(fields_of(merged_object, node_));
        FieldSet last = named(last_.fields);
        Json stripped = with_removed(merged_object, last, node_);
        FieldSet kept = united(named(fields_of(stripped, node_)), named(owned));
        Json with_owned = with_removed(merged_object, without(all, kept), node_);
        FieldSet gone = intersected(without(all, named(fields_of(with_owned, node_))), last);
        return with_removed(merged_object, gone, node_);
    }

    FieldSet named(const FieldSet& set) const { return with_named_fields(set, node_); }

    std::vector<ApplyConflict> conflicts(const Comparison& change) const {
        std::vector<ApplyConflict> all;
        FieldSet changed = united(change.modified, change.added);
        FieldSet allowed =
            request_.manager.name == "kubectl" ? last_applied_fields(live_, request_.schema) : FieldSet();
        bool all_allowed = true;
        for (const auto& [key, entry] : managers_) {
            if (key == key_) continue;
            FieldSet clash = intersected(entry.fields, changed);
            all_allowed = all_allowed && without(clash, allowed).children.empty();
            for (const std::string& path : clash.paths()) {
                all.push_back({key.manager, key.operation, entry.api_version, key.subresource, entry.time, path});
            }
        }
        if (all_allowed) all.clear();
        return all;
    }

    Result<Applied> finish(Applied applied, Json result) {
        bool same_object = result == live_;
        if (!same_object || asks_for_foreign_change_) managers_[key_].time = request_.manager.time;
        if (managers_[key_].fields.children.empty()) managers_.erase(key_);
        applied.changed = !same_object || managers_differ(managers_, read_managers(request_.live));
        applied.object = std::move(result);
        write_managers(managers_, applied.object);
        return applied;
    }

    static bool managers_differ(const Managers& a, const Managers& b) {
        return !std::ranges::equal(a, b, [](const auto& left, const auto& right) {
            return left.first == right.first && left.second.fields == right.second.fields &&
                   left.second.api_version == right.second.api_version;
        });
    }

    const ApplyRequest& request_;
    const Structural* node_;
    ManagerKey key_;
    Json live_;
    Json config_;
    Managers managers_;
    ManagerEntry last_;
    bool asks_for_foreign_change_ = false;
};

}  // namespace

std::string ApplyConflict::text() const {
    std::string text = "conflict with " + go_quote(manager);
    if (!subresource.empty()) text += " with subresource " + go_quote(subresource);
    if (operation == "Update") text += " using " + api_version;
    return text;
}

Result<Applied> apply_patch(const ApplyRequest& request) {
    if (!request.applied.is_object())
        return atl::invalid("BadApply", "an applied configuration must be an object").with_status(400);
    const Json& metadata = request.applied.value("metadata", Json::object());
    if (metadata.is_object() && metadata.contains("managedFields")) {
        return atl::invalid("BadApply", "metadata.managedFields must be nil").with_status(400);
    }
    return Applier(request).run();
}

Json update_managed_fields(const Json& old, Json updated, const CrdSchema& schema, const FieldManager& manager) {
    if (!updated.is_object()) return updated;
    bool may_set = manager.subresource.empty();
    if (may_set && asks_for_reset(updated)) return without_managed_fields(std::move(updated));
    Managers managers = may_set ? read_managers(updated) : Managers();
    if (managers.empty()) managers = read_managers(old);
    Json after = without_managed_fields(std::move(updated));
    own_update(managers, without_managed_fields(old), after, schema, manager);
    cap_updaters(managers);
    write_managers(managers, after);
    return after;
}

std::string conflicts_text(const std::vector<ApplyConflict>& conflicts) {
    if (conflicts.size() == 1) {
        return "Apply failed with 1 conflict: " + conflicts[0].text() + ": " + conflicts[0].field;
    }
    std::string text = "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: ";
    std::string last;
    for (const ApplyConflict& conflict : conflicts) {
        std::string heading = "conflicts" + conflict.text().substr(8) + ":";
        if (heading != last) text += (last.empty() ? "" : "\n") + heading;
        text += "\n- " + conflict.field;
        last = heading;
    }
    return text;
}

Json apply_conflict_status(const std::vector<ApplyConflict>& conflicts) {
    Json causes = Json::array();
    for (const ApplyConflict& conflict : conflicts) {
        causes.push_back({{"reason", "FieldManagerConflict"}, {"message", conflict.text()}, {"field", conflict.field}});
    }
    return {{"kind", "Status"},
            {"apiVersion", "v1"},
            {"metadata", Json::object()},
            {"status", "Failure"},
            {"message", conflicts_text(conflicts)},
            {"reason", "Conflict"},
            {"details", {{"causes", causes}}},
            {"code", 409}};
}

}  // namespace atl::schema
