#include "operator/apiserver/object_text.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr const char* kFirst[] = {"apiVersion", "kind"};
constexpr std::string_view kVersionMark = "\"resourceVersion\":\"";

std::string text_of(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void append(std::string& text, const std::string& name, const json& value) {
    if (text.back() != '{') text += ',';
    text += text_of(name) + ":" + text_of(value);
}

/// metadata, with resourceVersion first and empty; gives the place for it.
std::size_t append_metadata(std::string& text, const json& metadata) {
    text += text.back() == '{' ? "\"metadata\":{" : ",\"metadata\":{";
    text += kVersionMark;
    const std::size_t place = text.size();
    text += "\"";
    for (const auto& [name, value] : metadata.items()) {
        if (name != "resourceVersion") append(text, name, value);
    }
    text += "}";
    return place;
}

}  // namespace

ObjectText render(const json& object) {
    ObjectText text;
    text.json = "{";
    for (const char* name : kFirst) {
        if (object.contains(name)) append(text.json, name, object[name]);
    }
    const auto metadata = object.find("metadata");
    const json none = json::object();
    text.version_at = append_metadata(text.json, metadata != object.end() && metadata->is_object() ? *metadata : none);
    for (const auto& [name, value] : object.items()) {
        if (name != kFirst[0] && name != kFirst[1] && name != "metadata") append(text.json, name, value);
    }
    text.json += "}";
    return text;
}

std::string render_whole(const json& object) {
    ObjectText text = render(object);
    const std::string version = text_of(child(object, "metadata"), "resourceVersion");
    if (!version.empty()) return text.json.insert(text.version_at, version);
    // A dry run of a create has none.
    const std::size_t begin = text.version_at - kVersionMark.size();
    const bool has_more = text.json[text.version_at + 1] == ',';
    return text.json.erase(begin, kVersionMark.size() + (has_more ? 2 : 1));
}

json parse_stored(const std::string& text) {
    json object = json::parse(text, nullptr, false);
    return object.is_discarded() ? json::object() : object;
}

std::string start_of_text(const std::string& api_version) {
    return "{\"apiVersion\":" + text_of(api_version) + ",";
}

Revision revision_in(const std::string& text) {
    // The first member of metadata, with only apiVersion and kind before it: quotes inside of strings are escaped, so
    // nothing there can look like it.
    const std::size_t at = text.find(kVersionMark);
    return at == std::string::npos ? 0 : std::strtoll(text.c_str() + at + kVersionMark.size(), nullptr, 10);
}

std::string api_version_of(const std::string& group, const std::string& version) {
    return group.empty() ? version : group + "/" + version;
}

}  // namespace atl::apiserver
