#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "operator/net/event_loop.h"
#include "operator/net/server.h"
#include "operator/net/tls.h"

namespace atl::net {

/// Where a server listens, and what it puts up with.
struct HttpServerOptions {
    /// Listens on this unix socket (mode 0600) if not empty, else on address and port.
    std::string unix_path;
    /// An IP address.
    std::string address = "127.0.0.1";
    /// 0: any that is free; see HttpServer::port.
    std::uint16_t port = 0;
    /// HTTPS if set.
    std::optional<ServerTls> tls;

    std::size_t max_head = std::size_t{64} * 1024;
    /// A longer body is answered with 413.
    std::size_t max_body = std::size_t{8} * 1024 * 1024;
    /// Further clients wait to be accepted.
    std::size_t max_connections = 4096;
    /// For the TLS handshake, and for a whole request head and body once its first byte has come.
    Duration handshake_limit = std::chrono::seconds(10);
    Duration head_limit = std::chrono::seconds(10);
    Duration body_limit = std::chrono::seconds(60);
    /// How long a connection may wait for its next request. More than clients keep theirs (Go: 90 s), so that they
    /// close first.
    Duration idle_limit = std::chrono::seconds(180);
    /// How long a peer may take nothing of what is sent to it.
    Duration stall_limit = std::chrono::seconds(30);
    /// Makes the answer to what is no request that a handler could see (400, 408, 413, 431); unset: the message as
    /// text.
    std::function<Response(int status, const std::string& message)> refusal;
    /// Told of handlers that end with an error, or let an exception escape (`bug`).
    std::function<void(const Error& error, bool bug)> on_failure;
};

/// Serves a Handler over HTTP/1.1: keep-alive, pipelining (one after the other), streamed answers, TLS, unix sockets.
///
/// A peer that goes away is noticed at once, also while the handler is silent, and its handler's task is dropped.
/// Destroying the server closes all connections. Not from within one of its handlers.
class HttpServer {
public:
    struct State;
    /// Begins to listen and serve. The loop and the handler must outlive the server. Errors: Invalid with ListenFailed,
    /// Credentials with TlsConfigInvalid.
    static Result<std::unique_ptr<HttpServer>> listen(EventLoop& loop, Handler& handler, HttpServerOptions options);

    explicit HttpServer(std::shared_ptr<State> state);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer();

    /// The TCP port that it listens on; 0 on a unix socket.
    std::uint16_t port() const;
    /// Open connections.
    std::size_t connections() const;
    /// Uses another certificate from the next connection on. Errors: Credentials with TlsConfigInvalid.
    Result<Unit> replace_tls(const ServerTls& tls);
    /// Listens no more, closes idle connections, lets exchanges that run end within the grace, then closes all.
    Task<> stop(Duration grace);

private:
    std::shared_ptr<State> state_;
};

}  // namespace atl::net
