#include <algorithm>
#include <array>

#include "operator/schema/go_text.h"
#include "operator/schema/patch.h"

namespace atl::schema {
namespace {

using Json = nlohmann::json;

/// Lists of the built-in kinds that merge. An empty key: a list of plain values, merged by value.
struct MergedList {
    std::string_view path;
    std::string_view key;
};

constexpr MergedList kMergedLists[] = {{"metadata.finalizers", ""},
                                       {"metadata.ownerReferences", "uid"},
                                       {"secrets", "name"},
                                       {"status.conditions", "type"},
                                       {"imagePullSecrets", "name"}};

const MergedList* merged_list(const std::string& path) {
    auto found = std::ranges::find(kMergedLists, path, &MergedList::path);
    return found == std::end(kMergedLists) ? nullptr : found;
}

Error bad_patch(std::string why) {
    return atl::invalid("InvalidPatch", std::move(why)).with_status(400);
}

std::string directive_of(const Json& patch) {
    auto found = patch.find("$patch");
    return found != patch.end() && found->is_string() ? found->get<std::string>() : "";
}

bool is_directive(const std::string& key) {
    return key == "$patch" || key == "$retainKeys" || key.starts_with("$setElementOrder/") ||
           key.starts_with("$deleteFromPrimitiveList/");
}

Json without_directives(const Json& patch) {
    Json value = Json::object();
    for (const auto& [key, member] : patch.items()) {
        if (is_directive(key) || member.is_null()) continue;
        value[key] = member.is_object() ? without_directives(member) : member;
    }
    return value;
}

class Merger {
public:
    Result<Json> object(Json target, const Json& patch, const std::string& path) {
        std::string directive = directive_of(patch);
        if (directive == "delete") return Json::object();
        if (directive == "replace") return without_directives(patch);
        if (!directive.empty() && directive != "merge")
            return bad_patch("unknown $patch directive " + go_quote(directive));
        if (!target.is_object()) target = Json::object();
        for (const auto& [key, value] : patch.items()) {
            if (is_directive(key)) continue;
            std::string below = path.empty() ? key : path + "." + key;
            if (value.is_null()) {
                target.erase(key);
                continue;
            }
            Result<Json> merged = member(target.value(key, Json()), value, below);
            if (!merged) return merged;
            target[key] = std::move(*merged);
        }
        return directed(std::move(target), patch);
    }

private:
    Result<Json> member(Json target, const Json& patch, const std::string& path) {
        if (patch.is_object()) return object(std::move(target), patch, path);
        const MergedList* list = merged_list(path);
        if (!patch.is_array() || list == nullptr) return patch;
        if (!target.is_array()) target = Json::array();
        return list->key.empty() ? values(target, patch) : items(std::move(target), patch, *list);
    }

    static Result<Json> values(const Json& target, const Json& patch) { return in_order(target, patch, target, ""); }

    Result<Json> items(Json target, const Json& patch, const MergedList& list) {
        std::string key(list.key);
        Json before = target;
        Json named = Json::array();
        for (const Json& item : patch) {
            if (!item.is_object()) return bad_patch("an item of " + std::string(list.path) + " must be an object");
            if (directive_of(item) == "replace" && !item.contains(key)) {
                target = before = Json::array();
                continue;
            }
            if (!item.contains(key)) {
                return bad_patch("map: " + go_json(item) + " does not contain declared merge key: " + key);
            }
            const Json* same = item_with(target, item[key], key);
            if (directive_of(item) == "delete") {
                if (same != nullptr) target.erase(static_cast<std::size_t>(same - &target[0]));
                continue;
            }
            Result<Json> merged = object(same == nullptr ? Json() : *same, item, std::string(list.path) + "[]");
            if (!merged) return merged;
            named.push_back(std::move(*merged));
        }
        return in_order(target, named, before, key);
    }

    static const Json* item_with(const Json& list, const Json& value, const std::string& key) {
        for (const Json& item : list) {
            bool same = key.empty() ? item == value : item.is_object() && item.value(key, Json()) == value;
            if (same) return &item;
        }
        return nullptr;
    }

    /// The items of the patch in their order, and those that only the target has where they were: what is new comes
    /// first.
    static Json in_order(const Json& target, const Json& patch, const Json& before, const std::string& key) {
        auto id = [&](const Json& item) -> const Json& { return key.empty() ? item : item[key]; };
        auto place = [&](const Json& item) {
            const Json* found = item_with(before, id(item), key);
            return found == nullptr ? std::ptrdiff_t{-1} : found - &before[0];
        };
        Json out = Json::array();
        std::size_t next = 0;
        for (const Json& item : target) {
            if (key.empty() ? item_with(patch, item, key) != nullptr
                            : item_with(patch, item.value(key, Json()), key) != nullptr)
                continue;
            for (; next < patch.size() && place(patch[next]) < place(item); ++next) out.push_back(patch[next]);
            out.push_back(item);
        }
        for (; next < patch.size(); ++next) out.push_back(patch[next]);
        return out;
    }

    /// $deleteFromPrimitiveList and $retainKeys; the order that $setElementOrder asks for.
    static Result<Json> directed(Json target, const Json& patch) {
        for (const auto& [key, value] : patch.items()) {
            std::string name = key.substr(key.find('/') + 1);
            if (!value.is_array() || !is_directive(key)) continue;
            if (key == "$retainKeys") {
                for (auto member = target.begin(); member != target.end();) {
                    bool keeps = std::ranges::find(value, Json(member.key())) != value.end();
                    member = keeps ? std::next(member) : target.erase(member);
                }
            } else if (key.starts_with("$delete") && target.contains(name) && target[name].is_array()) {
                Json kept = Json::array();
                for (const Json& item : target[name]) {
                    if (std::ranges::find(value, item) == value.end()) kept.push_back(item);
                }
                target[name] = std::move(kept);
            } else if (key.starts_with("$setElementOrder") && target.contains(name) && target[name].is_array()) {
                order(target[name], value);
            }
        }
        return target;
    }

    /// Puts the items that the order names into it; the others stay behind them.
    static void order(Json& list, const Json& wanted) {
        auto rank = [&](const Json& item) {
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                bool same =
                    wanted[i] == item || (wanted[i].is_object() && item.is_object() && is_part_of(wanted[i], item));
                if (same) return i;
            }
            return wanted.size();
        };
        std::vector<std::pair<std::size_t, std::size_t>> places;
        for (std::size_t i = 0; i < list.size(); ++i) places.emplace_back(rank(list[i]), i);
        std::ranges::sort(places);
        Json ordered = Json::array();
        for (const auto& place : places) ordered.push_back(list[place.second]);
        list = std::move(ordered);
    }

    static bool is_part_of(const Json& part, const Json& whole) {
        return std::ranges::all_of(part.items(), [&](const auto& member) {
            return whole.contains(member.key()) && whole[member.key()] == member.value();
        });
    }
};

}  // namespace

Result<Json> strategic_merge_patch(const Json& document, const Json& patch) {
    if (!patch.is_object()) return bad_patch("a strategic merge patch must be an object");
    return Merger().object(document, patch, "");
}

}  // namespace atl::schema
