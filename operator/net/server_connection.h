#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "operator/net/connection.h"
#include "operator/net/http_server.h"

namespace atl::net {

/// What the connections of one server share.
struct ServerShared {
    EventLoop& loop;
    Handler& handler;
    HttpServerOptions options;
    std::shared_ptr<TlsContext> tls;
    bool stopping = false;
    std::size_t open = 0;
    /// Those that wait for a request: closed when the server stops.
    std::set<Connection*> idle;
    /// Called, soon, when a connection has ended.
    std::function<void()> on_close;
};

/// Serves one client until it leaves, misbehaves, or the server stops. Counts itself in `open`.
Task<> serve_connection(std::shared_ptr<ServerShared> shared, std::unique_ptr<Connection> connection);

}  // namespace atl::net
