#include "operator/apiserver/api_server.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "operator/apiserver/discovery.h"
#include "operator/apiserver/output.h"
#include "operator/apiserver/read_verbs.h"
#include "operator/apiserver/reviews.h"
#include "operator/apiserver/watch_verb.h"
#include "operator/apiserver/write_verbs.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

net::Response error_response(const Error& error) {
    const json status = status_of(error);
    net::Response response = json_response(status["code"].get<int>(), status);
    const auto& details = status.contains("details") ? status["details"] : json::object();
    if (details.is_object() && details.contains("retryAfterSeconds")) {
        response.headers.set("Retry-After", details["retryAfterSeconds"].dump());
    }
    return response;
}

/// For people: pretty=true.
void indent(const ApiRequest& request, net::Response& response) {
    if (!request.is_set("pretty")) return;
    const json body = json::parse(response.body, nullptr, false);
    if (!body.is_discarded()) response.body = body.dump(2) + "\n";
}

net::Response text_response(int status, std::string text) {
    net::Response response;
    response.status = status;
    response.headers.set("Content-Type", "text/plain; charset=utf-8");
    response.headers.set("X-Content-Type-Options", "nosniff");
    response.body = std::move(text);
    return response;
}

bool is_health(const std::string& path) {
    return path == "/healthz" || path == "/livez" || path == "/readyz";
}

/// What everybody who is known may ask, and what says nothing about anybody's objects.
bool is_open(const ApiRequest& request) {
    const std::string& path = request.path;
    if (request.verb != "get") return false;
    return path == "/version" || path == "/api" || path == "/apis" || path.starts_with("/openapi/") ||
           (!request.is_resource && (path.starts_with("/api/") || path.starts_with("/apis/")));
}

}  // namespace

Task<> ApiServer::serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
    auto answered = co_await answer(request, writer).attempt();
    if (answered.ok()) co_return;
    // The peer has gone: there is nobody to tell.
    if (answered.error().reason() == "ConnectionLost") co_await fail(answered.error());
    net::Response response = error_response(answered.error());
    co_await writer.send(std::move(response));
}

std::string trouble_of(const Store& store) {
    const std::string trouble = store.trouble();
    if (trouble.empty()) return "";
    return "nothing can be stored (" + trouble + "): free space on the disk of the data directory, or make it writable";
}

/// Once a write failed, whoever asks finds out whether the disk takes one again.
Task<std::string> ApiServer::why_not_ready() {
    if (!is_ready_) co_return "the server has not begun yet, or is stopping";
    if (serving_.store.trouble().empty()) co_return "";
    co_await serving_.store.try_out();
    co_return trouble_of(serving_.store);
}

Task<> ApiServer::answer(const net::ServerRequest& http, net::ResponseWriter& writer) {
    ApiRequest request = co_await read_request(http);
    if (is_health(request.path)) {
        std::string problem;
        if (request.path == "/readyz") problem = co_await why_not_ready();
        const int status = problem.empty() ? 200 : 503;
        co_await writer.send(text_response(status, problem.empty() ? "ok" : "not ready: " + problem));
        co_return;
    }
    User user = co_await authenticator_.authenticate(http);
    request.user = co_await impersonated(http, std::move(user));
    co_await check(request, request.user);
    if (!request.is_resource) {
        net::Response plain = co_await answer_plain(request);
        co_await writer.send(std::move(plain));
        co_return;
    }
    if (const ReviewKind* review = find_review(request)) {
        net::Response reviewed = co_await answer_review(authorizer_, request, *review);
        co_await writer.send(std::move(reviewed));
        co_return;
    }
    TypePtr type = co_await find_type(request);
    if (request.verb == "watch") {
        co_await watch_objects(serving_, request, std::move(type), writer);
        co_return;
    }
    const std::string deprecation = type->deprecation;
    net::Response response = co_await answer_resource(request, std::move(type));
    if (!deprecation.empty()) response.headers.add("Warning", "299 - " + schema::go_quote(deprecation));
    indent(request, response);
    co_await writer.send(std::move(response));
}

