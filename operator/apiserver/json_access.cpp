#include "operator/apiserver/json_access.h"

#include <nlohmann/json.hpp>

namespace atl::apiserver {

using nlohmann::json;

const json& child(const json& object, const std::string& name) {
    static const json kNull;
    if (!object.is_object()) return kNull;
    const auto found = object.find(name);
    return found == object.end() ? kNull : *found;
}

std::string text_of(const json& object, const std::string& name) {
    const json& value = child(object, name);
    return value.is_string() ? value.get<std::string>() : "";
}

const json& list_of(const json& object, const std::string& name) {
    static const json kEmpty = json::array();
    const json& value = child(object, name);
    return value.is_array() ? value : kEmpty;
}

std::vector<std::string> texts_of(const json& object, const std::string& name) {
    std::vector<std::string> texts;
    for (const json& value : list_of(object, name)) {
        if (value.is_string()) texts.push_back(value.get<std::string>());
    }
    return texts;
}

bool is_true(const json& object, const std::string& name) {
    const json& value = child(object, name);
    return value.is_boolean() && value.get<bool>();
}

}  // namespace atl::apiserver
