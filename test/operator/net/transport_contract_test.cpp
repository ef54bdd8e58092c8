// What operator/net/transport.h promises, on every binding of it.
#include <gtest/gtest.h>

#include "operator/net/transport.h"
#include "test/operator/net/transport_rig.h"

namespace atl::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Task<std::string> collect(StreamResponse& response) {
    std::string text;
    while (true) {
        const auto piece = co_await response.body->next();
        if (!piece) co_return text;
        text += *piece;
    }
}

class TransportContract : public testing::TestWithParam<Binding> {
protected:
    Request to(const std::string& target, std::string method = "GET", std::string body = "") {
        return {endpoint_, std::move(method), target, {}, std::move(body)};
    }
    bool streams() const { return GetParam() != Binding::Cpprest; }

    std::unique_ptr<TransportRig> rig_ = TransportRig::make(GetParam());
    SampleHandler handler_{rig_->clock()};
    Endpoint endpoint_ = rig_->serve(handler_);
};

TEST_P(TransportContract, CarriesMethodTargetHeadersAndBodyBothWays) {
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
        const bool has_body = std::string(method) != "GET";
        const auto response = rig_->send(to("/echo?a=%2F&b", method, has_body ? "body\n" : ""));
        ASSERT_TRUE(response.ok()) << response.error().message();
        EXPECT_EQ(response->status, 200);
        EXPECT_EQ(response->headers.find("x-sample"), "yes");
        EXPECT_EQ(response->body, std::string(method) + " /echo?a=%2F&b\n" + (has_body ? "body\n" : ""));
    }
    EXPECT_EQ(handler_.arrived, 5);
}

TEST_P(TransportContract, GivesEveryStatusAsAValue) {
    for (const int status : {200, 201, 204, 302, 304, 307, 400, 401, 404, 409, 410, 429, 500, 503}) {
        const auto response = rig_->send(to("/status?code=" + std::to_string(status)));
        ASSERT_TRUE(response.ok()) << status << ": " << response.error().message();
        EXPECT_EQ(response->status, status);
    }
}

TEST_P(TransportContract, ReadsAStreamedAnswerWhole) {
    const auto response = rig_->send(to("/stream?pieces=3"));
    ASSERT_TRUE(response.ok()) << response.error().message();
    EXPECT_EQ(response->body, "0\n1\n2\n");
}

TEST_P(TransportContract, SaysConnectFailedWhereNobodyListens) {
    endpoint_.port = 1;
    const auto response = rig_->send(to("/echo"));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().reason(), "ConnectFailed");
    EXPECT_EQ(response.error().error_class(), ErrorClass::Transient);
}

TEST_P(TransportContract, EndsAtTheDeadline) {
    const Instant begun = rig_->clock().now();
    const auto response = rig_->run(rig_->transport().send(to("/silent"), rig_->limits(milliseconds(200))));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().reason(), "DeadlineExceeded");
    EXPECT_GE(rig_->clock().now() - begun, milliseconds(200));
    EXPECT_LT(rig_->clock().now() - begun, milliseconds(400));
    EXPECT_TRUE(rig_->run_until([&] { return handler_.running == 0; }, seconds(1))) << "the server was not told";
}

TEST_P(TransportContract, DroppingTheTaskTellsTheServerWithin100Milliseconds) {
    auto root = std::make_unique<RootTask<Response>>(rig_->transport().send(to("/silent"), rig_->limits()),
                                                     [](auto, const std::exception_ptr&) {});
    root->start();
    ASSERT_TRUE(rig_->run_until([&] { return handler_.running == 1; }));
    const Instant dropped = rig_->clock().now();
    root.reset();
    EXPECT_TRUE(rig_->run_until([&] { return handler_.running == 0; }));
    EXPECT_LT(rig_->clock().now() - dropped, milliseconds(100));
    EXPECT_TRUE(rig_->send(to("/echo")).ok());
}

TEST_P(TransportContract, RefusesABodyThatIsTooLarge) {
    Limits limits = rig_->limits();
    limits.max_body = 1000;
    EXPECT_EQ(rig_->run(rig_->transport().send(to("/big?bytes=1000"), limits))->body.size(), 1000U);
    const auto fixed = rig_->run(rig_->transport().send(to("/big?bytes=1001"), limits));
    ASSERT_FALSE(fixed.ok());
    EXPECT_EQ(fixed.error().reason(), "BodyTooLarge");
    EXPECT_EQ(fixed.error().error_class(), ErrorClass::Invalid);
    const auto chunked = rig_->run(rig_->transport().send(to("/stream?pieces=1000"), limits));
    ASSERT_FALSE(chunked.ok());
    EXPECT_EQ(chunked.error().reason(), "BodyTooLarge");
}