/// Acting as somebody else needs the right to.
Result<User> ApiServer::impersonated(const net::ServerRequest& http, User user) {
    const auto name = http.headers.find("Impersonate-User");
    if (!name || name->empty()) return user;
    User other{*name, http.headers.find("Impersonate-Uid").value_or(""), {}};
    std::vector<Attributes> wanted = {{"impersonate", true, "", "users", "", "", *name, ""}};
    for (const auto& [field, value] : http.headers.fields()) {
        if (net::Headers({{field, value}}).find("Impersonate-Group") == std::nullopt) continue;
        other.groups.push_back(value);
        wanted.push_back({"impersonate", true, "", "groups", "", "", value, ""});
    }
    for (const Attributes& one : wanted) {
        auto allowed = authorizer_.allows(user, one);
        if (!allowed.ok()) return std::move(allowed).error();
        if (!*allowed) return denied(user, one);
    }
    other.groups.emplace_back(kAuthenticated);
    return other;
}

Result<Unit> ApiServer::check(const ApiRequest& request, const User& user) {
    const bool is_anonymous = user.name == kAnonymous;
    if (is_anonymous) return api_error(401, "Unauthorized", "Unauthorized");
    if (is_open(request)) return ok();
    const Attributes wanted = Attributes::of(request);
    auto allowed = authorizer_.allows(user, wanted);
    if (!allowed.ok()) return std::move(allowed).error();
    if (!*allowed) return denied(user, wanted);
    return ok();
}

Result<TypePtr> ApiServer::find_type(const ApiRequest& request) {
    TypePtr type = serving_.registry.find(request.group, request.version, request.plural);
    if (!type) return unknown_path();
    const std::string& sub = request.subresource;
    const bool has_sub = sub.empty() || (sub == "status" && type->has_status) || (sub == "scale" && type->scale) ||
                         (sub == "finalize" && type->storage == "namespaces") ||
                         (sub == "token" && type->storage == kServiceAccounts);
    const bool is_placed = type->namespaced || request.ns.empty() || type->storage == "namespaces";
    const bool needs_namespace =
        !request.name.empty() || request.verb == "create" || request.verb == "deletecollection";
    if (!has_sub || !is_placed) return unknown_path();
    if (type->namespaced && request.ns.empty() && needs_namespace) return unknown_path();
    const bool names_none = request.name.empty() && (request.verb == "update" || request.verb == "patch");
    if (sub == "token") return request.verb == "create" ? Result<TypePtr>(type) : method_not_allowed();
    const bool names_one = !request.name.empty() && request.verb == "create";
    if (names_none || names_one || !type->has_verb(request.verb)) return method_not_allowed();
    if (!sub.empty() && (request.verb == "delete" || request.verb == "create")) return method_not_allowed();
    return type;
}

Task<net::Response> ApiServer::answer_resource(const ApiRequest& request, TypePtr type) {
    if (request.subresource == "scale") {
        net::Response scale = co_await scale_object(serving_, request, std::move(type));
        co_return scale;
    }
    if (request.subresource == "token") {
        co_return answer_token_request(tokens_, serving_.store, request, serving_.clock.wall_now());
    }
    if (request.verb == "get") co_return get_object(serving_, request, type);
    if (request.verb == "list") co_return list_objects(serving_, request, type);
    using Verb = Task<net::Response> (*)(Serving&, const ApiRequest&, TypePtr);
    const Verb verb = request.verb == "create"   ? create_object
                      : request.verb == "update" ? update_object
                      : request.verb == "patch"  ? patch_object
                      : request.verb == "delete" ? delete_object
                                                 : delete_objects;
    net::Response response = co_await verb(serving_, request, std::move(type));
    co_return response;
}

Result<net::Response> ApiServer::answer_plain(const ApiRequest& request) {
    if (request.verb != "get" && request.verb != "head") return method_not_allowed();
    if (auto found = answer_discovery(serving_.registry, request)) return std::move(*found);
    if (auto found = open_api_.answer(request)) return std::move(*found);
    return unknown_path();
}

}  // namespace atl::apiserver
