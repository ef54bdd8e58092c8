#include "operator/net/http_server.h"

#include <cerrno>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "operator/base/deadline.h"
#include "operator/net/server_connection.h"

namespace atl::net {

namespace {

std::string address_text(const sockaddr_storage& address) {
    char text[INET6_ADDRSTRLEN] = {};
    if (address.ss_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
        ::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
        return std::string(text) + ":" + std::to_string(ntohs(v4->sin_port));
    }
    if (address.ss_family == AF_INET6) {
        const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
        ::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
        return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6->sin6_port));
    }
    return "unix";
}

}  // namespace

struct HttpServer::State {
    std::shared_ptr<ServerShared> shared;
    std::uint16_t port = 0;
    std::string unix_path;
    std::unique_ptr<Descriptor> listener;
    std::vector<Callback<Unit>> waiting;  // for a connection to close
    Spawner::JobId accepting = 0;
    std::unique_ptr<Spawner> spawner;  // last: its tasks use the rest

    void closed_one() {
        shared->loop.post([waiters = std::exchange(waiting, {})] {
            for (const auto& waiter : waiters) waiter.resolve(ok());
        });
    }
};

namespace {

Task<> until_one_closes(HttpServer::State& state) {
    std::function<Cancel(Callback<Unit>)> start = [&state](Callback<Unit> closed) -> Cancel {
        state.waiting.push_back(closed);
        return {};
    };
    co_await await_callback<Unit>(start);
}

Task<> until_all_closed(HttpServer::State& state) {
    while (state.shared->open > 0) co_await until_one_closes(state);
}

/// Takes all clients that wait. False if the process has run out of descriptors or memory.
bool accept_waiting(HttpServer::State& state) {
    ServerShared& shared = *state.shared;
    // Started connections count themselves once they run; those of this round are counted here.
    std::size_t taken = 0;
    while (shared.open + taken < shared.options.max_connections) {
        sockaddr_storage address{};
        socklen_t size = sizeof(address);
        const int socket = ::accept4(state.listener->number(), reinterpret_cast<sockaddr*>(&address), &size,
                                     SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) {
            if (errno == EINTR || errno == ECONNABORTED) continue;
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
        if (address.ss_family != AF_UNIX) tune_tcp(socket, DeadPeer());
        auto connection = std::make_unique<Connection>(shared.loop.adopt(socket), address_text(address));
        state.spawner->start("connection", serve_connection(state.shared, std::move(connection)));
        ++taken;
    }
    return true;
}

Task<> accept_clients(HttpServer::State& state) {
    while (true) {
        if (state.shared->open >= state.shared->options.max_connections) co_await until_one_closes(state);
        co_await state.listener->ready(Direction::Read, kForever);
        const bool fine = accept_waiting(state);
        // Lets those just taken begin, or things get better.
        co_await sleep_for(state.shared->loop, fine ? Duration(0) : Duration(std::chrono::milliseconds(100)));
    }
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(EventLoop& loop, Handler& handler, HttpServerOptions options) {
    auto state = std::make_shared<State>();
    std::shared_ptr<TlsContext> tls;
    if (options.tls) {
        auto context = TlsContext::for_server(*options.tls);
        if (!context.ok()) return std::move(context).error();
        tls = std::move(*context);
    }
    const bool is_unix = !options.unix_path.empty();
    std::uint16_t port = options.port;
    const Result<int> socket = is_unix ? listen_unix(options.unix_path) : listen_tcp(options.address, port);
    if (!socket.ok()) return socket.error();
    state->port = is_unix ? std::uint16_t{0} : port;
    state->unix_path = options.unix_path;
    state->listener = loop.adopt(*socket);
    state->shared =
        std::make_shared<ServerShared>(ServerShared{loop, handler, std::move(options), tls, false, 0, {}, {}});
    state->shared->on_close = [raw = state.get()] { raw->closed_one(); };
    state->spawner = std::make_unique<Spawner>(loop, Spawner::OnFailure());
    state->accepting = state->spawner->start("accept", accept_clients(*state));
    return std::make_unique<HttpServer>(std::move(state));
}

HttpServer::HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

HttpServer::~HttpServer() {
    state_->spawner.reset();
    state_->listener.reset();
    if (!state_->unix_path.empty()) ::unlink(state_->unix_path.c_str());
}

std::uint16_t HttpServer::port() const {
    return state_->port;
}

std::size_t HttpServer::connections() const {
    return state_->shared->open;
}

Result<Unit> HttpServer::replace_tls(const ServerTls& tls) {
    auto context = TlsContext::for_server(tls);
    if (!context.ok()) return std::move(context).error();
    state_->shared->tls = std::move(*context);
    return ok();
}

Task<> HttpServer::stop(Duration grace) {
    const auto state = state_;
    state->spawner->cancel(state->accepting);
    state->shared->stopping = true;
    state->listener->close();
    const auto idle = state->shared->idle;
    for (Connection* connection : idle) connection->close();
    EventLoop& loop = state->shared->loop;
    const Result<Unit> over =
        co_await with_deadline(loop, loop.now() + grace, until_all_closed(*state), "stopping").attempt();
    if (!over.ok()) state->spawner = std::make_unique<Spawner>(loop, Spawner::OnFailure());
}

}  // namespace atl::net
