#include "operator/net/http_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "operator/base/spawner.h"
#include "operator/net/connection.h"
#include "test/operator/net/real_loop.h"

namespace atl::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Task<std::string> read_to_end(Connection& connection) {
    std::string text;
    while (true) {
        const std::size_t count = co_await connection.read(text, seconds(10));
        if (count == 0) co_return text;
    }
}

Task<std::string> ask(Connection& connection, std::string request) {
    co_await connection.write({request}, seconds(10));
    std::string text = co_await read_to_end(connection);
    co_return text;
}

class HttpServerTest : public testing::Test {
protected:
    void serve(HttpServerOptions options = {}) {
        auto listening = HttpServer::listen(loop_, handler_, std::move(options));
        ASSERT_TRUE(listening.ok()) << listening.error().message();
        server_ = std::move(*listening);
    }
    std::unique_ptr<Connection> connect() {
        const auto addresses = run(loop_, loop_.resolve("127.0.0.1", server_->port()));
        return std::move(run(loop_, connect_tcp(loop_, addresses->front(), "server", seconds(5))).value());
    }
    /// Sends raw text and gives all that comes until the server closes.
    std::string raw(const std::string& request) {
        auto connection = connect();
        const auto text = run(loop_, ask(*connection, request));
        return text.ok() ? *text : "error: " + text.error().message();
    }

