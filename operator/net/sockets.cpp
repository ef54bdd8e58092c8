#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "operator/net/connection.h"

namespace atl::net {

namespace {

constexpr int kBacklog = 512;

Error cannot(std::string reason, int code, const std::string& what) {
    std::string message = what + ": " + std::generic_category().message(code);
    if (reason == "ListenFailed") return invalid(std::move(reason), std::move(message));
    return transient(std::move(reason), std::move(message));
}

void set_option(int socket, int level, int name, int value) {
    ::setsockopt(socket, level, name, &value, sizeof(value));
}

int open_socket(int family) {
    return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/// nullopt if the path does not fit.
std::optional<sockaddr_un> unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path)) return std::nullopt;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

Error path_too_long(const std::string& path) {
    return invalid("ConnectFailed", "\"" + path + "\" cannot be the path of a unix socket: 1 to " +
                                        std::to_string(sizeof(sockaddr_un{}.sun_path) - 1) + " bytes are allowed");
}

int start_connecting(int socket, const sockaddr* address, std::size_t size) {
    return ::connect(socket, address, static_cast<socklen_t>(size)) == 0 ? 0 : errno;
}

bool answers(const sockaddr_un& address) {
    const int probe = open_socket(AF_UNIX);
    const int code = start_connecting(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    ::close(probe);
    return code == 0 || code == EAGAIN;
}

}  // namespace

void tune_tcp(int socket, const DeadPeer& dead_peer) {
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, static_cast<int>(dead_peer.probe_after.count()));
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, static_cast<int>(dead_peer.probe_every.count()));
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, dead_peer.probes);
    set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(dead_peer.unacknowledged.count() * 1000));
}

Task<std::unique_ptr<Connection>> connect_tcp(EventLoop& loop, SocketAddress address, std::string peer_name,
                                              Duration patience) {
    const int socket = open_socket(address.family);
    if (socket < 0) co_return cannot("ConnectFailed", errno, "opening a socket");
    tune_tcp(socket, DeadPeer());
    auto descriptor = loop.adopt(socket);
    int code = start_connecting(socket, reinterpret_cast<const sockaddr*>(address.bytes.data()), address.bytes.size());
    if (code == EINPROGRESS) {
        const bool in_time = co_await descriptor->ready(Direction::Write, patience);
        socklen_t size = sizeof(code);
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size);
        if (!in_time) code = ETIMEDOUT;
    }
    if (code != 0) co_return cannot("ConnectFailed", code, "connecting to " + peer_name);
    co_return std::make_unique<Connection>(std::move(descriptor), std::move(peer_name));
}

Task<std::unique_ptr<Connection>> connect_unix(EventLoop& loop, std::string path, Duration patience) {
    const auto address = unix_address(path);
    if (!address) co_return path_too_long(path);
    const Instant end = loop.now() + patience;
    while (true) {
        const int socket = open_socket(AF_UNIX);
        if (socket < 0) co_return cannot("ConnectFailed", errno, "opening a socket");
        auto descriptor = loop.adopt(socket);
        const int code = start_connecting(socket, reinterpret_cast<const sockaddr*>(&*address), sizeof(*address));
        if (code == 0) co_return std::make_unique<Connection>(std::move(descriptor), path);
        // The backlog is full: the kernel offers nothing to wait for.
        if (code != EAGAIN || loop.now() >= end) co_return cannot("ConnectFailed", code, "connecting to " + path);
        co_await sleep_for(loop, std::chrono::milliseconds(10));
    }
}

Result<int> listen_tcp(const std::string& address, std::uint16_t& port) {
    const std::string shown = address + ":" + std::to_string(port);
    sockaddr_storage storage{};
    socklen_t size = 0;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    if (::inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        size = sizeof(*v4);
    } else if (::inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        size = sizeof(*v6);
    } else {
        return invalid("ListenFailed", "\"" + address + "\" is not an IP address");
    }
    const int socket = open_socket(storage.ss_family);
    if (socket < 0) return cannot("ListenFailed", errno, "opening a socket");
    set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
    auto* bound = reinterpret_cast<sockaddr*>(&storage);
    if (::bind(socket, bound, size) != 0 || ::listen(socket, kBacklog) != 0) {
        const int code = errno;
        ::close(socket);
        return cannot("ListenFailed", code, "listening on " + shown);
    }
    ::getsockname(socket, bound, &size);
    port = ntohs(storage.ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
    return socket;
}

Result<int> listen_unix(const std::string& path) {
    const auto address = unix_address(path);
    if (!address) return path_too_long(path);
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0) {
        if (!S_ISSOCK(status.st_mode) || answers(*address)) {
            return cannot("ListenFailed", EADDRINUSE, "listening on " + path);
        }
        ::unlink(path.c_str());
    }
    const int socket = open_socket(AF_UNIX);
    if (socket < 0) return cannot("ListenFailed", errno, "opening a socket");
    // Only this user may connect, from the first moment: on Linux a socket's file gets the mode of its inode.
    ::fchmod(socket, 0600);
    const auto* bound = reinterpret_cast<const sockaddr*>(&*address);
    if (::bind(socket, bound, sizeof(*address)) != 0 || ::listen(socket, kBacklog) != 0) {
        const int code = errno;
        ::close(socket);
        return cannot("ListenFailed", code, "listening on " + path);
    }
    ::chmod(path.c_str(), 0600);
    return socket;
}

}  // namespace atl::net
