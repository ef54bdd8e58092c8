#include "operator/net/connection.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "operator/base/spawner.h"
#include "test/operator/net/raw_server.h"
#include "test/operator/net/real_loop.h"

namespace atl::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

int option(int socket, int level, int name) {
    int value = -1;
    socklen_t size = sizeof(value);
    ::getsockopt(socket, level, name, &value, &size);
    return value;
}

class ConnectionTest : public testing::Test {
protected:
    ConnectionTest() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
        one_ = std::make_unique<Connection>(loop_.adopt(ends[0]), "one");
        other_ = std::make_unique<Connection>(loop_.adopt(ends[1]), "other");
    }
    Task<std::string> read_exactly(Connection& connection, std::size_t size) {
        std::string text;
        while (text.size() < size) co_await connection.read(text, seconds(5));
        co_return text;
    }

    EventLoop loop_;
    std::unique_ptr<Connection> one_;
    std::unique_ptr<Connection> other_;
};

TEST_F(ConnectionTest, CarriesMoreThanTheKernelHoldsInManyPieces) {
    std::vector<std::string> texts;
    std::vector<std::string_view> pieces;
    std::string whole;
    for (int i = 0; i < 300; ++i)
        texts.push_back(std::string(static_cast<std::size_t>(i * 100), static_cast<char>('a' + i % 26)));
    for (const std::string& text : texts) {
        pieces.push_back(text);
        whole += text;
    }
    RootTask<void> writing(one_->write(pieces, seconds(5)), [](const auto& result, const std::exception_ptr&) {
        EXPECT_TRUE(result.ok()) << result.error().message();
    });
    writing.start();
    EXPECT_EQ(*run(loop_, read_exactly(*other_, whole.size())), whole);
}

TEST_F(ConnectionTest, SaysIdleTimeoutWhenNothingMoves) {
    std::string text;
    EXPECT_EQ(run(loop_, one_->read(text, milliseconds(20))).error().reason(), "IdleTimeout");
    const std::string much(10000000, 'a');
    EXPECT_EQ(run(loop_, one_->write({much}, milliseconds(20))).error().reason(), "IdleTimeout");
}

TEST_F(ConnectionTest, TellsTheEndFromABreak) {
    std::string text;
    other_->end_output();
    EXPECT_EQ(*run(loop_, one_->read(text, seconds(1))), 0U);
    other_.reset();
    const std::string much(1000, 'a');
    EXPECT_EQ(run(loop_, one_->write({much}, seconds(1))).error().reason(), "ConnectionLost");
}

TEST_F(ConnectionTest, IsQuietUntilSomethingComes) {
    EXPECT_TRUE(one_->is_quiet());
    ASSERT_EQ(::send(other_->socket(), "a", 1, 0), 1);
    EXPECT_FALSE(one_->is_quiet());
    EXPECT_TRUE(other_->is_quiet());
    one_.reset();
    EXPECT_FALSE(other_->is_quiet());
}

TEST(Sockets, LookForPeersThatVanish) {
    EventLoop loop;
    RawServer server(loop, [&loop](Connection&, int) { return sleep_for(loop, seconds(100)); });
    const auto addresses = run(loop, loop.resolve("127.0.0.1", server.endpoint().port));
    const auto connection = run(loop, connect_tcp(loop, addresses->front(), "server", seconds(5)));
    ASSERT_TRUE(connection.ok());
    const int socket = (*connection)->socket();
    EXPECT_EQ(option(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_EQ(option(socket, IPPROTO_TCP, TCP_KEEPIDLE), 15);
    EXPECT_EQ(option(socket, IPPROTO_TCP, TCP_KEEPINTVL), 5);
    EXPECT_EQ(option(socket, IPPROTO_TCP, TCP_KEEPCNT), 3);
    EXPECT_EQ(option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT), 30000);
    EXPECT_EQ(option(socket, IPPROTO_TCP, TCP_NODELAY), 1);
}

TEST(Sockets, SayWhyNobodyCanBeReached) {
    EventLoop loop;
    const auto refused = run(loop, connect_unix(loop, testing::TempDir() + "/atoll-none.sock", seconds(1)));
    EXPECT_EQ(refused.error().reason(), "ConnectFailed");
    EXPECT_NE(refused.error().message().find("No such file"), std::string::npos) << refused.error().message();
    EXPECT_EQ(run(loop, connect_unix(loop, std::string(200, 'a'), seconds(1))).error().error_class(),
              ErrorClass::Invalid);
    std::uint16_t port = 0;
    EXPECT_EQ(listen_tcp("localhost", port).error().reason(), "ListenFailed") << "a name is not an address";
}

}  // namespace
}  // namespace atl::net
