#include "operator/schema/table.h"

#include <algorithm>

#include "operator/base/time.h"
#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

constexpr const char* kNameDescription =
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client "
    "to request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and "
    "configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

constexpr const char* kAgeDescription =
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed "
    "to be "
    "set in happens-before order across separate operations. Clients may not set this value. It is represented in "
    "RFC3339 "
    "form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

std::string text_of(const Json& column, const char* key) {
    auto found = column.find(key);
    return found != column.end() && found->is_string() ? found->get<std::string>() : "";
}

Json definition_of(const Json& column) {
    std::string description = text_of(column, "description");
    std::string path = text_of(column, "jsonPath");
    if (description.empty()) description = "Custom resource definition column (in JSONPath format): " + path;
    auto priority = column.find("priority");
    bool counted = priority != column.end() && priority->is_number_integer();
    return {{"name", text_of(column, "name")},
            {"type", text_of(column, "type")},
            {"format", text_of(column, "format")},
            {"description", description},
            {"priority", counted ? priority->get<std::int64_t>() : 0}};
}

std::string shown(const Json& value) {
    return value.is_string() ? value.get<std::string>() : go_json(value);
}

Json date_cell(const Json& value, WallTime now) {
    if (!value.is_string()) return nullptr;
    const auto& text = value.get_ref<const std::string&>();
    if (text.empty()) return "<unknown>";
    std::optional<WallTime> time = parse_rfc3339(text);
    if (!time) return "<invalid>";
    return human_duration(std::chrono::duration_cast<Duration>(now - *time));
}

Json cell_of(const std::string& type, const Json& value, WallTime now) {
    if (value.is_null()) return nullptr;
    if (type == "string") return shown(value);
    if (type == "date") return date_cell(value, now);
    if (type == "boolean") return value.is_boolean() ? value : Json();
    if (!value.is_number()) return nullptr;
    if (type == "integer") return value.get<std::int64_t>();
    return type == "number" ? Json(value.get<double>()) : Json();
}

}  // namespace

Result<TableColumns> TableColumns::compile(const Json& columns) {
    static const Json age = Json::array({{{"name", "Age"},
                                          {"type", "date"},
                                          {"description", kAgeDescription},
                                          {"jsonPath", ".metadata.creationTimestamp"}}});
    TableColumns table;
    for (const Json& column : columns.is_array() && !columns.empty() ? columns : age) {
        if (!column.is_object()) return atl::invalid("BadColumn", "a printer column must be an object");
        Result<JsonPath> path = JsonPath::compile(text_of(column, "jsonPath"));
        if (!path) return std::move(path).error().during("column " + go_quote(text_of(column, "name")));
        table.columns_.push_back({definition_of(column), std::move(*path)});
    }
    return table;
}

Json TableColumns::definitions() const {
    Json all = Json::array({{{"name", "Name"},
                             {"type", "string"},
                             {"format", "name"},
                             {"description", kNameDescription},
                             {"priority", 0}}});
    for (const Column& column : columns_) all.push_back(column.definition);
    return all;
}

Json TableColumns::cells(const Json& object, WallTime now) const {
    static const Json::json_pointer name("/metadata/name");
    Json row = Json::array({object.is_object() && object.contains(name) ? object[name] : Json("")});
    for (const Column& column : columns_) {
        auto found = column.path.find(object);
        const auto& type = column.definition["type"].get_ref<const std::string&>();
        row.push_back(found.empty() ? Json() : cell_of(type, *found.front(), now));
    }
    return row;
}

}  // namespace atl::schema
