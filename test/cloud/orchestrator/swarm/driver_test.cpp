#include "cloud/orchestrator/swarm/driver.h"

#include <gtest/gtest.h>

#include "test/fakes/fake_engine.h"
#include "test/sim/sim_network.h"

namespace atl::cloud::swarm {
namespace {

using namespace std::chrono_literals;

/// An engine that answers what concerns a swarm with a refusal, in the engine's words.
class NoManager final : public net::Handler {
public:
    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override {
        ++requests;
        net::Response answer{200, {}, R"({"ApiVersion": "1.41", "MinAPIVersion": "1.12"})"};
        if (request.target.ends_with("/volumes") || request.target.find("/volumes?") != std::string::npos) {
            answer.body = R"({"Volumes": []})";
        } else if (request.target != "/version") {
            answer.status = status;
            answer.body = Json{{"message", message}}.dump();
        }
        co_await writer.send(std::move(answer));
    }
    int status = 503;
    std::string message =
        "This node is not a swarm manager. Worker nodes can't be used to view or modify cluster state.";
    int requests = 0;
};

/// Two engines that the driver knows as managers: the first is odd, the second a swarm that works.
class DriverTest : public testing::Test {
protected:
    DriverTest() {
        network_.serve("unix:///a", &odd_);
        network_.serve("unix:///b", &good_);
        request("POST", "/swarm/init", R"({"AdvertiseAddr": "127.0.0.1"})");
        Endpoint endpoint;
        for (const char* name : {"/a", "/b"}) {
            Endpoint::Engine engine;
            engine.machine = name;
            engine.where.scheme = net::Scheme::Unix;
            engine.where.host = name;
            endpoint.engines.push_back(engine);
        }
        driver_ = std::make_unique<SwarmDriver>(endpoint, Surroundings{transport_, loop_, loop_.random()},
                                                std::make_shared<docker::Versions>());
    }
    void request(const std::string& method, const std::string& target, const std::string& body) {
        net::Request request;
        request.endpoint.scheme = net::Scheme::Unix;
        request.endpoint.host = "/b";
        request.method = method;
        request.target = target;
        request.body = body;
        static_cast<void>(sim::run(loop_, transport_.send(std::move(request), {loop_.now() + 5s})));
    }
    Result<World> observe() { return sim::run(loop_, driver_->observe(owner_, loop_.now() + 5s)); }
    Accepted make_network() {
        Batch batch;
        batch.owner = owner_;
        Step step;
        step.op = Op::Create;
        step.key = {std::string(kNetwork), "shop"};
        Resource network;
        network.key = step.key;
        network.properties = {{"driver", "overlay"}, {"attachable", true}};
        step.desired = network;
        batch.steps.push_back(step);
        return sim::run(loop_, driver_->apply(batch, loop_.now() + 5s)).value().front();
    }

    sim::SimLoop loop_;
    sim::SimNetwork network_{loop_};
    sim::SimTransport transport_{network_};
    NoManager odd_;
    fakes::FakeEngine good_{loop_};
    Owner owner_{"i-1", "stack-1", "Stack", "default", "shop"};
    std::unique_ptr<SwarmDriver> driver_;
};

TEST_F(DriverTest, AsksTheNextManagerWhereOneIsNoneAnyMore) {
    const auto world = observe();
    ASSERT_TRUE(world.ok()) << world.error().message();
    EXPECT_FALSE(make_network().error);
    EXPECT_EQ(observe()->resources.size(), 1U);
}

TEST_F(DriverTest, AsksTheNextManagerWhereOneDoesNotAnswer) {
    network_.serve("unix:///a", nullptr);
    EXPECT_FALSE(make_network().error) << "nothing was sent to the first, so the second may be asked to write";
    EXPECT_EQ(good_.swarm().contents().size(), 2U);
}

TEST_F(DriverTest, AsksNoSecondManagerWhereTheFirstMayHaveActed) {
    odd_.status = 500;
    odd_.message = "rpc error: code = DeadlineExceeded desc = context deadline exceeded";
    const Accepted refused = make_network();
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->error_class(), ErrorClass::Transient);
    EXPECT_EQ(good_.swarm().contents().size(), 1U) << "the swarm alone";
}

TEST_F(DriverTest, RemembersTheManagerThatAnswered) {
    ASSERT_TRUE(observe().ok());
    const int before = odd_.requests;
    ASSERT_FALSE(make_network().error);
    EXPECT_EQ(odd_.requests, before);
}

TEST_F(DriverTest, SaysThatThereIsNoManagerWhereAllRefuse) {
    network_.serve("unix:///b", &odd_);
    const auto world = observe();
    ASSERT_FALSE(world.ok());
    EXPECT_EQ(world.error().reason(), "NotASwarmManager");
}

TEST_F(DriverTest, AnAnswerThatWasLostIsFoundByItsNameNotMadeTwice) {
    const Accepted first = make_network();
    const Accepted second = make_network();
    ASSERT_FALSE(second.error) << second.error->message();
    EXPECT_EQ(first.id, second.id);
}

TEST_F(DriverTest, AStrangersNetworkOfTheNameIsLeftAlone) {
    ASSERT_FALSE(make_network().error);
    owner_.id = "stack-2";
    const Accepted refused = make_network();
    ASSERT_TRUE(refused.error);
    EXPECT_EQ(refused.error->reason(), "NameTaken");
}

TEST_F(DriverTest, WhatCannotBeChangedIsRefused) {
    Batch batch;
    batch.owner = owner_;
    Step step;
    step.op = Op::Update;
    step.key = {std::string(kSecret), "key"};
    step.desired = Resource{};
    step.observed = Observed{};
    batch.steps.push_back(step);
    const auto accepted = sim::run(loop_, driver_->apply(batch, loop_.now() + 5s));
    EXPECT_EQ(accepted->front().error->reason(), "NotUpdatable");
}

}  // namespace
}  // namespace atl::cloud::swarm
