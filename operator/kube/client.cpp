#include "operator/kube/client.h"

#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/base/deadline.h"
#include "operator/kube/object_reader.h"
#include "operator/kube/status_error.h"

namespace atl::kube {

namespace {

using nlohmann::json;

constexpr int kListRestarts = 3;
constexpr char kJson[] = "application/json";
constexpr char kMetadata[] = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr char kMetadataList[] = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
constexpr char kMergePatch[] = "application/merge-patch+json";
constexpr char kApplyPatch[] = "application/apply-patch+yaml";

/// A target with its query, built part by part.
class Url {
public:
    Url(const ResourceType& type, const std::string& ns) {
        text_ = type.group.empty() ? "/api/" + type.version : "/apis/" + type.group + "/" + type.version;
        if (!ns.empty() && type.namespaced) text_ += "/namespaces/" + net::encode_component(ns);
        text_ += "/" + type.plural;
    }
    explicit Url(const Target& target) : Url(target.type, target.key.ns) {
        text_ += "/" + net::encode_component(target.key.name);
        if (!target.subresource.empty()) text_ += "/" + target.subresource;
    }
    void query(std::string_view name, std::string_view value) {
        if (value.empty()) return;
        text_ += asked_ ? '&' : '?';
        text_ += std::string(name) + "=" + net::encode_component(value);
        asked_ = true;
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    bool asked_ = false;
};

Url collection(const Scope& scope) {
    Url url(scope.type, scope.ns);
    url.query("labelSelector", scope.label_selector);
    url.query("fieldSelector", scope.field_selector);
    return url;
}

std::string dump(const json& tree) {
    return tree.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string word(Propagation propagation) {
    switch (propagation) {
        case Propagation::Background:
            return "Background";
        case Propagation::Foreground:
            return "Foreground";
        case Propagation::Orphan:
            return "Orphan";
    }
    return "Background";
}

std::string delete_options(const RemoveOptions& options) {
    json tree = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", word(options.propagation)}};
    if (!options.preconditions.uid.empty()) tree["preconditions"]["uid"] = options.preconditions.uid;
    if (!options.preconditions.resource_version.empty()) {
        tree["preconditions"]["resourceVersion"] = options.preconditions.resource_version;
    }
    return dump(tree);
}

/// The namespace that an object names; empty if it has none.
std::string namespace_of(const json& object) {
    const auto metadata = object.find("metadata");
    if (metadata == object.end() || !metadata->is_object()) return {};
    const auto ns = metadata->find("namespace");
    return ns != metadata->end() && ns->is_string() ? ns->get<std::string>() : std::string();
}

}  // namespace

struct Client::Call {
    std::string method;
    std::string verb;
    std::string target;
    std::string accept = kJson;
    std::string content_type;
    std::string body;
    std::string what;  ///< for messages: "patching clusters.atoll.dev \"shop/blue\""

