#include "operator/apiserver/media.h"

#include <algorithm>
#include <cctype>

#include "operator/apiserver/protobuf.h"
#include "operator/base/manifest.h"
#include "operator/schema/decode.h"

namespace atl::apiserver {

namespace {

constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr const char* kReadable = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

std::string trimmed(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c != ' ' && c != '\t') result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// The form that one element of an Accept header asks for, if we know it.
std::optional<Form> form_of(const std::string& element) {
    const auto parts = split(element, ';');
    std::string as;
    std::string group;
    std::string version;
    for (const std::string& part : parts) {
        if (part.starts_with("as=")) as = part.substr(3);
        if (part.starts_with("g=")) group = part.substr(2);
        if (part.starts_with("v=")) version = part.substr(2);
    }
    const bool is_any = parts[0] == "*/*" || parts[0] == "application/*";
    if (parts[0] == "application/yaml" && as.empty()) return Form::Yaml;
    if (!is_any && parts[0] != "application/json") return std::nullopt;
    if (as.empty()) return Form::Json;
    if (as == "table" && group == "meta.k8s.io" && version == "v1") return Form::Table;
    if (as.starts_with("partialobjectmetadata") && group == "meta.k8s.io" && version == "v1") return Form::Metadata;
    if (as == "apigroupdiscoverylist" && version == "v2") return Form::AggregatedDiscovery;
    return std::nullopt;
}

}  // namespace

Result<Form> accepted_form(const ApiRequest& request, const std::vector<Form>& offered) {
    const auto header = request.http->headers.find("Accept");
    if (!header || trimmed(*header).empty()) return Form::Json;
    for (const std::string& element : split(*header, ',')) {
        const auto form = form_of(element);
        if (form && std::find(offered.begin(), offered.end(), *form) != offered.end()) return *form;
    }
    return api_error(406, "NotAcceptable",
                     "only the following media types are accepted: application/json, application/yaml, "
                     "application/json;as=Table;v=v1;g=meta.k8s.io");
}

std::string media_type(const ApiRequest& request) {
    const auto header = request.http->headers.find("Content-Type");
    if (!header) return "application/json";
    const std::string type = split(*header, ';').front();
    return type.empty() ? "application/json" : type;
}

Error unsupported_media_type(const std::string& accepted) {
    return api_error(415, "UnsupportedMediaType",
                     "the body of the request was in an unknown format - accepted media types include: " + accepted);
}

Result<Body> read_body(const ApiRequest& request) {
    const std::string type = media_type(request);
    if (request.http->body.size() > kMaxBody) return too_large_body();
    const bool is_yaml = type == "application/yaml";
    if (type == kProtobuf) {
        auto value = decode_protobuf(request.http->body);
        if (!value.ok() && value.error().reason() == "UnknownKind") return unsupported_media_type(kReadable);
        if (!value.ok()) return bad_request(value.error().message());
        return Body{std::move(*value), {}};
    }
    if (type != "application/json" && !is_yaml) return unsupported_media_type(kReadable);
    return decode_text(request.http->body, is_yaml);
}

Result<Body> decode_text(std::string_view text, bool is_yaml) {
    if (text.size() > kMaxBody) return too_large_body();
    if (is_yaml) {
        auto documents = parse_manifests(text);
        if (!documents.ok()) return bad_request("error converting YAML to JSON: " + documents.error().message());
        if (documents->size() != 1) return bad_request("the body must be one YAML document");
        return Body{std::move(documents->front().object), {}};
    }
    auto decoded = schema::decode_json(text);
    if (!decoded.ok()) return bad_request(decoded.error().message());
    return Body{std::move(decoded->value), std::move(decoded->duplicates)};
}

}  // namespace atl::apiserver
