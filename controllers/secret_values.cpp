#include "controllers/secret_values.h"

#include <nlohmann/json.hpp>

#include "operator/base/base64.h"

namespace atl::controllers {

namespace {

void add_encoded(const nlohmann::json& data, std::map<std::string, std::string>& values) {
    if (!data.is_object()) return;
    for (const auto& [key, value] : data.items()) {
        if (!value.is_string()) continue;
        if (auto decoded = decode_base64(value.get_ref<const std::string&>())) values[key] = std::move(*decoded);
    }
}

void add_texts(const nlohmann::json& data, std::map<std::string, std::string>& values) {
    if (!data.is_object()) return;
    for (const auto& [key, value] : data.items()) {
        if (value.is_string()) values[key] = value.get<std::string>();
    }
}

}  // namespace

std::map<std::string, std::string> values_of(const kube::Object& object) {
    std::map<std::string, std::string> values;
    const nlohmann::json data = object.member("data");
    if (object.member("kind") == "Secret") {
        add_encoded(data, values);
        add_texts(object.member("stringData"), values);  // a manifest that no server has seen yet
        return values;
    }
    add_texts(data, values);
    add_encoded(object.member("binaryData"), values);
    return values;
}

nlohmann::json secret_data(const std::map<std::string, std::string>& values) {
    nlohmann::json data = nlohmann::json::object();
    for (const auto& [key, value] : values) data[key] = encode_base64(value);
    return data;
}

}  // namespace atl::controllers
