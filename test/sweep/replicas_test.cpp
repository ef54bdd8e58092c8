#include <gtest/gtest.h>

#include "controllers/types.h"
#include "test/sweep/replica.h"
#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;

/// Objects of the example, as keys: all that a replica may work on.
const std::vector<kube::ObjectKey> kKeys{{"default", "local"},
                                         {"default", "shop"},
                                         {"default", "shop-web"},
                                         {"default", "shop-store"},
                                         {"default", "local-local"}};

/// Two operators on one API server and one engine.
struct ReplicasTest : testing::Test {
    void boot(std::size_t shards, std::uint64_t seed = 3) {
        world = std::make_unique<World>(seed);
        world->boot(World::Operator::None);
        for (const char* name : {"a", "b"}) replicas.push_back(std::make_unique<Replica>(*world, name, shards));
        ASSERT_TRUE(until([&] { return covered() == kKeys.size(); }, 30s));
    }
    ~ReplicasTest() override { replicas.clear(); }

    std::size_t covered() const {
        return static_cast<std::size_t>(std::ranges::count_if(kKeys, [&](const kube::ObjectKey& key) {
            return std::ranges::any_of(replicas, [&](const auto& replica) { return replica->covers(key); });
        }));
    }
    /// Runs, and looks at each step whether an object has two who may work on it.
    bool until(const std::function<bool()>& predicate, Duration limit) {
        return world->loop().run_until(
            [&] {
                for (const kube::ObjectKey& key : kKeys) shared |= replicas[0]->covers(key) && replicas[1]->covers(key);
                return predicate();
            },
            limit);
    }
    /// The same, for what asks the server itself.
    bool eventually(const std::function<bool()>& predicate, Duration limit) {
        for (const Instant end = world->loop().now() + limit; world->loop().now() < end;) {
            if (predicate()) return true;
            until([] { return false; }, 500ms);
        }
        return predicate();
    }
    Replica& worker() { return replicas[0]->covers(kKeys[0]) ? *replicas[0] : *replicas[1]; }
    Replica& other(const Replica& one) { return replicas[0].get() == &one ? *replicas[1] : *replicas[0]; }
    void expect_example() {
        EXPECT_TRUE(eventually([&] { return example_is_ready(*world); }, 5min));
        EXPECT_EQ(world->violations(), std::set<std::string>());
        EXPECT_FALSE(shared) << "an object had two replicas at once";
    }

    std::unique_ptr<World> world;
    std::vector<std::unique_ptr<Replica>> replicas;
    bool shared = false;
};

TEST_F(ReplicasTest, TheLeaderHandsOverWithinTwoSecondsAmidWork) {
    boot(0);
    apply_example(*world);
    Replica& leader = worker();
    ASSERT_TRUE(until([&] { return leader.writes.size() >= 8; }, 1min));
    EXPECT_LE(leader.end(), 2s);
    EXPECT_TRUE(until([&] { return other(leader).covers(kKeys[0]); }, 1s));
    expect_example();
}

TEST_F(ReplicasTest, TheStandbyTakesOverACrashWithin17Seconds) {
    boot(0);
    apply_example(*world);
    Replica& leader = worker();
    ASSERT_TRUE(until([&] { return leader.writes.size() >= 8; }, 1min));
    leader.crash();
    EXPECT_TRUE(until([&] { return other(leader).covers(kKeys[0]); }, 17s));
    expect_example();
}

/// Stops whoever works on the Cluster at its n-th write for 20 s.
void pause_at(ReplicasTest& test, std::size_t n) {
    apply_example(*test.world);
    Replica& paused = test.worker();
    ASSERT_TRUE(test.until([&] { return paused.writes.size() >= n; }, 2min)) << n;
    paused.pause();
    paused.writes.clear();
    test.until([] { return false; }, 20s);
    EXPECT_TRUE(test.other(paused).covers(kKeys[0])) << n;
    paused.go_on();
    test.until([] { return false; }, 1ms);
    EXPECT_EQ(paused.writes, decltype(paused.writes)()) << "stopped at write " << n;
    test.expect_example();
}

TEST_F(ReplicasTest, AStoppedLeaderThatGoesOnAfter20SecondsWritesNothing) {
    for (const std::size_t n : {1U, 2U, 3U, 5U, 8U, 9U, 13U, 14U, 20U}) {
        replicas.clear();
        boot(0, n);
        pause_at(*this, n);
    }
}

TEST_F(ReplicasTest, AStoppedReplicaWithShardsWritesNothingEither) {
    for (const std::size_t n : {1U, 2U, 3U, 4U}) {
        replicas.clear();
        boot(8, n);
        pause_at(*this, n);
        EXPECT_TRUE(replicas[0]->runs() && replicas[1]->runs()) << "shards are lost, not the process";
    }
}

TEST_F(ReplicasTest, WithShardsBothWorkEachObjectHasOneAndTheExampleComesAndGoes) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        replicas.clear();
        boot(8, seed);
        ASSERT_TRUE(until([&] { return replicas[0]->ready() && replicas[1]->ready(); }, 30s));
        until([] { return false; }, 5s);
        const Instant begun = world->loop().now();
        apply_example(*world);
        expect_example();
        EXPECT_LE(world->loop().now() - begun, 60s) << "what one changes, the other sees";
        for (const auto& replica : replicas) EXPECT_FALSE(replica->writes.empty());
        remove_example(*world);
        EXPECT_TRUE(eventually([&] { return all_gone(*world); }, 5min));
        EXPECT_FALSE(shared);
    }
}

TEST_F(ReplicasTest, WithShardsAFinishedReplicaIsFollowedWithinTwoSecondsACrashedOneWithin17) {
    for (const bool crash : {false, true}) {
        replicas.clear();
        boot(8);
        until([] { return false; }, 5s);
        apply_example(*world);
        Replica& first = worker();
        ASSERT_TRUE(until([&] { return first.writes.size() >= 3; }, 1min));
        if (crash) {
            first.crash();
        } else {
            EXPECT_LE(first.end(), 2s);
        }
        EXPECT_TRUE(until([&] { return covered() == kKeys.size(); }, crash ? 17s : 2s)) << covered();
        expect_example();
    }
}

TEST_F(ReplicasTest, WithShardsAtRestOnlyTheLeasesAreWritten) {
    boot(8);
    apply_example(*world);
    expect_example();
    until([] { return false; }, 30s);
    for (const auto& replica : replicas) replica->writes.clear();
    until([] { return false; }, 2min);
    for (const auto& replica : replicas) EXPECT_EQ(replica->writes, decltype(replica->writes)());
}

}  // namespace
}  // namespace atl::sweep