    EventLoop loop_;
    SampleHandler handler_{loop_};
    std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersPipelinedRequestsInTheirOrder) {
    serve();
    const std::string text =
        raw("GET /echo?1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo?2 HTTP/1.1\r\nHost: a\r\n"
            "Content-Length: 3\r\n\r\nabcGET /echo?3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const auto first = text.find("GET /echo?1\n");
    const auto second = text.find("POST /echo?2\nabc");
    const auto third = text.find("GET /echo?3\n");
    EXPECT_LT(first, second) << text;
    EXPECT_LT(second, third) << text;
    EXPECT_NE(third, std::string::npos) << text;
}

TEST_F(HttpServerTest, StreamsInChunksAndToOldClientsUntilTheEnd) {
    serve();
    const std::string chunked = raw("GET /stream?pieces=2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_NE(chunked.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << chunked;
    EXPECT_NE(chunked.find("\r\n\r\n2\r\n0\n\r\n2\r\n1\n\r\n0\r\n\r\n"), std::string::npos) << chunked;
    const std::string old = raw("GET /stream?pieces=2 HTTP/1.0\r\n\r\n");
    EXPECT_NE(old.find("\r\n\r\n0\n1\n"), std::string::npos) << old;
    EXPECT_EQ(old.find("chunked"), std::string::npos) << old;
}

TEST_F(HttpServerTest, AnswersHeadWithoutABody) {
    serve();
    const std::string text = raw("HEAD /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_NE(text.find("Content-Length: 11\r\n"), std::string::npos) << text;
    EXPECT_EQ(text.substr(text.size() - 4), "\r\n\r\n");
}

TEST_F(HttpServerTest, RefusesWhatIsTooLargeOrNotHttp) {
    HttpServerOptions options;
    options.max_head = 2048;
    options.max_body = 1000;
    serve(options);
    EXPECT_EQ(raw("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n").substr(9, 3), "413");
    EXPECT_EQ(raw("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                  std::string(1001, 'a') + "\r\n0\r\n\r\n")
                  .substr(9, 3),
              "413");
    EXPECT_EQ(raw("GET /echo HTTP/1.1\r\nHost: a\r\nX: " + std::string(3000, 'a') + "\r\n\r\n").substr(9, 3), "431");
    EXPECT_EQ(raw("\x16\x03\x01 nonsense\r\n\r\n").substr(9, 3), "400");
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_F(HttpServerTest, RefusesInTheWordsThatItIsGivenAlsoWhoSendsMegabytesTooMany) {
    HttpServerOptions options;
    options.max_body = 1000;
    options.refusal = [](int status, const std::string& message) {
        return Response{status, Headers{{"Content-Type", "text/odd"}}, "refused: " + message};
    };
    serve(options);
    const std::string text =
        raw("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n" + std::string(8'000'000, 'a'));
    EXPECT_EQ(text.substr(9, 3), "413");
    EXPECT_NE(text.find("Content-Type: text/odd\r\n"), std::string::npos) << text;
    EXPECT_NE(text.find("refused: the body is too large"), std::string::npos) << text;
}

TEST_F(HttpServerTest, CutsOffAClientThatIsTooSlow) {
    HttpServerOptions options;
    options.head_limit = milliseconds(50);
    options.body_limit = milliseconds(50);
    serve(options);
    EXPECT_EQ(raw("GET /ec").substr(9, 3), "408");
    EXPECT_EQ(raw("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab").substr(9, 3), "408");
    EXPECT_EQ(handler_.arrived, 0);
}

TEST_F(HttpServerTest, ClosesAnIdleConnection) {
    HttpServerOptions options;
    options.idle_limit = milliseconds(50);
    serve(options);
    EXPECT_EQ(raw(""), "");
    EXPECT_TRUE(run_until(loop_, [&] { return server_->connections() == 0; }));
}

TEST_F(HttpServerTest, AnswersExpectContinueBeforeTheBodyComes) {
    serve();
    auto connection = connect();
    std::string request =
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n";
    ASSERT_TRUE(run(loop_, connection->write({request}, seconds(5))).ok());
    std::string interim;
    ASSERT_TRUE(run(loop_, connection->read(interim, seconds(5))).ok());
    EXPECT_EQ(interim, "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_NE(run(loop_, ask(*connection, "abc"))->find("POST /echo\nabc"), std::string::npos);
}

TEST_F(HttpServerTest, DropsTheHandlerAtOnceWhenItsClientLeavesThoughItIsSilent) {
    serve();
    for (const char* target : {"/silent", "/quiet"}) {
        auto connection = connect();
        const std::string request = std::string("GET ") + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
        ASSERT_TRUE(run(loop_, connection->write({request}, seconds(5))).ok());
        ASSERT_TRUE(run_until(loop_, [&] { return handler_.running == 1; }));
        connection.reset();
        const Instant left = loop_.now();
        EXPECT_TRUE(run_until(loop_, [&] { return handler_.running == 0; }));
        EXPECT_LT(loop_.now() - left, milliseconds(100));
    }
}

TEST_F(HttpServerTest, HoldsAHandlerBackWhoseClientDoesNotReadAndCutsItOffIfItStalls) {
    HttpServerOptions options;
    options.stall_limit = milliseconds(200);
    serve(options);
    auto connection = connect();
    std::string request = "GET /stream?pieces=100000000 HTTP/1.1\r\nHost: a\r\n\r\n";
    ASSERT_TRUE(run(loop_, connection->write({request}, seconds(5))).ok());
    ASSERT_TRUE(run_until(loop_, [&] { return handler_.running == 1; }));
    EXPECT_TRUE(run_until(loop_, [&] { return handler_.running == 0; }, seconds(20)));
}

TEST_F(HttpServerTest, AnswersAFailingHandlerWith500AndGoesOn) {
    std::string failure;
    HttpServerOptions options;
    options.on_failure = [&](const Error& error, bool bug) { failure = error.reason() + (bug ? " bug" : ""); };
    serve(options);
    const std::string text =
        raw("GET /fail HTTP/1.1\r\nHost: a\r\n\r\nGET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(text.substr(9, 3), "500");
    EXPECT_NE(text.find("GET /echo\n"), std::string::npos) << text;
    EXPECT_EQ(failure, "Failed");
}

TEST_F(HttpServerTest, LetsFurtherClientsWaitWhenItIsFull) {
    HttpServerOptions options;
    options.max_connections = 2;
    serve(options);
    auto first = connect();
    auto second = connect();
    auto third = connect();
    ASSERT_TRUE(run_until(loop_, [&] { return server_->connections() == 2; }));
    std::string request = "GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    ASSERT_TRUE(run(loop_, third->write({request}, seconds(5))).ok());
    run_for(loop_, milliseconds(50));
    EXPECT_EQ(handler_.arrived, 0);
    first.reset();
    EXPECT_NE(run(loop_, read_to_end(*third))->find("GET /echo"), std::string::npos);
}

TEST_F(HttpServerTest, StopsAfterItsLastExchangeOrTheGrace) {
    serve();
    auto idle = connect();
    auto busy = connect();
    std::string request = "GET /silent HTTP/1.1\r\nHost: a\r\n\r\n";
    ASSERT_TRUE(run(loop_, busy->write({request}, seconds(5))).ok());
    ASSERT_TRUE(run_until(loop_, [&] { return handler_.running == 1 && server_->connections() == 2; }));
    const Instant begun = loop_.now();
    ASSERT_TRUE(run(loop_, server_->stop(milliseconds(200))).ok());
    EXPECT_GE(loop_.now() - begun, milliseconds(190));
    EXPECT_EQ(server_->connections(), 0U);
    EXPECT_EQ(handler_.running, 0);
    EXPECT_EQ(*run(loop_, read_to_end(*idle)), "");
    const auto addresses = run(loop_, loop_.resolve("127.0.0.1", server_->port()));
    EXPECT_EQ(run(loop_, connect_tcp(loop_, addresses->front(), "server", seconds(5))).error().reason(),
              "ConnectFailed");
}

TEST_F(HttpServerTest, ReplacesADeadUnixSocketButNotOneInUse) {
    HttpServerOptions options;
    options.unix_path = testing::TempDir() + "/atoll-http-server-test.sock";
    ::unlink(options.unix_path.c_str());
    serve(options);
    struct stat status{};
    ASSERT_EQ(::stat(options.unix_path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_EQ(HttpServer::listen(loop_, handler_, options).error().reason(), "ListenFailed");
    server_.reset();
    const auto dead = listen_unix(options.unix_path);
    ASSERT_TRUE(dead.ok());
    ::close(*dead);
    serve(options);
}

TEST_F(HttpServerTest, ServesFiveHundredWatchers) {
    serve();
    std::vector<std::unique_ptr<Connection>> watchers;
    std::string request = "GET /ticks HTTP/1.1\r\nHost: a\r\n\r\n";
    for (int i = 0; i < 500; ++i) {
        watchers.push_back(connect());
        ASSERT_TRUE(run(loop_, watchers.back()->write({request}, seconds(5))).ok());
    }
    ASSERT_TRUE(run_until(loop_, [&] { return handler_.running == 500; }));
    std::string text;
    for (auto& watcher : watchers) ASSERT_TRUE(run(loop_, watcher->read(text, seconds(5))).ok());
    watchers.clear();
    EXPECT_TRUE(run_until(loop_, [&] { return handler_.running == 0 && server_->connections() == 0; }));
}

}  // namespace
}  // namespace atl::net
