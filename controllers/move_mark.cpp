#include "controllers/move_mark.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "operator/kube/conditions.h"

namespace atl::controllers {

namespace {

using nlohmann::json;
using State = MoveMark::State;

constexpr std::array<std::pair<State, std::string_view>, 3> kWords{
    {{State::Leaving, "leaving"}, {State::Left, "left"}, {State::Arriving, "arriving"}}};

std::string owner_id(const kube::Object& object) {
    return object.annotation(marks::kOwnerId).value_or("");
}

Error refuse(const MoveItem& item, const std::string& why) {
    return invalid("CannotMove", item.to_string() + " " + why);
}

/// What stands in the way in the target.
Result<Unit> may_replace(const MoveItem& item) {
    const kube::Object& there = *item.there;
    if (there.meta().uid == item.object.meta().uid)
        return refuse(item, "is the same object on both sides: --from and --to lead to one API server");
    const State state = move_mark_of(there).state;
    const bool same = owner_id(there) == owner_id(item.object);
    if (item.has_left())
        return same ? Result<Unit>(ok())
                    : refuse(item,
                             "was moved, but the target has another object of this name: is --to the same as the first "
                             "time?");
    if (state == State::Arriving && same && !there.meta().being_deleted()) return ok();
    if (state == State::Left)
        return refuse(
            item, "is left in the target by a move in the other direction that has not ended: run that again first");
    if (same && !owner_id(there).empty())
        return refuse(item,
                      "is in the target already, with the same identity and not as a copy: both would work on the same "
                      "things. Find out which one is right, and let the other go with annotation " +
                          std::string(marks::kAbandon));
    return refuse(item, "exists in the target with another identity: rename or remove it there");
}

json text_map(const json& metadata, const char* member) {
    const auto found = metadata.find(member);
    return found != metadata.end() && found->is_object() ? *found : json::object();
}

json owners_in_target(const json& metadata, const MovedUids& uids) {
    json owners = json::array();
    const auto found = metadata.find("ownerReferences");
    if (found == metadata.end() || !found->is_array()) return owners;
    for (json owner : *found) {
        if (!owner.is_object() || !owner.contains("uid") || !owner["uid"].is_string()) continue;
        const auto uid = uids.find(owner["uid"].get<std::string>());
        if (uid == uids.end()) continue;
        owner["uid"] = uid->second;
        owners.push_back(std::move(owner));
    }
    return owners;
}

}  // namespace

std::string MoveMark::to_string() const {
    for (const auto& [one, word] : kWords) {
        if (one == state) return std::string(word) + "/" + id;
    }
    return "";
}

MoveMark move_mark_of(const kube::Object& object) {
    const std::string text = object.annotation(marks::kMove).value_or("");
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return {};
    for (const auto& [state, word] : kWords) {
        if (text.substr(0, slash) == word) return {state, text.substr(slash + 1)};
    }
    return {};
}

bool is_seen_paused(const kube::Object& object, const MoveMark& mark) {
    const json status = object.member("status");
    if (!status.is_object() || !status.contains("conditions")) return false;
    const kube::Conditions conditions(status["conditions"], object.meta().generation, {});
    const kube::Condition* paused = conditions.find(kube::condition::kPaused);
    return paused != nullptr && paused->status == kube::ConditionStatus::True &&
           paused->message.find("\"" + std::string(marks::kMove) + "=" + mark.to_string() + "\"") != std::string::npos;
}

Result<Unit> may_move(const MoveItem& item) {
    const State state = item.mark().state;
    if (state == State::Arriving)
        return refuse(item, "is here an unfinished copy of another move: run that again first, or delete the copy");
    if (state != State::Left && item.object.meta().being_deleted())
        return refuse(item, "is being deleted: wait until it is gone");
    if (item.there) return may_replace(item);
    // A Machine is a record that its Cluster writes again.
    if (state == State::Left && item.type != types::kMachine)
        return refuse(item,
                      "was moved, but the target does not have it: is --to the same as the first time? If it was "
                      "deleted there, take its finalizers off here");
    return ok();
}

json copy_of(const kube::ResourceType& type, const kube::Object& object, const MovedUids& uids, const MoveMark& mark) {
    json copy = object.json();
    const json metadata = copy.contains("metadata") && copy["metadata"].is_object() ? copy["metadata"] : json::object();
    copy.erase("status");
    copy["apiVersion"] = type.api_version();
    copy["kind"] = type.kind;
    json annotations = text_map(metadata, "annotations");
    annotations.erase(marks::kMove);
    if (mark.state != State::None) annotations[marks::kMove] = mark.to_string();
    std::vector<std::string> finalizers = object.meta().finalizers;
    std::erase_if(finalizers, [](const std::string& name) { return !name.starts_with("atoll.dev/"); });
    copy["metadata"] = {{"name", object.key().name},
                        {"labels", text_map(metadata, "labels")},
                        {"annotations", std::move(annotations)},
                        {"finalizers", finalizers},
                        {"ownerReferences", owners_in_target(metadata, uids)}};
    if (type.namespaced) copy["metadata"]["namespace"] = object.key().ns;
    return copy;
}

bool holds_copy(const kube::Object& present, const json& copy) {
    const MovedUids none;
    json mine = present.json();
    for (const auto& [name, value] : copy.items()) {
        if (name == "metadata" || name == "apiVersion" || name == "kind") continue;
        if (!mine.contains(name) || mine[name] != value) return false;
    }
    const json& metadata = mine["metadata"];
    for (const char* member : {"labels", "annotations"}) {
        if (text_map(metadata, member) != copy["metadata"][member]) return false;
    }
    for (const char* member : {"finalizers", "ownerReferences"}) {
        if (metadata.value(member, json::array()) != copy["metadata"][member]) return false;
    }
    return true;
}

std::optional<std::string> lost_field(const json& sent, const json& stored, const std::string& path) {
    if (sent.is_object() && stored.is_object()) {
        for (const auto& [name, value] : sent.items()) {
            const auto found = stored.find(name);
            if (found == stored.end()) return path + "." + name;
            if (auto lost = lost_field(value, *found, path + "." + name)) return lost;
        }
        return std::nullopt;
    }
    if (sent.is_array() && stored.is_array() && sent.size() == stored.size()) {
        for (std::size_t i = 0; i < sent.size(); ++i) {
            if (auto lost = lost_field(sent[i], stored[i], path + "[" + std::to_string(i) + "]")) return lost;
        }
        return std::nullopt;
    }
    return sent == stored ? std::nullopt : std::optional(path);
}

}  // namespace atl::controllers
