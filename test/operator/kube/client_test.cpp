#include "operator/kube/client.h"

#include <gtest/gtest.h>

#include "operator/kube/status_error.h"
#include "test/operator/kube/small_api.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

struct ClientTest : testing::Test {
    Given given;
    std::vector<RequestSample> samples;
    std::unique_ptr<Client> client = make();

    std::unique_ptr<Client> make() {
        ClientOptions options;
        options.on_request = [this](const RequestSample& sample) { samples.push_back(sample); };
        return given.client(options);
    }
    void answer(net::Response response) {
        given.api.intercept = [response](const net::ServerRequest&) { return response; };
    }
    Target target(const std::string& name) { return Target(kWidgets, ObjectKey("shop", name)); }
};

TEST_F(ClientTest, CreatesFindsPatchesAppliesAndRemoves) {
    const Object made = sim::run(given.loop, client->create(kWidgets, widget("shop", "a"))).value();
    EXPECT_FALSE(made.meta().uid.empty());
    EXPECT_EQ(sim::run(given.loop, client->find(target("a"))).value()->meta().uid, made.meta().uid);
    const json patch = {{"spec", {{"replicas", 3}}}};
    EXPECT_EQ(sim::run(given.loop, client->merge_patch(target("a"), patch, "me")).value().member("spec")["replicas"],
              3);
    const json intent = {{"spec", {{"color", "red"}}}};
    ApplyOptions options;
    options.manager = "me";
    EXPECT_EQ(sim::run(given.loop, client->apply(target("a"), intent, options)).value().member("spec")["color"], "red");
    EXPECT_EQ(given.api.requests.back(),
              "PATCH /apis/example.dev/v1/namespaces/shop/widgets/a?fieldManager=me&force=true");
    EXPECT_FALSE(sim::run(given.loop, client->remove(target("a"))).value().has_value());
    EXPECT_FALSE(sim::run(given.loop, client->find(target("a"))).value().has_value());
}

TEST_F(ClientTest, WhatIsNotThereIsAValueForReadsAndAConflictForWrites) {
    EXPECT_FALSE(sim::run(given.loop, client->find(target("none"))).value().has_value());
    EXPECT_FALSE(sim::run(given.loop, client->remove(target("none"))).value().has_value());
    const auto patched = sim::run(given.loop, client->merge_patch(target("none"), json::object(), "me"));
    ASSERT_FALSE(patched.ok());
    EXPECT_TRUE(is_not_found(patched.error()));
    EXPECT_EQ(patched.error().error_class(), ErrorClass::Conflict);
}

TEST_F(ClientTest, RemovalIsBoundToItsPreconditions) {
    given.api.put(kWidgets, widget("shop", "a"));
    RemoveOptions options;
    options.preconditions.uid = "another";
    const auto refused = sim::run(given.loop, client->remove(target("a"), options));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().error_class(), ErrorClass::Conflict);
    json guarded = widget("shop", "g");
    guarded["metadata"]["finalizers"] = {"x"};
    given.api.put(kWidgets, guarded);
    const auto left = sim::run(given.loop, client->remove(target("g"))).value();
    ASSERT_TRUE(left.has_value()) << "a finalizer holds it";
    EXPECT_TRUE(left->meta().being_deleted());
}

