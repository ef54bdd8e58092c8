#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "operator/base/clock.h"
#include "operator/net/http.h"

namespace atl::net {

/// Limits of one exchange. Every wait in it is bounded by one of these.
struct Limits {
    /// When the whole exchange (send) or the response's head (open) must be there.
    Instant deadline;
    /// For open: how long the stream may be silent before it counts as dead.
    Duration idle = std::chrono::seconds(60);
    /// The longest body that is accepted by send, in bytes.
    std::size_t max_body = std::size_t{64} * 1024 * 1024;
};

/// The body of a streamed response, as it arrives. Dropping it closes the connection.
class BodyStream {
public:
    virtual ~BodyStream() = default;
    /// The next piece, of any size above zero; nullopt at the clean end. A connection that breaks, or is silent for
    /// longer than Limits::idle, is a Transient error (reasons ConnectionLost, IdleTimeout).
    virtual Task<std::optional<std::string>> next() = 0;
};

/// A response whose body is read as it arrives.
struct StreamResponse {
    int status = 0;
    Headers headers;
    std::unique_ptr<BodyStream> body;
};

/// One HTTP exchange: the only way out of the process.
///
/// A request is sent at most once: one that may have reached the server is never repeated here, whatever its method,
/// except that a GET or HEAD on a pooled connection which turns out to be dead before any byte of the response is sent
/// once more on a fresh one. An HTTP status is a value, not an error; errors are Transient with the reasons
/// ConnectFailed (nothing was sent), ConnectionLost (unknown whether it had an effect), DeadlineExceeded, BodyTooLarge
/// (Invalid), or Credentials with TlsVerificationFailed. Dropping the task closes the connection.
class Transport {
public:
    virtual ~Transport() = default;
    /// Sends the request and reads the whole response.
    virtual Task<Response> send(Request request, Limits limits) = 0;
    /// Sends the request and reads the head of the response; the body follows as a stream. For watches, logs and
    /// events.
    virtual Task<StreamResponse> open(Request request, Limits limits) = 0;
};

}  // namespace atl::net
