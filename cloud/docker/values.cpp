#include "cloud/docker/values.h"

namespace atl::cloud::docker {

namespace {

const Json kNull;
const Json kEmptyList = Json::array();

}  // namespace

const Json& at(const Json& tree, Path path) {
    const Json* value = &tree;
    for (const std::string_view step : path) {
        if (!value->is_object()) return kNull;
        const auto member = value->find(step);
        if (member == value->end()) return kNull;
        value = &*member;
    }
    return *value;
}

std::string text_at(const Json& tree, Path path) {
    const Json& value = at(tree, path);
    return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t number_at(const Json& tree, Path path, std::int64_t otherwise) {
    const Json& value = at(tree, path);
    return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

bool is_true_at(const Json& tree, Path path) {
    const Json& value = at(tree, path);
    return value.is_boolean() && value.get<bool>();
}

std::map<std::string, std::string> texts_at(const Json& tree, Path path) {
    std::map<std::string, std::string> texts;
    const Json& value = at(tree, path);
    if (!value.is_object()) return texts;
    for (const auto& member : value.items()) {
        if (member.value().is_string()) texts.emplace(member.key(), member.value().get<std::string>());
    }
    return texts;
}

const Json& list_at(const Json& tree, Path path) {
    const Json& value = at(tree, path);
    return value.is_array() ? value : kEmptyList;
}

}  // namespace atl::cloud::docker
