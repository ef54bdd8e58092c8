#include "test/operator/net/raw_server.h"

#include <cstdlib>

#include <sys/socket.h>

namespace atl::net {

RawServer::RawServer(EventLoop& loop, Script script)
    : loop_(loop), script_(std::move(script)), spawner_(loop, Spawner::OnFailure()) {
    listener_ = loop_.adopt(listen_tcp("127.0.0.1", port_).value());
    spawner_.start("accept", accept_all());
}

Task<> RawServer::accept_all() {
    while (true) {
        co_await listener_->ready(Direction::Read, kForever);
        const int socket = ::accept4(listener_->number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket >= 0) spawner_.start("script", run_script(socket));
    }
}

Task<> RawServer::run_script(int socket) {
    Connection connection(loop_.adopt(socket), "client");
    co_await script_(connection, connections++);
}

Task<std::string> RawServer::read_request(Connection& connection) {
    std::string text;
    std::size_t whole = std::string::npos;
    while (text.size() < whole) {
        const auto count = co_await connection.read(text, kForever).attempt();
        if (!count.ok() || *count == 0) co_return std::string();
        const std::size_t end = text.find("\r\n\r\n");
        const std::size_t length = text.find("Content-Length: ");
        if (end != std::string::npos) {
            const bool has_body = length != std::string::npos && length < end;
            whole = end + 4 + (has_body ? std::strtoul(text.c_str() + length + 16, nullptr, 10) : 0);
        }
    }
    ++requests;
    co_return text;
}

void reset_on_close(Connection& connection) {
    const linger now{1, 0};
    ::setsockopt(connection.socket(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

}  // namespace atl::net
