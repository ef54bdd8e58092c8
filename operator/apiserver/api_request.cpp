#include "operator/apiserver/api_request.h"

#include <algorithm>
#include <cctype>

#include "operator/schema/selector.h"

namespace atl::apiserver {

namespace {

std::optional<std::vector<std::string>> segments_of(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(part.size());
        if (part.empty()) continue;
        auto decoded = net::decode_component(part, net::Plus::Literal);
        if (!decoded) return std::nullopt;
        segments.push_back(std::move(*decoded));
    }
    return segments;
}

/// The parts behind the version. Of a namespace itself only these are subresources; all else is in the namespace.
void read_resource(const std::vector<std::string>& parts, ApiRequest& request) {
    std::size_t at = 0;
    const bool is_inside = parts.size() > 2 && parts[0] == "namespaces" &&
                           !(request.group.empty() && (parts[2] == "status" || parts[2] == "finalize"));
    if (is_inside) {
        request.ns = parts[1];
        at = 2;
    }
    request.plural = parts[at];
    if (at + 1 < parts.size()) request.name = parts[at + 1];
    if (at + 2 < parts.size()) request.subresource = parts[at + 2];
    // A rule for the namespace itself is one in the namespace, as RBAC has it.
    if (request.group.empty() && request.plural == "namespaces") request.ns = request.name;
}

std::string verb_of(const ApiRequest& request) {
    const std::string& method = request.http->method;
    if (method == "POST") return "create";
    if (method == "PUT") return "update";
    if (method == "PATCH") return "patch";
    if (method == "DELETE") return request.name.empty() ? "deletecollection" : "delete";
    if (method != "GET" && method != "HEAD") return method;
    if (request.is_set("watch")) return "watch";
    return request.name.empty() ? "list" : "get";
}

/// False for a query with a part that cannot be decoded: without its selector, a deletion would be one of everything.
bool read_query(std::string_view text, ApiRequest& request) {
    const auto parameters = net::parse_query(text);
    std::size_t parts = 0;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        parts += part.empty() ? 0 : 1;
    }
    for (const auto& [key, value] : parameters) request.query.emplace(key, value);
    return parameters.size() == parts;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

}  // namespace

std::string ApiRequest::parameter(const std::string& name_in) const {
    const auto found = query.find(name_in);
    return found == query.end() ? "" : found->second;
}

bool ApiRequest::is_set(const std::string& name_in) const {
    // As in Kubernetes: whatever does not deny is a yes, also "?watch" alone.
    const auto found = query.find(name_in);
    return found != query.end() && lower(found->second) != "false" && found->second != "0";
}

Result<ApiRequest> read_request(const net::ServerRequest& http) {
    ApiRequest request;
    request.http = &http;
    const std::string_view target = http.target;
    const std::size_t mark = target.find('?');
    const std::string_view path = target.substr(0, mark);
    if (path.empty() || path[0] != '/') return bad_request("the path does not begin with a slash");
    auto segments = segments_of(path);
    if (!segments) return bad_request("the path cannot be decoded");
    for (const std::string& segment : *segments) request.path += "/" + segment;
    if (request.path.empty()) request.path = "/";
    if (mark != std::string_view::npos && !read_query(target.substr(mark + 1), request)) {
        return bad_request("the query cannot be decoded");
    }
    request.verb = lower(http.method);
    const bool is_core = segments->size() > 2 && segments->front() == "api";
    const bool is_grouped = segments->size() > 3 && segments->front() == "apis";
    if (!is_core && !is_grouped) return request;
    request.is_resource = true;
    if (is_grouped) request.group = (*segments)[1];
    request.version = (*segments)[is_core ? 1 : 2];
    const std::vector<std::string> parts(segments->begin() + (is_core ? 2 : 3), segments->end());
    if (parts.size() > 5) return unknown_path();
    read_resource(parts, request);
    request.verb = verb_of(request);
    return request;
}

}  // namespace atl::apiserver
