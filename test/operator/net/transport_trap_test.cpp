// Servers and networks that misbehave, in the ways that were seen to break HTTP clients; on every binding that has
// sockets.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "operator/net/transport.h"
#include "test/operator/net/raw_server.h"
#include "test/operator/net/transport_rig.h"

namespace atl::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class TransportTrap : public testing::TestWithParam<Binding> {
protected:
    Endpoint serve(RawServer::Script script) {
        server_ = std::make_unique<RawServer>(rig_.loop, std::move(script));
        return server_->endpoint();
    }
    /// Answers each connection's first request with this text, then closes.
    Endpoint serve_text(std::string text) {
        return serve([this, text = std::move(text)](Connection& connection, int) { return say(connection, text); });
    }
    Task<> say(Connection& connection, std::string text) {
        const std::string request = co_await server_->read_request(connection);
        co_await connection.write({text}, kForever);
    }
    Task<> say_and_reset(Connection& connection, std::string text) {
        co_await say(connection, text);
        co_await sleep_for(rig_.loop, milliseconds(50));
        reset_on_close(connection);
    }
    Task<> answer_all(Connection& connection) {
        while (true) {
            const std::string request = co_await server_->read_request(connection);
            if (request.empty()) co_return;
            co_await connection.write({kOk}, kForever);
        }
    }
    /// Answers one request, then takes one more and closes without a word.
    Task<> answer_once_then_close(Connection& connection) {
        co_await say(connection, kOk);
        const std::string request = co_await server_->read_request(connection);
    }
    /// Byte by byte.
    Task<> drip(Connection& connection, std::string text) {
        const std::string request = co_await server_->read_request(connection);
        for (const char byte : text) {
            co_await connection.write({std::string_view(&byte, 1)}, kForever);
            co_await sleep_for(rig_.loop, milliseconds(1));
        }
    }
    Task<> wait(Connection&) { co_await sleep_for(rig_.loop, std::chrono::hours(1)); }

    Result<Response> send(const Endpoint& endpoint, const std::string& method, const std::string& body = "") {
        return rig_.send({endpoint, method, "/", {}, body});
    }
    Result<StreamResponse> open(const Endpoint& endpoint, Duration idle = seconds(10)) {
        Limits limits = rig_.limits();
        limits.idle = idle;
        return rig_.run(rig_.transport().open({endpoint, "GET", "/", {}, ""}, limits));
    }
    bool streams() const { return GetParam() == Binding::Beast; }
    void let_rest() { run_for(rig_.loop, milliseconds(50)); }

    RealRig rig_{GetParam()};
    std::unique_ptr<RawServer> server_;
};

TEST_P(TransportTrap, UsesAConnectionAgain) {
    const Endpoint endpoint = serve([this](Connection& connection, int) { return answer_all(connection); });
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(send(endpoint, "GET").ok());
        let_rest();
    }
    EXPECT_EQ(server_->connections, 1);
}

TEST_P(TransportTrap, NeverReplaysAPostThatTheServerTookAndDidNotAnswer) {
    for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
        for (const char* body : {"{\"create\":1}", ""}) {
            const Endpoint endpoint = serve([this](Connection& c, int) { return answer_once_then_close(c); });
            ASSERT_TRUE(send(endpoint, method, body).ok());
            let_rest();
            const auto lost = send(endpoint, method, body);
            ASSERT_FALSE(lost.ok()) << method;
            EXPECT_EQ(lost.error().reason(), "ConnectionLost") << lost.error().message();
            let_rest();
            EXPECT_EQ(server_->requests, 2) << method << " with body '" << body << "'";
        }
    }
}

TEST_P(TransportTrap, RepeatsAGetOnAPooledConnectionThatDies) {
    const Endpoint endpoint = serve([this](Connection& connection, int index) {
        return index == 0 ? answer_once_then_close(connection) : answer_all(connection);
    });
    ASSERT_TRUE(send(endpoint, "GET").ok());
    let_rest();
    const auto again = send(endpoint, "GET");
    EXPECT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(server_->requests, 3);
    EXPECT_EQ(server_->connections, 2);
}