TEST_P(TransportContract, CarriesLargeBodiesBothWays) {
    const auto big = rig_->send(to("/big?bytes=20000000"));
    ASSERT_TRUE(big.ok()) << big.error().message();
    EXPECT_EQ(big->body.size(), 20000000U);
    const auto echoed = rig_->send(to("/echo", "POST", std::string(5000000, 'b')));
    ASSERT_TRUE(echoed.ok()) << echoed.error().message();
    EXPECT_EQ(echoed->body.size(), 5000000U + std::string("POST /echo\n").size());
}

TEST_P(TransportContract, OpensAStreamAndReadsItToItsCleanEnd) {
    if (!streams()) GTEST_SKIP() << "this binding carries no streams";
    auto response = rig_->run(rig_->transport().open(to("/stream?pieces=1000"), rig_->limits()));
    ASSERT_TRUE(response.ok()) << response.error().message();
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->headers.find("content-type"), "text/plain");
    const auto text = rig_->run(collect(*response));
    ASSERT_TRUE(text.ok()) << text.error().message();
    EXPECT_EQ(text->size(), 10U * 2 + 90U * 3 + 900U * 4);
    const auto after = rig_->run(response->body->next());
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(*after, std::nullopt);
}

TEST_P(TransportContract, EndsAStreamThatIsSilentForTooLong) {
    if (!streams()) GTEST_SKIP() << "this binding carries no streams";
    Limits limits = rig_->limits();
    limits.idle = milliseconds(200);
    auto response = rig_->run(rig_->transport().open(to("/quiet"), limits));
    ASSERT_TRUE(response.ok()) << response.error().message();
    const auto first = rig_->run(response->body->next());
    ASSERT_TRUE(first.ok()) << first.error().message();
    EXPECT_EQ(*first, "0\n");
    const Instant begun = rig_->clock().now();
    const auto second = rig_->run(response->body->next());
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().reason(), "IdleTimeout");
    EXPECT_GE(rig_->clock().now() - begun, milliseconds(190));
    EXPECT_LT(rig_->clock().now() - begun, milliseconds(400));
}

TEST_P(TransportContract, KeepsAStreamOpenAsLongAsEventsComeAlsoPastTheDeadline) {
    if (!streams()) GTEST_SKIP() << "this binding carries no streams";
    Limits limits = rig_->limits(milliseconds(300));
    limits.idle = milliseconds(200);
    auto response = rig_->run(rig_->transport().open(to("/ticks"), limits));
    ASSERT_TRUE(response.ok()) << response.error().message();
    const Instant end = rig_->clock().now() + milliseconds(700);
    while (rig_->clock().now() < end) {
        const auto piece = rig_->run(response->body->next());
        ASSERT_TRUE(piece.ok()) << piece.error().message();
    }
}

TEST_P(TransportContract, DroppingAStreamTellsTheServer) {
    if (!streams()) GTEST_SKIP() << "this binding carries no streams";
    auto response = rig_->run(rig_->transport().open(to("/quiet"), rig_->limits()));
    ASSERT_TRUE(response.ok()) << response.error().message();
    ASSERT_EQ(handler_.running, 1);
    const Instant dropped = rig_->clock().now();
    response->body.reset();
    EXPECT_TRUE(rig_->run_until([&] { return handler_.running == 0; }));
    EXPECT_LT(rig_->clock().now() - dropped, milliseconds(100));
}

TEST_P(TransportContract, AnswersAHandlerThatFailsWith500) {
    const auto response = rig_->send(to("/fail"));
    ASSERT_TRUE(response.ok()) << response.error().message();
    EXPECT_EQ(response->status, 500);
}

TEST_P(TransportContract, RunsManyExchangesAtOnce) {
    std::vector<Task<Response>> tasks;
    for (int i = 0; i < 100; ++i) tasks.push_back(rig_->transport().send(to("/echo"), rig_->limits()));
    const auto results = rig_->run(all(std::move(tasks)));
    ASSERT_TRUE(results.ok());
    for (const auto& result : *results) EXPECT_TRUE(result.ok() && result->status == 200);
    EXPECT_EQ(handler_.arrived, 100);
}

INSTANTIATE_TEST_SUITE_P(Bindings, TransportContract, testing::Values(Binding::Sim, Binding::Beast, Binding::Cpprest),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace atl::net
