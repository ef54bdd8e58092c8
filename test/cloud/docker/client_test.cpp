#include "cloud/docker/client.h"

#include <gtest/gtest.h>

#include "test/sim/sim_network.h"

namespace atl::cloud::docker {
namespace {

using namespace std::chrono_literals;

/// Answers /version with the given versions, and everything else with what is set.
class Scripted final : public net::Handler {
public:
    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override {
        targets.push_back(request.target);
        net::Response answer = response;
        if (request.target == "/version") {
            answer.status = 200;
            answer.body = version;
        }
        co_await writer.send(std::move(answer));
    }
    std::string version = R"({"ApiVersion": "1.41", "MinAPIVersion": "1.12"})";
    net::Response response{200, {}, "{}"};
    std::vector<std::string> targets;
};

class ClientTest : public testing::Test {
protected:
    ClientTest() { network.serve("unix:///e", &server); }
    Client client() {
        net::Endpoint endpoint;
        endpoint.scheme = net::Scheme::Unix;
        endpoint.host = "/e";
        return Client(transport, endpoint, versions);
    }
    Result<Reply> call(Call wanted) {
        Client speaking = client();
        return sim::run(loop, speaking.call(std::move(wanted), loop.now() + 5s));
    }
    sim::SimLoop loop;
    sim::SimNetwork network{loop};
    sim::SimTransport transport{network};
    Scripted server;
    std::shared_ptr<Versions> versions = std::make_shared<Versions>();
};

TEST_F(ClientTest, AsksForTheVersionOnceForAllClientsOfAnEngine) {
    EXPECT_TRUE(call(Call("GET", "/info")).ok());
    EXPECT_TRUE(call(Call("GET", "/info")).ok());
    EXPECT_EQ(server.targets, (std::vector<std::string>{"/version", "/v1.41/info", "/v1.41/info"}));
}

TEST_F(ClientTest, AsksAgainWhenTheEngineRefusesTheVersion) {
    EXPECT_TRUE(call(Call("GET", "/info")).ok());
    server.response = {
        400, {}, R"({"message": "client version 1.41 is too old. Minimum supported API version is 1.44"})"};
    server.version = R"({"ApiVersion": "1.52", "MinAPIVersion": "1.44"})";
    EXPECT_EQ(call(Call("GET", "/info")).error().error_class(), ErrorClass::Transient);
    server.response = {200, {}, "{}"};
    EXPECT_TRUE(call(Call("GET", "/info")).ok());
    EXPECT_EQ(server.targets.back(), "/v1.44/info");
}

TEST_F(ClientTest, AStreamThatTellsOfAFailureIsOneThoughItsStatusIs200) {
    Call pull("POST", "/images/create?fromImage=a&tag=b");
    pull.streams = true;
    server.response = {200, {}, "{\"status\":\"Pulling\"}\n\nno json\n{\"status\":\"Done\"}\n"};
    const auto good = call(pull);
    ASSERT_TRUE(good.ok());
    EXPECT_EQ(good->body.size(), 2U);
    server.response = {200, {}, "{\"status\":\"Pulling\"}\n{\"errorDetail\":{\"message\":\"unauthorized: no\"}}"};
    const auto denied = call(pull);
    ASSERT_FALSE(denied.ok());
    EXPECT_EQ(denied.error().reason(), "ImagePullDenied");
    server.response = {200, {}, "{\"error\":7}\n"};
    EXPECT_FALSE(call(pull).ok()) << "an error that is no text is one all the same";
}

TEST_F(ClientTest, ChoosesAVersionThatBothKnow) {
    EXPECT_EQ(choose_version("1.12", "1.41").value(), "1.41");
    EXPECT_EQ(choose_version("1.24", "1.52").value(), "1.44");
    EXPECT_EQ(choose_version("1.44", "1.99").value(), "1.44");
    EXPECT_EQ(choose_version("1.12", "1.39").error().reason(), "ApiVersion");
    EXPECT_EQ(choose_version("1.45", "1.60").error().reason(), "ApiVersion");
    EXPECT_EQ(choose_version("", "").error().reason(), "NotADockerEngine");
    EXPECT_EQ(choose_version("x", "9").error().reason(), "NotADockerEngine");
}

TEST_F(ClientTest, TakesWhateverComesForAnAnswer) {
    for (const char* body : {"", "null", "[", "<html>", "{\"message\": 5}", "\xff\xfe"}) {
        server.response = {200, {{"Date", "nonsense"}}, body};
        const auto reply = call(Call("GET", "/info"));
        ASSERT_TRUE(reply.ok()) << body;
        EXPECT_EQ(reply->engine_time, 0);
        server.response.status = 500;
        EXPECT_EQ(call(Call("GET", "/info")).error().reason(), "EngineError");
    }
}

TEST_F(ClientTest, ReadsTheEnginesClock) {
    server.response.headers.set("Date", "Wed, 02 Dec 2026 09:51:36 GMT");
    EXPECT_EQ(call(Call("GET", "/info"))->engine_time, 1796205096);
}

TEST_F(ClientTest, NamesAnEngineThatDoesNotAnswer) {
    network.serve("unix:///e", nullptr);
    const auto reply = call(Call("GET", "/info"));
    ASSERT_FALSE(reply.ok());
    EXPECT_EQ(reply.error().reason(), "EngineUnreachable");
    EXPECT_NE(reply.error().message().find("unix:///e"), std::string::npos);
}

TEST_F(ClientTest, FiltersByLabelsWithTheirValues) {
    EXPECT_EQ(label_filter({{"a", "1"}, {"b", "x y"}}),
              "?filters=%7B%22label%22%3A%5B%22a%3D1%22%2C%22b%3Dx%20y%22%5D%7D");
}

}  // namespace
}  // namespace atl::cloud::docker