TEST_F(ClientTest, TranslatesAnswersIntoClasses) {
    struct Row {
        int status;
        const char* body;
        ErrorClass error_class;
        const char* reason;
        const char* why;
    };
    const Row rows[] = {
        {400, R"({"kind":"Status","reason":"BadRequest","message":"bad"})", ErrorClass::Invalid, "BadRequest",
         "the request is wrong"},
        {401, R"({"kind":"Status","reason":"Unauthorized"})", ErrorClass::Credentials, "Unauthorized",
         "no or bad token"},
        {403, R"({"kind":"Status","reason":"Forbidden"})", ErrorClass::Credentials, "Forbidden", "no permission"},
        {403, R"({"reason":"Forbidden","details":{"causes":[{"reason":"NamespaceTerminating"}]}})",
         ErrorClass::Conflict, "NamespaceTerminating", "the namespace goes"},
        {404, "404 page not found", ErrorClass::Unsupported, "NoSuchType", "the type is not there"},
        {405, "", ErrorClass::Unsupported, "Http405", "the server cannot"},
        {409, R"({"reason":"AlreadyExists"})", ErrorClass::Conflict, "AlreadyExists", "the name is taken"},
        {409, R"({"reason":"Conflict"})", ErrorClass::Conflict, "Conflict", "changed meanwhile"},
        {410, R"({"reason":"Gone"})", ErrorClass::Transient, "Expired", "one reason for both words"},
        {422, R"({"reason":"Invalid","message":"no","details":{"causes":[{"field":"spec.x","message":"m"}]}})",
         ErrorClass::Invalid, "Invalid", "validation"},
        {429, R"({"reason":"TooManyRequests"})", ErrorClass::Throttled, "TooManyRequests", "asked to slow down"},
        {500, R"({"reason":"InternalError"})", ErrorClass::Transient, "InternalError", "server's fault"},
        {503, "<html>proxy</html>", ErrorClass::Transient, "Http503", "a proxy's page"},
        {302, "", ErrorClass::Transient, "Http302", "no redirects"},
        {409, R"({"reason":7,"message":[],"details":{"causes":[1,{"field":2}]},"code":"x"})", ErrorClass::Conflict,
         "Http409", "wrong types"},
    };
    for (const Row& row : rows) {
        net::Response response;
        response.status = row.status;
        response.body = row.body;
        answer(response);
        const auto result = sim::run(given.loop, client->create(kWidgets, widget("shop", "a")));
        ASSERT_FALSE(result.ok()) << row.why;
        EXPECT_EQ(result.error().error_class(), row.error_class) << row.why;
        EXPECT_EQ(result.error().reason(), row.reason) << row.why;
        EXPECT_EQ(result.error().status(), row.status) << row.why;
        EXPECT_EQ(result.error().message().find('\n'), std::string::npos);
    }
}

TEST_F(ClientTest, AnInvalidAnswerNamesTheFieldAndKeepsTheWholeStatus) {
    net::Response response;
    response.status = 422;
    response.body = R"({"reason":"Invalid","message":"Widget \"a\" is invalid: spec.size: too big",
        "details":{"causes":[{"field":"spec.size","message":"too big"},{"field":"spec.x","message":"no"}]}})";
    answer(response);
    const Error error = sim::run(given.loop, client->create(kWidgets, widget("shop", "a"))).error();
    EXPECT_EQ(error.field(), "spec.size");
    EXPECT_NE(error.message().find("spec.size: too big"), std::string::npos);
    EXPECT_EQ(error.details(), response.body);
}

TEST_F(ClientTest, HonoursRetryAfterFromHeaderAndStatus) {
    net::Response response = status_answer(503, "ServiceUnavailable", "no");
    response.headers.set("Retry-After", "9");
    answer(response);
    EXPECT_EQ(sim::run(given.loop, client->find(target("a"))).error().retry_after(), 9000ms);
    response.headers = {};
    response.body = R"({"reason":"Timeout","details":{"retryAfterSeconds":4}})";
    answer(response);
    EXPECT_EQ(sim::run(given.loop, client->find(target("a"))).error().retry_after(), 4000ms);
}

TEST_F(ClientTest, BelievesARetryAfterOnlyAsFarAsItMakesSense) {
    struct Case {
        std::string text;
        std::optional<std::chrono::milliseconds> expected;
    };
    for (const Case& c : {Case{"1", 1s}, Case{"0", {}}, Case{"-5", {}}, Case{"31536000", 600s},
                          Case{"9223372036854775807", 600s}, Case{"99999999999999999999", {}}}) {
        net::Response response = status_answer(429, "TooManyRequests", "no");
        response.headers.set("Retry-After", c.text);
        answer(response);
        EXPECT_EQ(sim::run(given.loop, client->find(target("a"))).error().retry_after(), c.expected) << c.text;
        response.headers = {};
        response.body = R"({"details":{"retryAfterSeconds":)" + c.text + "}}";
        answer(response);
        EXPECT_EQ(sim::run(given.loop, client->find(target("a"))).error().retry_after(), c.expected) << c.text;
    }
    net::Response date = status_answer(503, "ServiceUnavailable", "no");
    date.headers.set("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT");
    answer(date);
    EXPECT_EQ(sim::run(given.loop, client->find(target("a"))).error().retry_after(), std::nullopt);
}

