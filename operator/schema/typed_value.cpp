#include "operator/schema/typed_value.h"

#include <algorithm>

#include "operator/schema/built_in.h"
#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

void add_fields(const Json& value, const Structural* node, FieldSet& set) {
    if (value.is_array()) {
        if (is_atomic_list(node)) {
            set.member = true;
            return;
        }
        for (const Json& item : value) {
            FieldSet& child = set.children[item_step(*node, item)];
            add_fields(item, item_schema(node), child);
            child.member = true;
        }
        return;
    }
    if (!value.is_object() || is_atomic_object(node)) {
        set.member = true;
        return;
    }
    for (auto member = value.begin(); member != value.end(); ++member) {
        FieldSet& child = set.children[field_step(member.key())];
        add_fields(*member, member_schema(node, member.key()), child);
        bool declared = node != nullptr && (node->property(member.key()) != nullptr ||
                                            (node->embedded_resource && member.key() == "metadata"));
        bool is_empty = member->is_null() || (member->is_object() && member->empty());
        if (is_empty || !declared) child.member = true;
    }
}

bool is_empty_or_absent(const Json* value) {
    return value == nullptr || value->is_null() || value->empty();
}

/// Compares two versions of a value, either of which may be absent, and puts what it finds at the place of each set.
class Comparer {
public:
    struct Places {
        FieldSet& removed;
        FieldSet& modified;
        FieldSet& added;
        Places at(const std::string& step) {
            return {removed.children[step], modified.children[step], added.children[step]};
        }
    };

    static void compare(const Json* before, const Json* after, const Structural* node, Places places) {
        bool same_shape = before == nullptr || after == nullptr || before->type() == after->type() ||
                          (!before->is_structured() && !after->is_structured());
        if (!same_shape) {
            compare(before, nullptr, node, places);
            compare(nullptr, after, node, places);
            places.removed.member = places.added.member = false;
            places.modified.member = true;
            return;
        }
        const Json& shape = after != nullptr ? *after : *before;
        bool is_leaf = !shape.is_structured() || (is_empty_or_absent(before) && is_empty_or_absent(after)) ||
                       (shape.is_array() ? is_atomic_list(node) : is_atomic_object(node));
        if (is_leaf) {
            if (before != nullptr && after != nullptr) places.modified.member = *before != *after;
        } else if (shape.is_array()) {
            compare_items(before, after, node, places);
        } else {
            compare_members(before, after, node, places);
        }
        if (before == nullptr) places.added.member = true;
        if (after == nullptr) places.removed.member = true;
    }

private:
    static const Json* member_of(const Json* object, const std::string& name) {
        if (object == nullptr) return nullptr;
        auto found = object->find(name);
        return found == object->end() ? nullptr : &*found;
    }

    static void compare_members(const Json* before, const Json* after, const Structural* node, Places places) {
        if (before != nullptr) {
            for (auto member = before->begin(); member != before->end(); ++member) {
                compare(&*member, member_of(after, member.key()), member_schema(node, member.key()),
                        places.at(field_step(member.key())));
            }
        }
        if (after == nullptr) return;
        for (auto member = after->begin(); member != after->end(); ++member) {
            if (member_of(before, member.key()) != nullptr) continue;
            compare(nullptr, &*member, member_schema(node, member.key()), places.at(field_step(member.key())));
        }
    }

    static void compare_items(const Json* before, const Json* after, const Structural* node, Places places) {
        std::map<std::string, std::pair<const Json*, const Json*>> items;
        if (before != nullptr) {
            for (const Json& item : *before) items[item_step(*node, item)].first = &item;
        }
        if (after != nullptr) {
            for (const Json& item : *after) items[item_step(*node, item)].second = &item;
        }
        for (const auto& [step, pair] : items) compare(pair.first, pair.second, item_schema(node), places.at(step));
    }
};

/// The steps of a list's items, and where each stands first: lists may have a hundred thousand items.
class ListSteps {
public:
    ListSteps(const Json& list, const Structural& node) {
        for (const Json& item : list) {
            steps_.push_back(item_step(node, item));
            places_.emplace(steps_.back(), steps_.size() - 1);
        }
    }
    std::size_t size() const { return steps_.size(); }
    const std::string& operator[](std::size_t at) const { return steps_[at]; }
    /// size() if there is none.
    std::size_t find(const std::string& step) const {
        const auto found = places_.find(step);
        return found == places_.end() ? steps_.size() : found->second;
    }

private:
    std::vector<std::string> steps_;
    std::map<std::string, std::size_t> places_;
};

