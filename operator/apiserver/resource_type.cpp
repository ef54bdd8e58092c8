#include "operator/apiserver/resource_type.h"

#include <algorithm>
#include <cstdlib>

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

bool is_current(const ResourceType& type, const json& object) {
    if (type.defined_at == 0) return true;
    const std::string digits = text_of(child(object, "metadata"), "resourceVersion");
    return std::strtoll(digits.c_str(), nullptr, 10) > type.defined_at;
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
    if (!is_current(type, object)) type.schema.apply_defaults(object);
    return object;
}

CurrentText::CurrentText(const ResourceType& type)
    : start_(start_of_text(type.api_version())), defined_at_(type.defined_at) {}

bool CurrentText::operator()(const std::string& text) const {
    return text.starts_with(start_) && (defined_at_ == 0 || revision_in(text) > defined_at_);
}

std::string read_text(const ResourceType& type, const std::string& text) {
    if (CurrentText(type)(text)) return text;
    return render_whole(read_object(type, text));
}

void to_storage(const ResourceType& type, json& object) {
    convert(type, object, type.storage_api_version);
}

}  // namespace atl::apiserver
