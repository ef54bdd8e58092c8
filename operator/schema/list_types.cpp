#include <set>

#include "operator/schema/go_text.h"
#include "operator/schema/value_validator.h"

namespace atl::schema {
namespace {

/// The keys of an item of a list map that it has: {"name": "web"}.
Json keys_of(const Structural& list, const Json& item) {
    Json keys = Json::object();
    if (!item.is_object()) return keys;
    for (const std::string& key : list.list_keys) {
        auto found = item.find(key);
        if (found != item.end()) keys[key] = *found;
    }
    return keys;
}

/// Reports the second of equal values, once for each value.
void report_repeated(const std::vector<Json>& values, const FieldPath& path, FieldErrors& errors) {
    std::set<Json> seen;
    std::set<Json> reported;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (seen.insert(values[i]).second || !reported.insert(values[i]).second) continue;
        errors.push_back(duplicate(path.index(i).text(), values[i]));
    }
}

void check_list(const Structural& list, const Json& value, const FieldPath& path, FieldErrors& errors) {
    if (list.list_type == ListType::Set && value.size() > 1) {
        report_repeated(std::vector<Json>(value.begin(), value.end()), path, errors);
    } else if (list.list_type == ListType::Map) {
        std::vector<Json> keys;
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!value[i].is_object() && !value[i].is_null()) {
                errors.push_back(
                    invalid(path.index(i).text(), value[i], "must be an object for an array of list-type map"));
                return;
            }
            keys.push_back(keys_of(list, value[i]));
        }
        report_repeated(keys, path, errors);
    }
    if (!list.items) return;
    for (std::size_t i = 0; i < value.size(); ++i) check_list_types(*list.items, value[i], path.index(i), errors);
}

}  // namespace

void check_list_types(const Structural& node, const Json& value, const FieldPath& path, FieldErrors& errors) {
    if (value.is_array()) return check_list(node, value, path, errors);
    if (!value.is_object()) return;
    for (auto member = value.begin(); member != value.end(); ++member) {
        if (const Structural* declared = node.property(member.key())) {
            check_list_types(*declared, *member, path.child(member.key()), errors);
        } else if (node.additional) {
            check_list_types(*node.additional, *member, path.key(member.key()), errors);
        }
    }
}

OldItems::OldItems(const Structural& list, const Json* old_list) : list_(list) {
    if (old_list == nullptr || !old_list->is_array() || list.list_type != ListType::Map) return;
    for (const Json& item : *old_list) items_.emplace(go_json(keys_of(list, item)), &item);
}

const Json* OldItems::find(const Json& item) const {
    if (items_.empty()) return nullptr;
    auto found = items_.find(go_json(keys_of(list_, item)));
    return found == items_.end() ? nullptr : found->second;
}

}  // namespace atl::schema
