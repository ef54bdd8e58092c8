#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/base/task.h"
#include "operator/net/http.h"

namespace atl::net {

/// Who is at the other end, as far as the connection proves it.
struct Peer {
    /// Subject of a client certificate that was verified against the server's client CA; empty if none was shown.
    std::string common_name;
    std::vector<std::string> organizations;
    /// Address of the peer, for logs ("127.0.0.1:41234").
    std::string address;
};

/// A request as a server receives it.
struct ServerRequest {
    std::string method;
    std::string target;
    Headers headers;
    std::string body;
    Peer peer;
};

/// Where a Handler puts its answer: either send() once, or start(), any number of write(), finish().
class ResponseWriter {
public:
    virtual ~ResponseWriter() = default;
    /// The whole answer at once.
    virtual Task<> send(Response response) = 0;
    /// Begins a streamed answer (chunked).
    virtual Task<> start(int status, Headers headers) = 0;
    /// Sends one piece at once; the text is shared between watchers, not copied. Returns when the peer has room for
    /// more. Fails with ConnectionLost once the peer has gone.
    virtual Task<> write(std::shared_ptr<const std::string> piece) = 0;
    /// Ends a streamed answer cleanly.
    virtual Task<> finish() = 0;
    /// Waits until the peer has gone. For handlers that wait for something else meanwhile: race it.
    virtual Task<> gone() = 0;
};

/// What a server does with requests: the embedded API server, metrics, health, the webhook and every wire-level fake
/// are Handlers. Production serves them with Beast, simulation calls them in the same process. The task is dropped when
/// the peer goes away. A handler that ends with an error before it answered gives a 500.
class Handler {
public:
    virtual ~Handler() = default;
    virtual Task<> serve(const ServerRequest& request, ResponseWriter& writer) = 0;
};

}  // namespace atl::net
