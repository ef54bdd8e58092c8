#include "operator/apiserver/open_api.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/output.h"
#include "operator/base/digest.h"
#include "operator/schema/built_in.h"
#include "operator/schema/openapi.h"

namespace atl::apiserver {

namespace {

std::string path_of(const ResourceType& type) {
    return type.group.empty() ? "api/" + type.version : "apis/" + type.group + "/" + type.version;
}

schema::ServedKind served(const ResourceType& type) {
    schema::ServedKind kind;
    kind.group = type.group;
    kind.version = type.version;
    kind.kind = type.kind;
    kind.list_kind = type.list_kind;
    kind.plural = type.plural;
    kind.namespaced = type.namespaced;
    kind.has_status = type.has_status;
    kind.has_scale = type.scale.has_value();
    if (type.open_api) kind.schema = *type.open_api;
    return kind;
}

net::Response version_two(const ApiRequest& request) {
    const auto accepts = request.http->headers.find("Accept");
    const bool binary = accepts && accepts->find("proto-openapi") != std::string::npos;
    net::Response response;
    response.status = 200;
    response.headers.set("Content-Type",
                         binary ? "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" : "application/json");
    response.body = binary ? schema::openapi_v2_protobuf() : schema::openapi_v2_document().dump();
    return response;
}

}  // namespace

void OpenApi::refresh() {
    if (generation_ == registry_.generation()) return;
    generation_ = registry_.generation();
    std::map<std::string, std::vector<schema::ServedKind>> kinds;
    for (const TypePtr& type : registry_.all()) {
        auto& list = kinds[path_of(*type)];
        if (type->is_custom()) {
            list.push_back(served(*type));
        } else if (list.empty()) {
            list = schema::built_in_served_kinds(type->group, type->version);
        }
    }
    documents_.clear();
    for (const auto& [path, list] : kinds) {
        Document document;
        document.text =
            schema::openapi_v3_document(list).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        document.hash = sha256_hex(document.text);
        documents_[path] = std::move(document);
    }
}

std::optional<Result<net::Response>> OpenApi::answer(const ApiRequest& request) {
    if (request.path == "/openapi/v2") return version_two(request);
    const std::string root = "/openapi/v3";
    if (!request.path.starts_with(root)) return std::nullopt;
    refresh();
    if (request.path == root) {
        std::vector<std::pair<std::string, std::string>> hashes;
        for (const auto& [path, document] : documents_) hashes.emplace_back(path, document.hash);
        return json_response(200, schema::openapi_v3_index(hashes));
    }
    const auto found = documents_.find(request.path.substr(std::min(request.path.size(), root.size() + 1)));
    if (found == documents_.end()) return unknown_path();
    net::Response response;
    response.status = 200;
    response.headers.set("Content-Type", "application/json");
    response.headers.set("ETag", "\"" + found->second.hash + "\"");
    response.body = found->second.text;
    return response;
}

}  // namespace atl::apiserver
