#include "operator/schema/cel/list_merge.h"

#include <algorithm>

namespace atl::schema::cel {
namespace {

/// The list's type, if it is one of the document's that has an order of its own.
const Type* ordered_type(const Value& list) {
    const Node* node = list.as<Node>();
    bool special = node != nullptr && node->type != nullptr && node->type->order != ListOrder::Ordered;
    return special ? node->type : nullptr;
}

bool same_keys(const Value& a, const Value& b, const std::vector<std::string>& keys) {
    if (!is_map(a) || !is_map(b)) return false;
    return std::ranges::all_of(keys, [&](const std::string& key) {
        Value name = Value::text(escape(key));
        if (!map_has(a, name) || !map_has(b, name)) return map_has(a, name) == map_has(b, name);
        return equals(map_get(a, name), map_get(b, name));
    });
}

void merge_item(Values& items, const Value& item, const Type& type) {
    for (Value& present : items) {
        bool same = type.order == ListOrder::Set ? equals(present, item) : same_keys(present, item, type.list_keys);
        if (!same) continue;
        present = item;
        return;
    }
    items.push_back(item);
}

}  // namespace

Value add_lists(std::span<const Value> args) {
    Values items;
    for (std::size_t i = 0; i < list_size(args[0]); ++i) items.push_back(list_item(args[0], i));
    const Type* type = ordered_type(args[0]);
    for (std::size_t i = 0; i < list_size(args[1]); ++i) {
        if (type != nullptr) {
            merge_item(items, list_item(args[1], i), *type);
        } else {
            items.push_back(list_item(args[1], i));
        }
    }
    return Value::list(std::move(items));
}

}  // namespace atl::schema::cel
