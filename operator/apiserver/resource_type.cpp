#include "operator/apiserver/resource_type.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

void convert(const ResourceType& type, json& object, const std::string& api_version) {
    if (text_of(object, "apiVersion") == api_version) return;
    if (type.behaviour.convert) {
        type.behaviour.convert(object, api_version);
    } else {
        object["apiVersion"] = api_version;
    }
}

}  // namespace

std::string ResourceType::api_version() const {
    return api_version_of(group, version);
}

bool ResourceType::has_verb(std::string_view verb) const {
    return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

json read_object(const ResourceType& type, const std::string& text) {
    json object = parse_stored(text);
    convert(type, object, type.api_version());
    return object;
}

void to_storage(const ResourceType& type, json& object) {
    convert(type, object, type.storage_api_version);
}

}  // namespace atl::apiserver