    Call(std::string method_in, const Url& url, std::string what_in)
        : method(std::move(method_in)), verb(method), target(url.text()), what(std::move(what_in)) {}
    void carry(std::string type, std::string content) {
        content_type = std::move(type);
        body = std::move(content);
    }
};

namespace {

std::string naming(std::string_view verb, const Target& target) {
    return std::string(verb) + " " + target.type.to_string() + " \"" + target.key.to_string() + "\"";
}

std::string naming(std::string_view verb, const Scope& scope) {
    return std::string(verb) + " " + scope.type.to_string() + (scope.ns.empty() ? "" : " in \"" + scope.ns + "\"");
}

}  // namespace

Client::Client(net::Transport& transport, Clock& clock, std::shared_ptr<CredentialSource> credentials,
               ClientOptions options)
    : transport_(transport), clock_(clock), credentials_(std::move(credentials)), options_(std::move(options)) {}

Result<net::Request> Client::request_of(const Call& call) {
    Result<Access> access = credentials_->current();
    if (!access.ok()) return access.error();
    net::Request request;
    request.endpoint = access->endpoint;
    request.method = call.method;
    request.target = call.target;
    request.body = call.body;
    request.headers.set("Accept", call.accept);
    request.headers.set("User-Agent", options_.user_agent);
    if (!call.content_type.empty()) request.headers.set("Content-Type", call.content_type);
    if (!access->authorization.empty()) request.headers.set("Authorization", access->authorization);
    return request;
}

void Client::sample(const Call& call, const net::Request& request, int status, Instant since) {
    if (!options_.on_request) return;
    const std::string host = request.endpoint.host + ":" + std::to_string(request.endpoint.port);
    options_.on_request(RequestSample{status == 0 ? "<error>" : std::to_string(status), call.method, call.verb, host,
                                      clock_.now() - since});
}

Task<net::Response> Client::exchange(Call call) {
    bool refused = false;
    for (;;) {
        net::Request request = co_await request_of(call);
        net::Limits limits;
        limits.deadline = clock_.now() + options_.request_timeout;
        limits.max_body = options_.max_body;
        const Instant since = clock_.now();
        Result<net::Response> answer = co_await transport_.send(request, limits).attempt();
        sample(call, request, answer.ok() ? answer->status : 0, since);
        if (!answer.ok()) co_return Error(answer.error()).during(call.what);
        if (answer->status < 300) co_return std::move(answer).value();
        if (answer->status != 401 || refused) co_return error_of_answer(*answer).during(call.what);
        // A token may have been rotated a moment ago. Nothing was done, so sending it again is safe.
        refused = true;
        credentials_->refused();
    }
}

Task<Object> Client::write(Call call) {
    const std::string what = call.what;
    const net::Response answer = co_await exchange(std::move(call));
    Result<Object> object = Object::parse(answer.body);
    if (!object.ok()) co_return Error(object.error()).during(what);
    co_return std::move(object).value();
}

Task<std::optional<Object>> Client::find(Target target) {
    Call call("GET", Url(target), naming("reading", target));
    Result<Object> object = co_await write(std::move(call)).attempt();
    if (object.ok()) co_return std::move(object).value();
    if (is_not_found(object.error())) co_return std::nullopt;
    co_return object.error();
}

Task<ListPage> Client::list_page(Scope scope, ListOptions options) {
    Url url = collection(scope);
    if (options.limit > 0) url.query("limit", std::to_string(options.limit));
    url.query("continue", options.continue_token);
    // A continue token brings its own version; both together are refused.
    if (options.continue_token.empty()) url.query("resourceVersion", options.resource_version);
    Call call("GET", url, naming("listing", scope));
    call.verb = "LIST";
    if (scope.extent == Extent::Metadata) call.accept = kMetadataList;
    const std::string what = call.what;
    const net::Response answer = co_await exchange(std::move(call));
    Result<ListPage> page = ObjectReader().read_list(answer.body);
    if (!page.ok()) co_return Error(page.error()).during(what);
    co_return std::move(page).value();
}

Task<ListPage> Client::list(Scope scope, ListOptions options) {
    for (int restarts = 0;; ++restarts) {
        Result<ListPage> whole = co_await list_through(scope, options).attempt();
        if (whole.ok()) co_return std::move(whole).value();
        if (whole.error().reason() != "Expired" || restarts == kListRestarts) co_return whole.error();
        options.resource_version.clear();
    }
}

Task<ListPage> Client::list_through(Scope scope, ListOptions options) {
    ListPage whole;
    do {
        ListPage page = co_await list_page(scope, options);
        std::move(page.objects.begin(), page.objects.end(), std::back_inserter(whole.objects));
        std::move(page.undecodable.begin(), page.undecodable.end(), std::back_inserter(whole.undecodable));
        whole.resource_version = page.resource_version;
        options.continue_token = page.continue_token;
    } while (!options.continue_token.empty());
    co_return whole;
}

Task<std::unique_ptr<WatchStream>> Client::watch(Scope scope, WatchOptions options) {
    Url url = collection(scope);
    url.query("watch", "1");
    url.query("allowWatchBookmarks", "true");
    url.query("resourceVersion", options.resource_version);
    url.query("timeoutSeconds", std::to_string(options.timeout.count()));
    if (options.send_initial_events) {
        url.query("sendInitialEvents", "true");
        url.query("resourceVersionMatch", "NotOlderThan");
    }
    Call call("GET", url, naming("watching", scope));
    call.verb = "WATCH";
    if (scope.extent == Extent::Metadata) call.accept = kMetadata;
    net::StreamResponse response = co_await open(call, options.timeout + std::chrono::seconds(5));
    co_return std::make_unique<WatchStream>(std::move(response.body), options_.max_event);
}

Task<net::StreamResponse> Client::open(const Call& call, Duration idle) {
    net::Request request = co_await request_of(call);
    net::Limits limits;
    limits.deadline = clock_.now() + options_.request_timeout;
    limits.idle = idle;
    const Instant since = clock_.now();
    Result<net::StreamResponse> answer = co_await transport_.open(request, limits).attempt();
    sample(call, request, answer.ok() ? answer->status : 0, since);
    if (!answer.ok()) co_return Error(answer.error()).during(call.what);
    if (answer->status == 200) co_return std::move(answer).value();
    if (answer->status == 401) credentials_->refused();
    net::Response refusal;
    refusal.status = answer->status;
    refusal.headers = answer->headers;
    refusal.body = co_await read_refusal(*answer->body);
    co_return error_of_answer(refusal).during(call.what);
}

Task<std::string> Client::read_refusal(net::BodyStream& body) {
    constexpr std::size_t kEnough = 64 * 1024;
    const Instant deadline = clock_.now() + options_.request_timeout;
    std::string text;
    while (text.size() < kEnough) {
        // A body that breaks off is good enough for a message.
        const auto piece = co_await with_deadline(clock_, deadline, body.next(), "reading a refusal").attempt();
        if (!piece.ok() || !*piece) break;
        text += **piece;
    }
    co_return text;
}

Task<Object> Client::create(ResourceType type, const json& object) {
    Url url(type, namespace_of(object));
    url.query("fieldManager", options_.field_manager);
    Call call("POST", url, "creating " + type.to_string());
    call.carry(kJson, dump(object));
    return write(std::move(call));
}

Task<json> Client::review(ResourceType type, const json& question) {
    Call call("POST", Url(type, ""), "asking for " + type.to_string());
    call.carry(kJson, dump(question));
    const net::Response answer = co_await exchange(std::move(call));
    json parsed = json::parse(answer.body, nullptr, false);
    if (!parsed.is_object())
        co_return invalid("UndecodableObject", "the answer to " + type.to_string() + " is no object");
    co_return parsed;
}

Task<Object> Client::update(Target target, const json& object) {
    Url url(target);
    url.query("fieldManager", options_.field_manager);
    Call call("PUT", url, naming("updating", target));
    call.carry(kJson, dump(object));
    return write(std::move(call));
}

Task<Object> Client::merge_patch(Target target, const json& patch, std::string manager) {
    Url url(target);
    url.query("fieldManager", manager);
    Call call("PATCH", url, naming("patching", target));
    call.carry(kMergePatch, dump(patch));
    return write(std::move(call));
}

Task<Object> Client::apply(Target target, const json& object, ApplyOptions options) {
    Url url(target);
    url.query("fieldManager", options.manager);
    if (options.takeover == Takeover::Force) url.query("force", "true");
    Call call("PATCH", url, naming("applying", target));
    call.verb = "APPLY";
    call.carry(kApplyPatch, dump(object));
    return write(std::move(call));
}

Task<std::optional<Object>> Client::remove(Target target, RemoveOptions options) {
    Call call("DELETE", Url(target), naming("removing", target));
    call.carry(kJson, delete_options(options));
    const Result<net::Response> answer = co_await exchange(std::move(call)).attempt();
    if (!answer.ok()) {
        if (is_not_found(answer.error())) co_return std::nullopt;
        co_return answer.error();
    }
    // The answer is a Status when the object is gone, else what is left of it.
    Result<Object> left = Object::parse(answer->body);
    if (left.ok() && left->meta().being_deleted()) co_return std::move(left).value();
    co_return std::nullopt;
}

}  // namespace atl::kube