Json merged_lists(const Json& value, const Json& patch, const Structural* node) {
    const ListSteps old_steps(value, *node);
    const ListSteps new_steps(patch, *node);
    Json out = Json::array();
    std::size_t next = 0;  // the next item of the patch
    for (std::size_t i = 0; i < value.size(); ++i) {
        std::size_t at = new_steps.find(old_steps[i]);
        if (at == new_steps.size()) {
            out.push_back(value[i]);
            continue;
        }
        // A shared item: what the patch has before it, and not yet placed, goes before it.
        for (; next <= at && next < patch.size(); ++next) {
            std::size_t old_at = old_steps.find(new_steps[next]);
            out.push_back(old_at == old_steps.size() ? patch[next]
                                                     : merged(value[old_at], patch[next], item_schema(node)));
        }
    }
    for (; next < patch.size(); ++next) {
        std::size_t old_at = old_steps.find(new_steps[next]);
        out.push_back(old_at == old_steps.size() ? patch[next] : merged(value[old_at], patch[next], item_schema(node)));
    }
    return out;
}

}  // namespace

const Structural* member_schema(const Structural* node, std::string_view name) {
    if (node == nullptr) return nullptr;
    if (node->embedded_resource && name == "metadata") return &object_meta_schema().root();
    return node->field(name);
}

const Structural* item_schema(const Structural* node) {
    return node == nullptr ? nullptr : node->items.get();
}

bool is_atomic_list(const Structural* node) {
    return node == nullptr || node->list_type == ListType::Atomic;
}

bool is_atomic_object(const Structural* node) {
    return node != nullptr && node->atomic_map;
}

std::string item_step(const Structural& list, const Json& item) {
    if (list.list_type == ListType::Set) return "v:" + go_json(item);
    Json keys = Json::object();
    for (const std::string& key : list.list_keys) {
        auto found = item.is_object() ? item.find(key) : item.end();
        if (item.is_object() && found != item.end()) {
            keys[key] = *found;
            continue;
        }
        const Structural* property = list.items ? list.items->property(key) : nullptr;
        if (property != nullptr && property->default_value) keys[key] = *property->default_value;
    }
    return "k:" + go_json(keys);
}

FieldSet fields_of(const Json& value, const Structural* node) {
    FieldSet set;
    add_fields(value, node, set);
    set.trim();
    return set;
}

Comparison compared(const Json& before, const Json& after, const Structural* node) {
    Comparison result;
    Comparer::compare(&before, &after, node, {result.removed, result.modified, result.added});
    for (FieldSet* set : {&result.removed, &result.modified, &result.added}) set->trim();
    return result;
}

Json merged(const Json& value, const Json& patch, const Structural* node) {
    if (value.is_object() && patch.is_object() && !is_atomic_object(node)) {
        Json out = value;
        for (auto member = patch.begin(); member != patch.end(); ++member) {
            auto found = out.find(member.key());
            Json below = found == out.end() ? *member : merged(*found, *member, member_schema(node, member.key()));
            out[member.key()] = std::move(below);
        }
        return out;
    }
    if (value.is_array() && patch.is_array() && !is_atomic_list(node)) return merged_lists(value, patch, node);
    bool holds_fields = value.is_array() ? !is_atomic_list(node) : value.is_object() && !is_atomic_object(node);
    if (patch.is_null() && holds_fields && !value.empty()) return value;
    return patch;
}

Json with_removed(const Json& value, const FieldSet& set, const Structural* node) {
    if (value.is_object() && !is_atomic_object(node)) {
        Json out = Json::object();
        for (auto member = value.begin(); member != value.end(); ++member) {
            const FieldSet* below = set.find(field_step(member.key()));
            if (below != nullptr && below->member) continue;
            out[member.key()] =
                below == nullptr ? *member : with_removed(*member, *below, member_schema(node, member.key()));
        }
        return out;
    }
    if (!value.is_array() || is_atomic_list(node)) return value;
    Json out = Json::array();
    for (const Json& item : value) {
        const FieldSet* below = set.find(item_step(*node, item));
        if (below != nullptr && below->member) continue;
        out.push_back(below == nullptr ? item : with_removed(item, *below, item_schema(node)));
    }
    return out;
}

FieldSet with_named_fields(const FieldSet& set, const Structural* node) {
    FieldSet out;
    out.member = set.member;
    for (const auto& [step, child] : set.children) {
        bool is_field = step.starts_with("f:");
        std::string_view name = std::string_view(step).substr(2);
        const Structural* below = is_field ? member_schema(node, name) : item_schema(node);
        FieldSet named = with_named_fields(child, below);
        bool declared = is_field && node != nullptr &&
                        (node->property(name) != nullptr || (node->embedded_resource && name == "metadata"));
        named.member = child.member || (declared && !child.children.empty());
        out.children.emplace(step, std::move(named));
    }
    return out;
}

}  // namespace atl::schema
