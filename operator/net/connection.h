#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "operator/net/event_loop.h"
#include "operator/net/server.h"
#include "operator/net/tls.h"

namespace atl::net {

/// A connected stream of bytes: TCP or a unix socket, with or without TLS. For one reader and one writer at a time.
/// Destroying it closes it.
///
/// Errors: Transient with ConnectionLost (broken by the peer or the network), or IdleTimeout (nothing moved for
/// `patience`).
class Connection {
public:
    /// Takes over a connected socket.
    Connection(std::unique_ptr<Descriptor> socket, std::string peer_name);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    /// Makes it a TLS connection; before any other use. Errors as in TlsSession::handshake.
    Task<> start_tls(std::unique_ptr<TlsSession> session);
    /// Appends what there is, at least one byte, at most 64 KiB; waits for it if need be. 0 at the peer's orderly end.
    Task<std::size_t> read(std::string& into, Duration patience);
    /// Sends all pieces. Dropped or failed half-way, the connection is of no more use.
    Task<> write(std::vector<std::string_view> pieces, Duration patience);
    /// Says that no more comes from this side.
    void end_output();
    /// Closes it now: pending reads and writes fail.
    void close();
    /// Whether nothing has come and the peer has not hung up, so far as can be seen without waiting.
    bool is_quiet();

    int socket() const { return descriptor_->number(); }
    /// For messages and logs ("127.0.0.1:41234").
    const std::string& peer_name() const { return peer_name_; }
    /// Who is at the other end.
    Peer peer() const;

private:
    Step try_read(char* into, std::size_t room);
    Step try_fill(std::string& into);
    Step try_write(const std::vector<std::string_view>& pieces);
    Task<> until_ready(Step step, Duration patience);
    Error lost(int code, std::string_view doing) const;

    std::unique_ptr<Descriptor> descriptor_;
    std::unique_ptr<TlsSession> tls_;
    std::string peer_name_;
};

/// How the kernel finds out that a peer has vanished without a word.
struct DeadPeer {
    std::chrono::seconds probe_after{15};
    std::chrono::seconds probe_every{5};
    int probes = 3;
    /// Sent data that is not acknowledged for so long ends the connection.
    std::chrono::seconds unacknowledged{30};
};

/// Connects to a TCP address. Fails with ConnectFailed.
Task<std::unique_ptr<Connection>> connect_tcp(EventLoop& loop, SocketAddress address, std::string peer_name,
                                              Duration patience);
/// Connects to a unix socket. Fails with ConnectFailed, or Invalid if the path is too long for one.
Task<std::unique_ptr<Connection>> connect_unix(EventLoop& loop, std::string path, Duration patience);

/// A socket that listens; -1 is never returned. `port` is set to the one bound. Fails with ListenFailed (Invalid).
Result<int> listen_tcp(const std::string& address, std::uint16_t& port);
/// Replaces a socket that nobody answers any more; the new one has mode 0600. Fails as listen_tcp, also if somebody
/// answers.
Result<int> listen_unix(const std::string& path);
/// Sets no-delay and the search for dead peers on a TCP socket.
void tune_tcp(int socket, const DeadPeer& dead_peer);

}  // namespace atl::net
