#include "operator/net/connection.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

namespace atl::net {

namespace {

constexpr std::size_t kReadBlock = 16384;
constexpr std::size_t kReadAtOnce = 65536;
constexpr std::size_t kMostPieces = 64;

std::size_t total_size(const std::vector<std::string_view>& pieces) {
    std::size_t total = 0;
    for (const std::string_view piece : pieces) total += piece.size();
    return total;
}

/// Takes so many bytes from the front.
void advance(std::vector<std::string_view>& pieces, std::size_t bytes) {
    std::size_t gone = 0;
    while (gone < pieces.size() && bytes >= pieces[gone].size()) bytes -= pieces[gone++].size();
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(gone));
    if (!pieces.empty()) pieces.front().remove_prefix(bytes);
}

}  // namespace

Connection::Connection(std::unique_ptr<Descriptor> socket, std::string peer_name)
    : descriptor_(std::move(socket)), peer_name_(std::move(peer_name)) {}

Connection::~Connection() {
    close();
}

Error Connection::lost(int code, std::string_view doing) const {
    const std::string why = code == 0 ? "closed by the peer" : std::generic_category().message(code);
    return transient("ConnectionLost", std::string(doing) + " " + peer_name_ + ": " + why);
}

Task<> Connection::until_ready(Step step, Duration patience) {
    if (step.kind == Step::Kind::Broken) co_await fail(std::move(*step.error));
    const Direction direction = step.kind == Step::Kind::WantRead ? Direction::Read : Direction::Write;
    const bool in_time = co_await descriptor_->ready(direction, patience);
    if (!in_time) {
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
        co_await fail(
            transient("IdleTimeout", "nothing moved for " + std::to_string(waited.count()) + " ms on " + peer_name_));
    }
}

Task<> Connection::start_tls(std::unique_ptr<TlsSession> session) {
    tls_ = std::move(session);
    Step step = tls_->handshake();
    while (step.kind != Step::Kind::Done) {
        if (step.kind == Step::Kind::End) co_await fail(transient("ConnectFailed", "TLS: closed by the peer"));
        co_await until_ready(std::move(step), kForever);
        step = tls_->handshake();
    }
}

Step Connection::try_read(char* into, std::size_t room) {
    if (tls_) return tls_->read(into, room);
    ssize_t count = -1;
    do {
        count = ::recv(socket(), into, room, 0);
    } while (count < 0 && errno == EINTR);
    if (count > 0) return {Step::Kind::Done, static_cast<std::size_t>(count), {}};
    if (count == 0) return {Step::Kind::End, 0, {}};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {Step::Kind::WantRead, 0, {}};
    return {Step::Kind::Broken, 0, lost(errno, "reading from")};
}

Step Connection::try_fill(std::string& into) {
    const std::size_t full = into.size() + kReadAtOnce;
    char block[kReadBlock];
    Step step;
    while (step.kind == Step::Kind::Done && into.size() < full) {
        step = try_read(block, sizeof(block));
        if (step.kind == Step::Kind::Done) into.append(block, step.bytes);
    }
    return step;
}

Step Connection::try_write(const std::vector<std::string_view>& pieces) {
    if (tls_) {
        // Small pieces share one TLS record.
        if (pieces.size() == 1 || pieces.front().size() >= kReadBlock) return tls_->write(pieces.front());
        std::string record;
        for (const std::string_view piece : pieces) record.append(piece.substr(0, kReadBlock - record.size()));
        return tls_->write(record);
    }
    iovec vectors[kMostPieces];
    const std::size_t count = std::min(pieces.size(), kMostPieces);
    for (std::size_t i = 0; i < count; ++i) vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
    msghdr message{};
    message.msg_iov = vectors;
    message.msg_iovlen = count;
    ssize_t sent = -1;
    do {
        sent = ::sendmsg(socket(), &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) return {Step::Kind::Done, static_cast<std::size_t>(sent), {}};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {Step::Kind::WantWrite, 0, {}};
    return {Step::Kind::Broken, 0, lost(errno, "writing to")};
}

Task<std::size_t> Connection::read(std::string& into, Duration patience) {
    const std::size_t before = into.size();
    while (true) {
        Step step = try_fill(into);
        if (into.size() > before) co_return into.size() - before;
        if (step.kind == Step::Kind::End) co_return std::size_t{0};
        co_await until_ready(std::move(step), patience);
    }
}

Task<> Connection::write(std::vector<std::string_view> pieces, Duration patience) {
    std::erase_if(pieces, [](std::string_view piece) { return piece.empty(); });
    while (total_size(pieces) > 0) {
        Step step = try_write(pieces);
        if (step.kind == Step::Kind::Done) {
            advance(pieces, step.bytes);
        } else if (step.kind == Step::Kind::End) {
            co_await fail(lost(0, "writing to"));
        } else {
            co_await until_ready(std::move(step), patience);
        }
    }
}

void Connection::end_output() {
    if (tls_) tls_->close();
    ::shutdown(socket(), SHUT_WR);
}

void Connection::close() {
    if (tls_) tls_->close();
    tls_.reset();
    descriptor_->close();
}

bool Connection::is_quiet() {
    char byte = 0;
    const Step step = try_read(&byte, 1);
    return step.kind == Step::Kind::WantRead;
}

Peer Connection::peer() const {
    Peer peer;
    peer.address = peer_name_;
    if (tls_) {
        peer.common_name = tls_->peer_common_name();
        peer.organizations = tls_->peer_organizations();
    }
    return peer;
}

}  // namespace atl::net