TEST_P(TransportTrap, SurvivesAPooledConnectionThatWasResetAtRest) {
    const Endpoint endpoint = serve([this](Connection& c, int) { return say_and_reset(c, kOk); });
    for (int i = 0; i < 5; ++i) {
        const auto response = send(endpoint, "GET");
        EXPECT_TRUE(response.ok()) << response.error().message();
        run_for(rig_.loop, milliseconds(100));
    }
}

TEST_P(TransportTrap, SaysConnectionLostWhenAFreshConnectionBreaks) {
    for (const bool reset : {false, true}) {
        const Endpoint endpoint =
            serve([this, reset](Connection& c, int) { return reset ? say_and_reset(c, "") : say(c, ""); });
        for (const char* method : {"GET", "POST"}) {
            const auto lost = send(endpoint, method, "");
            ASSERT_FALSE(lost.ok());
            EXPECT_EQ(lost.error().reason(), "ConnectionLost") << lost.error().message();
            EXPECT_EQ(lost.error().error_class(), ErrorClass::Transient);
        }
        EXPECT_EQ(server_->requests, 2);
    }
}

TEST_P(TransportTrap, DoesNotTakeABrokenBodyForAWholeOne) {
    for (const char* text : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"}) {
        const auto lost = send(serve_text(text), "GET");
        ASSERT_FALSE(lost.ok()) << text;
        EXPECT_EQ(lost.error().reason(), "ConnectionLost") << lost.error().message();
    }
}

TEST_P(TransportTrap, ReadsABodyThatEndsWithTheConnection) {
    const auto response = send(serve_text("HTTP/1.1 200 OK\r\n\r\nall of it"), "GET");
    ASSERT_TRUE(response.ok()) << response.error().message();
    EXPECT_EQ(response->body, "all of it");
}

TEST_P(TransportTrap, SaysConnectionLostWhenTheAnswerIsNotHttp) {
    for (const char* text : {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 abc\r\n\r\n", "\x15\x03\x03\x00\x02\x02\x46",
                             "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"}) {
        const auto lost = send(serve_text(text), "GET");
        ASSERT_FALSE(lost.ok()) << text;
        EXPECT_EQ(lost.error().reason(), "ConnectionLost") << lost.error().message();
    }
}

TEST_P(TransportTrap, DoesNotReserveWhatAHeaderPromises) {
    const auto lost = send(serve_text("HTTP/1.1 200 OK\r\nContent-Length: 900000000000000\r\n\r\nabc"), "GET");
    EXPECT_FALSE(lost.ok());
}

TEST_P(TransportTrap, RefusesHeadersThatWouldBreakTheRequestApart) {
    const Endpoint endpoint = serve([this](Connection& connection, int) { return answer_all(connection); });
    Request request{endpoint, "GET", "/", {{"X-Name", "a\r\nX-Other: b"}}, ""};
    EXPECT_EQ(rig_.send(request).error().error_class(), ErrorClass::Invalid);
    Request spaced{endpoint, "GET", "/a b HTTP/1.1\r\nX: y", {}, ""};
    EXPECT_EQ(rig_.send(spaced).error().error_class(), ErrorClass::Invalid);
    EXPECT_EQ(server_->requests, 0);
}

TEST_P(TransportTrap, EndsAtTheDeadlineWhenThePeerStopsReading) {
    const Endpoint endpoint = serve([this](Connection& connection, int) { return wait(connection); });
    const Instant begun = rig_.loop.now();
    const auto late = rig_.run(
        rig_.transport().send({endpoint, "POST", "/", {}, std::string(30000000, 'a')}, rig_.limits(milliseconds(300))));
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().reason(), "DeadlineExceeded");
    // Copying the body takes a sanitizer's build on a busy machine most of a second; without the deadline it never
    // ends.
    EXPECT_LT(rig_.loop.now() - begun, milliseconds(2000));
}

