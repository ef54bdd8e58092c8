#pragma once

#include <functional>
#include <memory>
#include <string>

#include "operator/base/spawner.h"
#include "operator/net/connection.h"
#include "operator/net/http.h"

namespace atl::net {

/// A TCP server without manners: each connection is given to a script, and closed when the script ends.
class RawServer {
public:
    /// `index` counts connections from 0.
    using Script = std::function<Task<>(Connection& connection, int index)>;
    RawServer(EventLoop& loop, Script script);
    RawServer(const RawServer&) = delete;
    RawServer& operator=(const RawServer&) = delete;
    ~RawServer() = default;

    Endpoint endpoint() const { return {Scheme::Http, "127.0.0.1", port_, nullptr}; }
    int connections = 0;
    /// Requests that have wholly arrived, as counted by read_request.
    int requests = 0;
    /// Reads up to the end of a request: its head, and a body of Content-Length. "" if the client closed before.
    Task<std::string> read_request(Connection& connection);

private:
    Task<> accept_all();
    Task<> run_script(int socket);

    EventLoop& loop_;
    Script script_;
    std::uint16_t port_ = 0;
    std::unique_ptr<Descriptor> listener_;
    Spawner spawner_;
};

/// Makes the kernel send RST when the connection is closed.
void reset_on_close(Connection& connection);

}  // namespace atl::net
