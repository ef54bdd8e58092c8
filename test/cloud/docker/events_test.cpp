#include "cloud/docker/events.h"

#include <gtest/gtest.h>

#include "test/fakes/fake_engine.h"
#include "test/sim/sim_network.h"

namespace atl::cloud::docker {
namespace {

using namespace std::chrono_literals;

TEST(Events, AreHintsOnlyWithOurMark) {
    const auto hint =
        hint_of(R"({"Type": "container", "Action": "die", "Actor": {"Attributes": {"dev.atoll.installation": "i",
        "dev.atoll.owner": "o", "dev.atoll.name": "web", "exitCode": "3"}}})");
    ASSERT_TRUE(hint.has_value());
    EXPECT_EQ(hint->owner, "o");
    EXPECT_EQ(hint->name, "web");
    EXPECT_EQ(hint->what, "container die");
    for (const char* line : {"", "{", "null", "[]", R"({"Actor": 1})", R"({"Type": "container", "Action": "die"})"}) {
        EXPECT_FALSE(hint_of(line).has_value()) << line;
    }
}

TEST(Events, AreFollowedAgainAfterTheEngineWasGone) {
    sim::SimLoop loop;
    sim::SimNetwork network(loop);
    fakes::FakeEngine engine(loop);
    network.serve("unix:///e", &engine);
    sim::SimTransport transport(network);
    net::Endpoint endpoint;
    endpoint.scheme = net::Scheme::Unix;
    endpoint.host = "/e";
    int hints = 0;
    RootTask<void> following(
        follow_events(Client(transport, endpoint, std::make_shared<Versions>()), loop, [&](const Hint&) { ++hints; }),
        [](auto, auto) { FAIL() << "it must not end"; });
    following.start();
    loop.run_for(1s);
    network.serve("unix:///e", nullptr);
    loop.run_for(30s);
    network.serve("unix:///e", &engine);
    loop.run_for(15s);
    net::Limits limits;
    limits.deadline = loop.now() + 5s;
    const Json spec = {
        {"Image", "busybox:local"},
        {"Labels", {{"dev.atoll.installation", "i"}, {"dev.atoll.owner", "o"}, {"dev.atoll.name", "web/0"}}}};
    net::Request create{endpoint, "POST", "/containers/create?name=a", {}, spec.dump()};
    EXPECT_EQ(sim::run(loop, transport.send(create, limits))->status, 201);
    net::Request start{endpoint, "POST", "/containers/a/start", {}, ""};
    limits.deadline = loop.now() + 5s;
    EXPECT_EQ(sim::run(loop, transport.send(start, limits))->status, 204);
    loop.run_for(1s);
    EXPECT_EQ(hints, 1);
}

}  // namespace
}  // namespace atl::cloud::docker
