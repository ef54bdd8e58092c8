#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/clock.h"
#include "operator/base/task.h"
#include "operator/kube/credentials.h"
#include "operator/kube/object.h"
#include "operator/kube/watch_stream.h"
#include "operator/net/transport.h"

namespace atl::kube {

/// One object, or a subresource of it, as the target of a request.
struct Target {
    ResourceType type;
    ObjectKey key;
    std::string subresource;  ///< "status", "scale", "finalizers"; empty for the object itself

    Target(ResourceType type_in, ObjectKey key_in, std::string subresource_in = {})
        : type(std::move(type_in)), key(std::move(key_in)), subresource(std::move(subresource_in)) {}
};

/// How much of each object a list or watch gives. Metadata: only that an object exists and at which version, with its
/// labels and owners (PartialObjectMetadata); what it holds never leaves the server.
enum class Extent { Whole, Metadata };

/// What a list or watch covers.
struct Scope {
    ResourceType type;
    std::string ns;              ///< empty: all namespaces
    std::string label_selector;  ///< empty: no selection
    std::string field_selector;
    Extent extent = Extent::Whole;

    explicit Scope(ResourceType type_in, std::string ns_in = {}) : type(std::move(type_in)), ns(std::move(ns_in)) {}
    auto operator<=>(const Scope&) const = default;
};

/// How to list (operators.md 2.9, 1 and 2).
struct ListOptions {
    /// "": the newest (quorum read); "0": whatever the server has at hand; else at least that version.
    std::string resource_version;
    int limit = 500;
    std::string continue_token;
};

/// A page of objects. Those that could not be read are reported beside, and do not spoil the page.
struct ListPage {
    std::vector<Object> objects;
    std::vector<Error> undecodable;
    std::string resource_version;
    std::string continue_token;  ///< empty on the last page
};

/// How to watch.
struct WatchOptions {
    std::string resource_version;
    std::chrono::seconds timeout{300};  ///< the server ends the stream after this
    bool send_initial_events = false;   ///< WatchList: the present state comes first, then a marked bookmark
};

/// What must still be true of an object that is to be removed; empty: not checked.
struct Preconditions {
    std::string uid;
    std::string resource_version;
};

enum class Propagation { Background, Foreground, Orphan };

/// How to remove.
struct RemoveOptions {
    Preconditions preconditions;
    Propagation propagation = Propagation::Background;
};

/// Server-side apply: who applies, and whether fields are taken from other managers.
enum class Takeover { Refuse, Force };
struct ApplyOptions {
    std::string manager;  ///< at most 128 characters, without version or host in it
    Takeover takeover = Takeover::Force;
};

/// One request that was answered (or not: code "<error>"), for the metric rest_client_requests_total and its kin.
struct RequestSample {
    std::string code;
    std::string method;
    std::string verb;  ///< LIST, WATCH, GET, POST, PUT, PATCH, APPLY, DELETE
    std::string host;
    Duration duration{};
};

/// How a client behaves; nothing of it depends on the server.
struct ClientOptions {
    std::string user_agent = "atoll";
    /// Field manager of create() and update().
    std::string field_manager = "atoll";
    /// Each request is given up after this.
    Duration request_timeout = std::chrono::seconds(15);
    /// The longest answer, and the longest single event of a watch, in bytes.
    std::size_t max_body = std::size_t{64} * 1024 * 1024;
    std::size_t max_event = std::size_t{16} * 1024 * 1024;
    std::function<void(const RequestSample&)> on_request;
};

/// Requests to a Kubernetes API server. No cache, no retry (but once after a 401, with fresh credentials), no types of
/// ours.
///
/// An object that is not there is a value where that is a normal answer (find, remove); a write to an object that is
/// not there is a Conflict with the reason NotFound. Other answers of the server become errors: 400 and 422 Invalid
/// (with field and causes), 401 and 403 Credentials, 404 of a whole type Unsupported (reason NoSuchType), 409
/// Conflict (reasons Conflict, AlreadyExists), 410 Transient (reason Expired), 429 Throttled and 5xx Transient, with
/// Retry-After. Error::status() has the HTTP status, Error::reason() the server's word. Dropping a task takes the
/// request back; whether it had an effect is then unknown.
class Client {
public:
    Client(net::Transport& transport, Clock& clock, std::shared_ptr<CredentialSource> credentials,
           ClientOptions options = {});

    /// The object, or nothing.
    Task<std::optional<Object>> find(Target target);
    /// One page.
    Task<ListPage> list_page(Scope scope, ListOptions options);
    /// All pages; starts anew, at most three times, when the continue token has expired.
    Task<ListPage> list(Scope scope, ListOptions options = {});
    /// Opens a stream of changes.
    Task<std::unique_ptr<WatchStream>> watch(Scope scope, WatchOptions options);

    /// Creates; metadata.name (or generateName) and, for namespaced types, metadata.namespace come from the object.
    Task<Object> create(ResourceType type, const nlohmann::json& object);
    /// Replaces. The object's metadata.resourceVersion, if set, must be the present one.
    Task<Object> update(Target target, const nlohmann::json& object);
    /// Merge patch (RFC 7386). A metadata.resourceVersion or uid in it is a precondition.
    Task<Object> merge_patch(Target target, const nlohmann::json& patch, std::string manager);
    /// Server-side apply of the full intent; creates what is not there.
    Task<Object> apply(Target target, const nlohmann::json& object, ApplyOptions options);
    /// Asks for removal. What is left (finalizers) comes back; nothing if the object is gone or was not there.
    Task<std::optional<Object>> remove(Target target, RemoveOptions options = {});

    /// Asks a question that is answered at once and leaves nothing behind (SelfSubjectAccessReview); the answer.
    Task<nlohmann::json> review(ResourceType type, const nlohmann::json& question);

    Clock& clock() { return clock_; }

private:
    struct Call;
    Result<net::Request> request_of(const Call& call);
    Task<net::Response> exchange(Call call);
    Task<net::StreamResponse> open(const Call& call, Duration idle);
    Task<std::string> read_refusal(net::BodyStream& body);
    Task<Object> write(Call call);
    Task<ListPage> list_through(Scope scope, ListOptions options);
    void sample(const Call& call, const net::Request& request, int status, Instant since);

    net::Transport& transport_;
    Clock& clock_;
    std::shared_ptr<CredentialSource> credentials_;
    ClientOptions options_;
};

}  // namespace atl::kube
