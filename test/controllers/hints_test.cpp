#include "controllers/hints.h"

#include <gtest/gtest.h>

#include "test/sim/sim_network.h"

namespace atl::controllers {
namespace {

using namespace std::chrono_literals;

/// An orchestrator that can only be followed: it sends what the test puts into it.
class Followable final : public cloud::Orchestrator {
public:
    explicit Followable(Clock& clock) : clock_(clock) {}
    std::string_view name() const override { return "followable"; }
    void extend(cloud::Desired&, const cloud::Topology&) const override {}
    Result<cloud::Desired> translate(const std::vector<cloud::Workload>&, const cloud::Endpoint&) const override {
        return cloud::nothing();
    }
    cloud::Desired shared(const std::string&, const cloud::Endpoint&) const override { return cloud::nothing(); }
    std::vector<cloud::WorkloadStatus> status(const std::vector<cloud::Workload>&, const cloud::World&) const override {
        return {};
    }
    Result<cloud::Endpoint> endpoint(const cloud::World&) const override { return cloud::Endpoint(); }
    std::vector<std::string> urls(const std::vector<cloud::Workload>&, const cloud::Endpoint&) const override {
        return {};
    }
    std::shared_ptr<cloud::Driver> connect(cloud::Endpoint, cloud::Surroundings) const override { return nullptr; }
    Task<> follow(cloud::Endpoint, cloud::Surroundings,
                  std::function<void(const cloud::Hint&)> on_hint) const override {
        ++followers;
        listeners.push_back(std::move(on_hint));
        const Leaving leaving{followers};
        co_await sleep_for(clock_, 24h);
    }
    mutable int followers = 0;
    mutable std::vector<std::function<void(const cloud::Hint&)>> listeners;

private:
    struct Leaving {
        int& followers;
        ~Leaving() { --followers; }
    };
    Clock& clock_;
};

class HintsTest : public testing::Test {
protected:
    HintsTest() {
        hints.on_hint([this](const kube::ObjectKey& key) {
            woken.push_back(key.to_string());
            times.push_back(loop.now());
        });
    }
    void attend(const std::string& owner, const std::string& cluster, const std::string& engine = "/e") {
        cloud::Endpoint endpoint;
        endpoint.engines.resize(1);
        endpoint.engines[0].where.host = engine;
        hints.attend({"i", owner, "ServiceInstance", "default", "name-" + owner}, cluster, orchestrator, endpoint);
        loop.run_for(1s);
    }
    sim::SimLoop loop;
    sim::SimNetwork network{loop};
    sim::SimTransport transport{network};
    Followable orchestrator{loop};
    void die(const std::string& owner) { orchestrator.listeners.back()({"i", owner, "web", "container die"}); }
    std::vector<std::string> woken;
    std::vector<Instant> times;
    Spawner spawner{loop, nullptr};
    Hints hints{spawner, {transport, loop, loop.random()}};
};

TEST_F(HintsTest, WakeTheOwnerOfWhatHappened) {
    attend("o1", "c1");
    attend("o2", "c1");
    EXPECT_EQ(orchestrator.followers, 1) << "a Cluster is followed once";
    orchestrator.listeners.back()({"i", "o2", "web", "container die"});
    orchestrator.listeners.back()({"i", "stranger", "web", "container die"});
    orchestrator.listeners.back()({"other installation", "o1", "web", "container die"});
    EXPECT_EQ(woken, std::vector<std::string>{"default/name-o2"});
}

// The orchestrator's lists tell of a death only after its event: they are looked at again, and then no more.
TEST_F(HintsTest, LookAtOnceAndAFewTimesMoreWithinTwoSeconds) {
    attend("o1", "c1");
    const Instant begin = loop.now();
    die("o1");
    loop.run_for(1h);
    ASSERT_EQ(times.size(), 4U);
    EXPECT_EQ(times[0] - begin, 0ms);
    EXPECT_EQ(times[1] - begin, 400ms);
    EXPECT_EQ(times[2] - begin, 900ms);
    EXPECT_EQ(times[3] - begin, 2s);
}

TEST_F(HintsTest, AStormOfHintsIsFewLooksAndTheLastHintIsFollowedByOnes) {
    attend("o1", "c1");
    attend("o2", "c1");
    for (int i = 0; i < 1000; ++i) {
        die("o1");
        loop.run_for(10ms);
    }
    EXPECT_LE(times.size(), Hints::kBurst + 10s / Hints::kRefill);
    EXPECT_GE(times.size(), Hints::kBurst + 0U);
    const Instant last = loop.now();
    die("o2");
    EXPECT_EQ(woken.back(), "default/name-o2") << "another owner does not wait";
    loop.run_for(1h);
    EXPECT_GE(times.back() - last, 2s);
    EXPECT_LE(times.back() - last, 4 * Hints::kRefill);
}

// A container that ends as soon as it is started makes events as long as it is there.
TEST_F(HintsTest, WhatGoesOnAndOnIsLookedAtSeldom) {
    attend("o1", "c1");
    for (int i = 0; i < 600; ++i) {
        die("o1");
        loop.run_for(1s);
    }
    EXPECT_LE(times.size(), Hints::kBurst + 600s / Hints::kRefill + 1);
    EXPECT_GE(times.size(), 100U);
    loop.run_for(10min);
    const Instant begin = loop.now();
    const std::size_t before = times.size();
    die("o1");
    loop.run_for(10s);
    ASSERT_EQ(times.size(), before + 4) << "after a rest it is as at first";
    EXPECT_EQ(times[before] - begin, 0ms);
}

TEST_F(HintsTest, NobodyIsWokenAfterItLeft) {
    attend("o1", "c1");
    attend("o2", "c1");
    die("o1");
    hints.leave("o1");
    loop.run_for(1h);
    EXPECT_EQ(times.size(), 1U);
}

TEST_F(HintsTest, NobodyIsWokenOrFollowedAfterTheStop) {
    attend("o1", "c1");
    die("o1");
    hints.stop();
    attend("o1", "c1");
    loop.run_for(1h);
    EXPECT_EQ(times.size(), 1U);
    EXPECT_EQ(orchestrator.followers, 0);
    EXPECT_EQ(spawner.running(), 0U);
}

TEST_F(HintsTest, EndWithTheLastOwner) {
    attend("o1", "c1");
    attend("o2", "c1");
    hints.leave("o1");
    loop.run_for(1s);
    EXPECT_EQ(orchestrator.followers, 1);
    hints.leave("o2");
    loop.run_for(1s);
    EXPECT_EQ(orchestrator.followers, 0);
}

TEST_F(HintsTest, FollowTheEnginesWhenTheyChange) {
    attend("o1", "c1", "/a");
    attend("o1", "c1", "/a");
    EXPECT_EQ(orchestrator.listeners.size(), 1U);
    attend("o1", "c1", "/b");
    EXPECT_EQ(orchestrator.listeners.size(), 2U);
    EXPECT_EQ(orchestrator.followers, 1);
}

}  // namespace
}  // namespace atl::controllers