TEST_P(TransportTrap, HasAtMostSixteenExchangesPerEndpointAndServesTheOthersInTurn) {
    SampleHandler handler(rig_.loop);
    const Endpoint endpoint = rig_.serve(handler);
    std::vector<std::unique_ptr<RootTask<Response>>> tasks;
    for (int i = 0; i < 20; ++i) {
        tasks.push_back(std::make_unique<RootTask<Response>>(
            rig_.transport().send({endpoint, "GET", "/silent", {}, ""}, rig_.limits()),
            [](auto, const std::exception_ptr&) {}));
        tasks.back()->start();
    }
    ASSERT_TRUE(rig_.run_until([&] { return handler.running == 16; }));
    let_rest();
    EXPECT_EQ(handler.running, 16);
    for (int i = 0; i < 4; ++i) tasks[static_cast<std::size_t>(i)].reset();
    EXPECT_TRUE(rig_.run_until([&] { return handler.arrived == 20 && handler.running == 16; }));
}

TEST_P(TransportTrap, TellsACleanEndOfAStreamFromABrokenOne) {
    if (!streams()) GTEST_SKIP() << "this binding carries no streams";
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    for (const std::string& tail : {std::string("0\r\n\r\n"), std::string(), std::string("zz\r\n")}) {
        auto response = open(serve_text(head + tail));
        if (!response.ok()) {
            // What cannot be read may already be found with the head.
            EXPECT_EQ(tail, "zz\r\n");
            EXPECT_EQ(response.error().reason(), "ConnectionLost") << response.error().message();
            continue;
        }
        EXPECT_EQ(*rig_.run(response->body->next()), "abc");
        const auto end = rig_.run(response->body->next());
        EXPECT_EQ(end.ok(), tail[0] == '0');
        if (!end.ok()) EXPECT_EQ(end.error().reason(), "ConnectionLost");
    }
}

TEST_P(TransportTrap, JoinsAndSplitsNothingAtChunkBordersAndSurvivesSlowBytes) {
    if (!streams()) GTEST_SKIP() << "this binding carries no streams";
    const std::string text =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n \r\n00005\r\nworld\r\n"
        "0\r\nTrailer: t\r\n\r\n";
    const Endpoint endpoint = serve([this, text](Connection& connection, int) { return drip(connection, text); });
    auto response = open(endpoint);
    ASSERT_TRUE(response.ok()) << response.error().message();
    std::string body;
    while (true) {
        const auto piece = rig_.run(response->body->next());
        ASSERT_TRUE(piece.ok()) << piece.error().message();
        if (!*piece) break;
        body += **piece;
    }
    EXPECT_EQ(body, "hello world");
}

TEST_P(TransportTrap, ReadsTheAnswerOfAServerThatRefusesALargeBodyHalfWay) {
    if (!streams()) GTEST_SKIP() << "cpprestsdk gives up when it cannot send all";
    SampleHandler handler(rig_.loop);
    const Endpoint endpoint = rig_.serve(handler);
    const auto response = send(endpoint, "POST", std::string(20000000, 'a'));
    ASSERT_TRUE(response.ok()) << response.error().message();
    EXPECT_EQ(response->status, 413);
    EXPECT_EQ(handler.arrived, 0);
}

TEST_P(TransportTrap, PassesOverInterimResponses) {
    if (!streams()) GTEST_SKIP() << "cpprestsdk takes an interim response for the answer";
    const auto response = send(serve_text(std::string("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n") + kOk), "GET");
    ASSERT_TRUE(response.ok()) << response.error().message();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, "ok");
}

INSTANTIATE_TEST_SUITE_P(Bindings, TransportTrap, testing::Values(Binding::Beast, Binding::Cpprest),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace atl::net
