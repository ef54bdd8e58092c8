#include "operator/schema/managers.h"

#include <algorithm>
#include <tuple>

#include "operator/base/time.h"

namespace atl::schema {
namespace {

constexpr std::size_t kMaxUpdaters = 10;

std::string text_of(const Json& entry, const char* key) {
    auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t seconds_of(const std::string& time) {
    std::optional<WallTime> parsed = parse_rfc3339(time);
    return parsed ? std::chrono::duration_cast<std::chrono::seconds>(parsed->time_since_epoch()).count() : 0;
}

Json entry_json(const ManagerKey& key, const ManagerEntry& entry) {
    Json json = {{"manager", key.manager},
                 {"operation", key.operation},
                 {"apiVersion", entry.api_version},
                 {"fieldsType", "FieldsV1"},
                 {"fieldsV1", entry.fields.to_json()}};
    if (!entry.time.empty()) json["time"] = entry.time;
    if (!key.subresource.empty()) json["subresource"] = key.subresource;
    return json;
}

using Place = std::tuple<std::string, std::int64_t, std::string, std::string, std::string>;

Place place_of(const ManagerKey& key, const ManagerEntry& entry) {
    return {key.operation, seconds_of(entry.time), key.manager, entry.api_version, key.subresource};
}

FieldSet make_unowned() {
    FieldSet set;
    set.children["f:apiVersion"].member = true;
    set.children["f:kind"].member = true;
    FieldSet& metadata = set.children["f:metadata"];
    metadata.member = true;
    for (const char* name : {"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation",
                             "managedFields", "resourceVersion"}) {
        metadata.children[field_step(name)].member = true;
    }
    return set;
}

}  // namespace

Managers read_managers(const Json& object) {
    Managers managers;
    static const Json::json_pointer place("/metadata/managedFields");
    if (!object.is_object() || !object.contains(place) || !object[place].is_array()) return managers;
    for (const Json& entry : object[place]) {
        if (!entry.is_object() || !entry.contains("fieldsV1")) continue;
        Result<FieldSet> fields = FieldSet::from_json(entry["fieldsV1"]);
        std::string operation = text_of(entry, "operation");
        if (!fields || (operation != "Apply" && operation != "Update")) continue;
        std::string api_version = text_of(entry, "apiVersion");
        ManagerKey key{operation, text_of(entry, "manager"), operation == "Apply" ? "" : api_version,
                       text_of(entry, "subresource")};
        auto [found, is_new] =
            managers.try_emplace(key, ManagerEntry{std::move(*fields), api_version, text_of(entry, "time")});
        if (!is_new) found->second.fields = united(found->second.fields, *FieldSet::from_json(entry["fieldsV1"]));
    }
    return managers;
}

void write_managers(const Managers& managers, Json& object) {
    if (!object.is_object()) return;
    std::vector<std::pair<Place, Json>> rows;
    for (const auto& [key, entry] : managers) rows.emplace_back(place_of(key, entry), entry_json(key, entry));
    std::ranges::sort(rows, {}, &std::pair<Place, Json>::first);
    Json list = Json::array();
    for (auto& row : rows) list.push_back(std::move(row.second));
    if (!list.empty()) {
        object["metadata"]["managedFields"] = std::move(list);
    } else if (object.contains("metadata") && object["metadata"].is_object()) {
        object["metadata"].erase("managedFields");
    }
}

Json without_managed_fields(Json object) {
    if (!object.is_object()) return Json::object();
    auto metadata = object.find("metadata");
    if (metadata != object.end() && metadata->is_object()) metadata->erase("managedFields");
    return object;
}

const FieldSet& unowned_fields() {
    static const FieldSet set = make_unowned();
    return set;
}

void cap_updaters(Managers& managers) {
    std::vector<std::pair<std::int64_t, ManagerKey>> updaters;
    for (const auto& [key, entry] : managers) {
        if (key.operation == "Update") updaters.emplace_back(seconds_of(entry.time), key);
    }
    std::ranges::sort(updaters);
    std::size_t count = updaters.size();
    std::map<std::string, ManagerKey> first;
    for (const auto& [seconds, key] : updaters) {
        if (count <= kMaxUpdaters) return;
        auto [known, is_new] = first.try_emplace(key.api_version, key);
        if (is_new) continue;
        ManagerKey bucket{"Update", "ancient-changes", key.api_version, ""};
        if (known->second != bucket) {
            managers[bucket] = managers[known->second];
            managers.erase(known->second);
            known->second = bucket;
        }
        managers[bucket].fields = united(managers[bucket].fields, managers[key].fields);
        managers[bucket].time = managers[key].time;
        managers.erase(key);
        --count;
    }
}

}  // namespace atl::schema
