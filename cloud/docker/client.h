#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/docker/values.h"
#include "operator/base/clock.h"
#include "operator/net/transport.h"

namespace atl::cloud::docker {

/// The API version to speak with each engine, by endpoint: asked once, shared by all clients of a back end, forgotten
/// when an engine refuses it.
class Versions {
public:
    std::map<std::string, std::string> by_endpoint;
};

/// One call of the engine's API.
struct Call {
    Call(std::string method_in, std::string target_in) : method(std::move(method_in)), target(std::move(target_in)) {}
    std::string method;
    std::string target;  ///< path and query, without the version prefix: "/services?status=true"
    Json body;           ///< null: none
    std::string raw;     ///< instead of body: a tar archive
    /// Refusals that are answers here, besides 2xx: {404} for something that may be gone.
    std::vector<int> accept;
    /// The answer is a stream of JSON documents, one a line: the reply's body is an array of them. One with a member
    /// "error" or "errorDetail" is the failure of the call, although its status is 200.
    bool streams = false;
};

/// The engine's answer.
struct Reply {
    int status = 0;
    Json body;  ///< null if there was none, or it was not JSON
    /// The engine's own clock, from the Date header, in seconds since 1970; 0 if it did not say.
    std::int64_t engine_time = 0;
    bool found() const { return status != 404; }
};

/// Speaks with one Docker engine: JSON over HTTP on a unix socket or TLS.
///
/// Uses the newest version that both sides know, at most kNewest: GET /version has the smallest version too, which
/// /_ping has not. Refusals become errors by classify().
class Client {
public:
    static constexpr std::string_view kOldest = "1.40";
    static constexpr std::string_view kNewest = "1.44";

    Client(net::Transport& transport, net::Endpoint endpoint, std::shared_ptr<Versions> versions);

    Task<Reply> call(Call call, Instant deadline);
    /// As call with GET; the answer may be 404.
    Task<Reply> get(std::string target, Instant deadline);
    /// As GET, with the body as it comes. For events.
    Task<net::StreamResponse> open(std::string target, net::Limits limits);

    const net::Endpoint& endpoint() const { return endpoint_; }

private:
    Task<std::string> prefix(Instant deadline);
    Task<net::Response> send(Call call, Instant deadline);

    net::Transport& transport_;
    net::Endpoint endpoint_;
    std::shared_ptr<Versions> versions_;
};

/// "?filters=…" for the engine's lists: every label must be there with its value.
std::string label_filter(const std::vector<std::pair<std::string, std::string>>& labels);

/// The version to speak with an engine that knows `oldest` to `newest`: Unsupported if there is none.
Result<std::string> choose_version(std::string_view oldest, std::string_view newest);

}  // namespace atl::cloud::docker