TEST_F(ClientTest, GivesUpARequestThatIsNotAnswered) {
    struct Mute final : net::Handler {
        Task<> serve(const net::ServerRequest&, net::ResponseWriter& writer) override { co_await writer.gone(); }
    } mute;
    given.network.serve(given.endpoint.to_string(), &mute);
    const Instant begun = given.loop.now();
    const auto result = sim::run(given.loop, client->find(target("a")));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "DeadlineExceeded");
    EXPECT_LE(given.loop.now() - begun, 16s);
    EXPECT_EQ(samples.back().code, "<error>");
}

TEST_F(ClientTest, CountsEachRequest) {
    (void)sim::run(given.loop, client->find(target("a")));
    (void)sim::run(given.loop, client->list(Scope(kWidgets)));
    ASSERT_EQ(samples.size(), 2U);
    EXPECT_EQ(samples[0].code, "404");
    EXPECT_EQ(samples[0].verb, "GET");
    EXPECT_EQ(samples[1].verb, "LIST");
    EXPECT_EQ(samples[1].method, "GET");
    EXPECT_EQ(samples[1].host, "api:80");
    EXPECT_EQ(samples[1].duration, 2ms);
}

/// Rule 11: a token that was rotated a moment ago.
TEST_F(ClientTest, Rule11ReadsCredentialsAgainAfter401Once) {
    struct Rotating final : CredentialSource {
        Access access;
        int refusals = 0;
        Result<Access> current() override {
            Access now = access;
            now.authorization = refusals == 0 ? "Bearer old" : "Bearer new";
            return now;
        }
        void refused() override { ++refusals; }
    };
    auto rotating = std::make_shared<Rotating>();
    rotating->access.endpoint = given.endpoint;
    sim::SimTransport transport(given.network);
    Client rotated(transport, given.loop, rotating);
    std::string accepted = "Bearer new";
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.headers.find("Authorization") == accepted) return std::nullopt;
        return status_answer(401, "Unauthorized", "no");
    };
    EXPECT_TRUE(sim::run(given.loop, rotated.create(kWidgets, widget("shop", "a"))).ok());
    EXPECT_EQ(rotating->refusals, 1);
    accepted = "nobody";
    const auto refused = sim::run(given.loop, rotated.find(target("a")));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().error_class(), ErrorClass::Credentials);
    EXPECT_EQ(rotating->refusals, 2) << "once for each call, not for ever";
}

TEST_F(ClientTest, AWatchThatIsRefusedGivesTheServersWord) {
    answer(status_answer(410, "Expired", "too old"));
    const auto watch = sim::run(given.loop, client->watch(Scope(kWidgets), WatchOptions{"1"}));
    ASSERT_FALSE(watch.ok());
    EXPECT_EQ(watch.error().reason(), "Expired");
    EXPECT_NE(watch.error().message().find("too old"), std::string::npos);
}

TEST_F(ClientTest, ClusterScopedTypesAndTheCoreGroupHaveTheirOwnUrls) {
    const ResourceType nodes{"", "v1", "nodes", "Node", false};
    (void)sim::run(given.loop, client->find(Target(nodes, ObjectKey("", "n1"), "status")));
    EXPECT_EQ(given.api.requests.back(), "GET /api/v1/nodes/n1/status");
    Scope scope(kWidgets, "shop");
    scope.label_selector = "app=web,tier in (a,b)";
    (void)sim::run(given.loop, client->list(scope));
    EXPECT_EQ(
        given.api.requests.back(),
        "GET /apis/example.dev/v1/namespaces/shop/widgets?labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29&limit=500");
}

TEST_F(ClientTest, AScopeOfMetadataAsksForNothingElse) {
    std::vector<std::string> asked;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        asked.push_back(request.headers.find("Accept").value_or(""));
        return std::nullopt;
    };
    Scope scope(kWidgets);
    scope.extent = Extent::Metadata;
    ASSERT_TRUE(sim::run(given.loop, client->list(scope)).ok());
    ASSERT_TRUE(sim::run(given.loop, client->watch(scope, WatchOptions{"1"})).ok());
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked[0], "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    EXPECT_EQ(asked[1], "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
}

}  // namespace
}  // namespace atl::kube
