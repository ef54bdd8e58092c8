#include "operator/schema/shape.h"

#include <algorithm>

#include "operator/schema/built_in.h"
#include "operator/schema/typed_value.h"

namespace atl::schema {
namespace {

bool is_meta_field(std::string_view name) {
    return name == "apiVersion" || name == "kind" || name == "metadata";
}

void drop_nulls(Json& value, const Structural* node) {
    if (node == nullptr) return;
    if (value.is_array()) {
        for (Json& item : value) drop_nulls(item, node->items.get());
    } else if (value.is_object()) {
        for (auto member = value.begin(); member != value.end();) {
            const Structural* below = member_schema(node, member.key());
            bool unwanted = member->is_null() && below != nullptr && !below->nullable && !below->default_value;
            if (!unwanted) drop_nulls(*member, below);
            member = unwanted ? value.erase(member) : std::next(member);
        }
    }
}

bool wants_default(const Json& value, const Structural& node) {
    return value.is_null() && !node.nullable && node.default_value;
}

void fill(Json& value, const Structural& node) {
    if (value.is_array() && node.items) {
        for (Json& item : value) {
            if (wants_default(item, *node.items)) item = *node.items->default_value;
            fill(item, *node.items);
        }
    }
    if (!value.is_object()) return;
    for (const auto& [name, property] : node.properties) {
        if (!property.default_value) continue;
        auto found = value.find(name);
        if (found == value.end() || wants_default(*found, property)) value[name] = *property.default_value;
    }
    for (auto member = value.begin(); member != value.end(); ++member) {
        const Structural* below = node.field(member.key());
        if (below == nullptr) continue;
        if (wants_default(*member, *below)) *member = *below->default_value;
        fill(*member, *below);
    }
}

/// Walks an object and its schema; keeps the path as text, because only what is dropped needs it.
class Pruner {
public:
    std::vector<std::string> dropped;

    void prune(Json& value, const Structural* node) {
        if (value.is_array()) return prune_list(value, node);
        if (!value.is_object()) return;
        for (auto member = value.begin(); member != value.end();) {
            bool keeps = keep_member(member.key(), *member, node);
            member = keeps ? std::next(member) : value.erase(member);
        }
    }

private:
    void prune_list(Json& value, const Structural* node) {
        const Structural* items = node == nullptr ? nullptr : node->items.get();
        bool untouched = node != nullptr && node->preserve_unknown && items == nullptr;
        if (untouched) return;
        std::size_t length = path_.size();
        for (std::size_t i = 0; i < value.size(); ++i) {
            path_ += "[" + std::to_string(i) + "]";
            prune(value[i], items);
            path_.resize(length);
        }
    }

    bool keep_member(const std::string& name, Json& member, const Structural* node) {
        std::size_t length = path_.size();
        path_ += (path_.empty() ? "" : ".") + name;
        bool keep = keep_at_path(name, member, node);
        if (!keep) dropped.push_back(path_);
        path_.resize(length);
        return keep;
    }

    bool keep_at_path(const std::string& name, Json& member, const Structural* node) {
        if (node == nullptr) return false;
        if (node->embedded_resource && is_meta_field(name)) {
            if (name == "metadata") prune(member, &object_meta_schema().root());
            return true;
        }
        const Structural* below = node->field(name);
        if (below != nullptr) {
            prune(member, below);
            return true;
        }
        return node->additional_allowed || node->preserve_unknown;
    }

    std::string path_;
};

}  // namespace

void apply_defaults(Json& value, const Structural& node) {
    drop_nulls(value, &node);
    fill(value, node);
}

std::vector<std::string> prune(Json& value, const Structural& node) {
    Pruner pruner;
    pruner.prune(value, &node);
    std::ranges::sort(pruner.dropped);
    return std::move(pruner.dropped);
}

}  // namespace atl::schema
