#include "operator/net/http_codec.h"

#include <gtest/gtest.h>

#include "operator/base/random.h"

namespace atl::net {
namespace {

constexpr std::size_t kLimit = 100000;

/// Feeds the text in pieces of this size; false once it fails.
template <class Parser>
Result<Unit> feed_all(Parser& parser, std::string_view text, std::size_t piece) {
    std::string inbox;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        inbox += text.substr(at, piece);
        const auto taken = parser.feed(inbox);
        if (!taken.ok()) return taken.error();
        inbox.erase(0, *taken);
    }
    return ok();
}

constexpr std::string_view kChunked =
    "POST /a?b HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-T: t\r\n\r\n";

TEST(HttpCodec, ReadsARequestThatIsCutAnywhere) {
    for (std::size_t piece = 1; piece <= kChunked.size(); ++piece) {
        RequestParser parser(kLimit, kLimit);
        ASSERT_TRUE(feed_all(parser, kChunked, piece).ok()) << piece;
        ASSERT_TRUE(parser.is_done()) << piece;
        EXPECT_TRUE(parser.keeps_alive());
        const ServerRequest request = parser.take();
        EXPECT_EQ(request.method, "POST");
        EXPECT_EQ(request.target, "/a?b");
        EXPECT_EQ(request.headers.find("x-a"), "1");
        EXPECT_EQ(request.body, "abc0123456789") << piece;
    }
}

TEST(HttpCodec, LeavesTheNextRequestAlone) {
    RequestParser parser(kLimit, kLimit);
    const std::string two = std::string(kChunked) + "GET /next HTTP/1.1\r\n\r\n";
    EXPECT_EQ(*parser.feed(two), kChunked.size());
    EXPECT_TRUE(parser.is_done());
}

TEST(HttpCodec, ReadsAResponseThatIsCutAnywhere) {
    const std::string text =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        ResponseParser parser(ResponseParser::Body::Expected, kLimit);
        ASSERT_TRUE(feed_all(parser, text, piece).ok()) << piece;
        ASSERT_TRUE(parser.is_done()) << piece;
        EXPECT_EQ(parser.status(), 200);
        EXPECT_EQ(parser.take_body(), "abcde");
        EXPECT_EQ(parser.take_body(), "");
    }
}

TEST(HttpCodec, HoldsToTheLimitOfABodyHoweverItComes) {
    const std::string body(1001, 'a');
    for (const std::string& head :
         {std::string("Content-Length: 1001\r\n\r\n") + body,
          std::string("Transfer-Encoding: chunked\r\n\r\n3e9\r\n") + body + "\r\n0\r\n\r\n"}) {
        for (const std::size_t piece : {std::size_t{1}, std::size_t{60}, std::size_t{5000}}) {
            RequestParser request(kLimit, 1000);
            EXPECT_EQ(feed_all(request, "POST / HTTP/1.1\r\nHost: h\r\n" + head, piece).error().status(), 413);
            ResponseParser response(ResponseParser::Body::Expected, 1000);
            EXPECT_EQ(feed_all(response, "HTTP/1.1 200 OK\r\n" + head, piece).error().reason(), "BodyTooLarge");
        }
    }
}

TEST(HttpCodec, RefusesRequestsThatTwoServersCouldReadDifferently) {
    for (const char* text :
         {"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
          "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
          "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "GET / HTTP/1.1\r\nX : y\r\n\r\n",
          "GET /\x01 HTTP/1.1\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n"}) {
        RequestParser parser(kLimit, kLimit);
        const auto refused = feed_all(parser, text, 1000);
        ASSERT_FALSE(refused.ok()) << text;
        EXPECT_EQ(refused.error().status(), 400);
    }
}

TEST(HttpCodec, ATargetInAbsoluteFormIsServedAsItsPathForItsHost) {
    const std::pair<const char*, std::pair<const char*, const char*>> rows[] = {
        {"http://host/path?a=b", {"/path?a=b", "host"}},
        {"HTTPS://host:6443/path", {"/path", "host:6443"}},
        {"http://[::1]:80", {"/", "[::1]:80"}},
        {"http://host?a=/b", {"/?a=/b", "host"}},
        {"/path?next=http://other/", {"/path?next=http://other/", "own"}},
        {"*", {"*", "own"}},
        {"ftp://host/path", {"ftp://host/path", "own"}},
        {"http:///path", {"http:///path", "own"}}};
    for (const auto& [target, wanted] : rows) {
        RequestParser parser(kLimit, kLimit);
        ASSERT_TRUE(feed_all(parser, std::string("GET ") + target + " HTTP/1.1\r\nHost: own\r\n\r\n", 7).ok())
            << target;
        const ServerRequest request = parser.take();
        EXPECT_EQ(request.target, wanted.first) << target;
        EXPECT_EQ(request.headers.find("Host"), wanted.second) << target;
    }
}

TEST(HttpCodec, SurvivesRandomBytes) {
    SeededRandom random(1);
    for (int round = 0; round < 20000; ++round) {
        std::string text(kChunked);
        for (std::uint64_t i = random.below(4); i-- > 0;) {
            text[random.below(text.size())] = static_cast<char>(random.below(256));
        }
        text.erase(random.below(text.size()), random.below(3));
        RequestParser request(kLimit, 50);
        static_cast<void>(feed_all(request, text, 1 + random.below(40)).ok());
        text.replace(0, 20, "HTTP/1.1 200 OK\r\n");
        ResponseParser response(ResponseParser::Body::Expected, 50);
        static_cast<void>(feed_all(response, text, 1 + random.below(40)).ok());
        EXPECT_LE(response.take_body().size(), 50U);
    }
}

TEST(HttpCodec, WritesHeadsWithoutBreakingThemApart) {
    const Endpoint endpoint{Scheme::Http, "::1", 8080, nullptr};
    const auto head = request_head({endpoint, "POST", "/a", {{"X", "y"}, {"Content-Length", "99"}}, "abc"});
    EXPECT_EQ(*head, "POST /a HTTP/1.1\r\nHost: [::1]:8080\r\nX: y\r\nContent-Length: 3\r\n\r\n");
    EXPECT_FALSE(request_head({endpoint, "GET", "/a", {{"X", "y\r\nZ: w"}}, ""}).ok());
    EXPECT_FALSE(request_head({endpoint, "GET", "/a", {{"X y", "z"}}, ""}).ok());
    EXPECT_FALSE(request_head({endpoint, "GET", "/a b", {}, ""}).ok());
    EXPECT_FALSE(request_head({endpoint, "GET", "", {}, ""}).ok());
    EXPECT_FALSE(request_head({endpoint, "GE T", "/", {}, ""}).ok());
    EXPECT_EQ(response_head(200, {{"A", "b\r\nC: d"}, {"E", "f"}, {"Transfer-Encoding", "chunked"}}, Framing::Length, 3,
                            After::Close),
              "HTTP/1.1 200 OK\r\nE: f\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(response_head(204, {}, Framing::Length, 0, After::KeepAlive), "HTTP/1.1 204 No Content\r\n\r\n");
    EXPECT_EQ(chunk_head(1000), "3e8\r\n");
}

}  // namespace
}  // namespace atl::net
