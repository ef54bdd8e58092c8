#include "operator/kube/shards.h"

#include <gtest/gtest.h>

#include "test/operator/kube/machinery.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;

std::vector<ObjectKey> keys(int count) {
    std::vector<ObjectKey> all;
    for (int i = 0; i < count; ++i) all.emplace_back("ns" + std::to_string(i % 7), "object-" + std::to_string(i));
    return all;
}

TEST(ShardOf, IsTheSameOnEveryMachineForEver) {
    EXPECT_EQ(shard_of(ObjectKey("default", "shop"), 1), 0U);
    EXPECT_EQ(rendezvous_weight("0", "default/shop"), rendezvous_weight("0", "default/shop"));
    EXPECT_NE(rendezvous_weight("0", "default/shop"), rendezvous_weight("0default", "/shop"));
    // Written down: replicas of two versions must agree while one is rolled out.
    EXPECT_EQ(shard_of(ObjectKey("default", "shop"), 8), shard_of(ObjectKey("default", "shop"), 8));
}

TEST(ShardOf, SpreadsEvenlyAndMovesOnlyToTheNewShard) {
    std::vector<int> count(8);
    int moved = 0;
    for (const ObjectKey& key : keys(8000)) {
        ++count[shard_of(key, 8)];
        const std::size_t now = shard_of(key, 9);
        if (now == shard_of(key, 8)) continue;
        ++moved;
        EXPECT_EQ(now, 8U) << key.to_string();
    }
    for (const int objects : count) EXPECT_NEAR(objects, 1000, 150);
    EXPECT_NEAR(moved, 8000 / 9, 150);
}

TEST(SpreadShards, GivesEachItsShareAndMovesLittle) {
    std::set<std::string> members;
    std::vector<std::string> before;
    for (int count = 1; count <= 4; ++count) {
        members.insert("member-" + std::to_string(count));
        const std::vector<std::string> owners = spread_shards(8, members);
        int kept = 0;
        for (std::size_t i = 0; i < owners.size(); ++i) kept += !before.empty() && owners[i] == before[i] ? 1 : 0;
        for (const std::string& member : members) {
            const auto share = std::ranges::count(owners, member);
            EXPECT_LE(share, (8 + count - 1) / count);
            EXPECT_GE(share, 1);
        }
        if (count > 1) EXPECT_GE(kept, 3) << count;
        before = owners;
    }
    EXPECT_EQ(spread_shards(3, {}), std::vector<std::string>(3));
}

/// One of several processes that share widgets.
struct Sharer {
    Sharer(Given& given, const std::string& name)
        : process(given), reconciler(given.loop), lease_client(given.client()) {
        process.random = SeededRandom(std::hash<std::string>{}(name));
        LeaseOptions lease;
        lease.identity = "host_" + name;
        const ShardOptions options{8, name, lease};
        shards =
            std::make_unique<Shards>(*lease_client, process.random, given.loop, Log::none(), process.metrics, options);
        Runtime runtime = process.runtime();
        runtime.guard = shards.get();
        ControllerOptions of_controller;
        of_controller.name = "widget";
        of_controller.type = kWidgets;
        controller = std::make_unique<Controller>(runtime, of_controller, reconciler);
        controller->start();
        Shards::Workers workers;
        workers.take_up = [this](const Shards::Selection& which) { controller->take_up(which); };
        workers.drop = [this](const Shards::Selection& which) { controller->drop(which); };
        workers.works_on = [this](const Shards::Selection& which) { return controller->works_on(which); };
        shards->start(std::move(workers));
    }
    ~Sharer() { crash(); }
    void crash() {
        process.crash();
        shards.reset();
    }

    Process process;
    ScriptedReconciler reconciler;
    std::unique_ptr<Client> lease_client;
    std::unique_ptr<Shards> shards;
    std::unique_ptr<Controller> controller;
};

struct ShardsTest : testing::Test {
    Given given{21};
    std::vector<std::unique_ptr<Sharer>> all;
    bool twice = false;

    ShardsTest() {
        for (const ObjectKey& key : keys(40)) given.api.put(kWidgets, widget(key.ns, key.name));
    }
    Sharer& join(const std::string& name) {
        all.push_back(std::make_unique<Sharer>(given, name));
        return *all.back();
    }
    std::size_t held() const {
        std::size_t sum = 0;
        for (const auto& one : all) sum += one->shards ? one->shards->held() : 0;
        return sum;
    }
    /// Whether an object has passes of two at once, or two that may begin one.
    void look() {
        std::map<ObjectKey, int> workers;
        for (const auto& one : all) {
            for (const ObjectKey& key : one->reconciler.working) ++workers[key];
        }
        for (const auto& [key, count] : workers) twice |= count > 1;
        for (const ObjectKey& key : keys(40)) {
            twice |= 1 < std::ranges::count_if(
                             all, [&](const auto& one) { return one->shards && one->shards->covers(key); });
        }
    }
    bool run_until(const std::function<bool()>& predicate, Duration limit) {
        return given.loop.run_until(
            [&] {
                look();
                return predicate();
            },
            limit);
    }
    void run_for(Duration duration) {
        run_until([] { return false; }, duration);
    }
};

TEST_F(ShardsTest, TheFirstTakesAllAndEveryObjectGetsAPass) {
    Sharer& a = join("a");
    EXPECT_TRUE(run_until([&] { return a.shards->held() == 8; }, 3s));
    run_for(2s);
    EXPECT_EQ(a.reconciler.passes_of.size(), 40U);
    EXPECT_EQ(a.process.metrics.values["atoll_shards{}"], 8);
    EXPECT_EQ(a.process.metrics.values["atoll_shard_members{}"], 1);
}

TEST_F(ShardsTest, OneThatJoinsGetsAShareAndNothingIsWorkedOnTwice) {
    Sharer& a = join("a");
    a.reconciler.duration = 3s;
    run_for(4s);
    Sharer& b = join("b");
    EXPECT_TRUE(run_until([&] { return b.shards->held() > 0 && held() == 8; }, 20s));
    run_for(20s);
    EXPECT_EQ(held(), 8U);
    EXPECT_GT(a.shards->held(), 0U);
    EXPECT_FALSE(b.reconciler.passes_of.empty());
    EXPECT_FALSE(twice);
    std::set<std::string> seen;
    for (const auto& one : all) {
        for (const auto& [key, passes] : one->reconciler.passes_of) seen.insert(key);
    }
    EXPECT_EQ(seen.size(), 40U) << "also those that waited for a turn when their shard went away";
}

TEST_F(ShardsTest, TheShardsOfACrashedOneAreTakenOverWithin17Seconds) {
    Sharer& a = join("a");
    Sharer& b = join("b");
    ASSERT_TRUE(run_until([&] { return a.shards->held() > 0 && b.shards->held() > 0 && held() == 8; }, 30s));
    a.crash();
    EXPECT_TRUE(run_until([&] { return b.shards->held() == 8; }, 17s)) << b.shards->held();
    run_for(5s);
    EXPECT_EQ(b.reconciler.passes_of.size(), 40U);
    EXPECT_FALSE(twice);
}

TEST_F(ShardsTest, OneThatCannotRenewCutsItsPassesOffAndComesBack) {
    Sharer& a = join("a");
    Sharer& b = join("b");
    ASSERT_TRUE(run_until([&] { return a.shards->held() > 0 && b.shards->held() > 0 && held() == 8; }, 30s));
    a.reconciler.duration = 1h;
    for (const ObjectKey& key : keys(40)) a.controller->hint(key);
    run_for(100ms);
    ASSERT_GT(a.reconciler.at_once, 0);
    sim::SimTransport& line = *given.transports[1];  // of a's leases
    line.fault = [](const sim::Call&, sim::Point point) {
        return point == sim::Point::BeforeSend ? sim::Fault::Reset : sim::Fault::None;
    };
    EXPECT_TRUE(run_until([&] { return b.shards->held() == 8; }, 17s));
    EXPECT_EQ(a.reconciler.at_once, 0);
    EXPECT_FALSE(a.shards->may_write());
    line.fault = nullptr;
    a.reconciler.duration = 1ms;
    EXPECT_TRUE(run_until([&] { return a.shards->held() > 0 && held() == 8; }, 1min));
    EXPECT_FALSE(twice);
}

TEST_F(ShardsTest, ManyComeAndGoAndNothingIsWorkedOnTwice) {
    SeededRandom chance(7);
    for (int round = 0; round < 12; ++round) {
        const bool more = all.size() < 2 || (all.size() < 5 && chance.below(2) == 0);
        if (more) {
            join("m" + std::to_string(round)).reconciler.duration = std::chrono::milliseconds(chance.below(3000));
        } else {
            all.erase(all.begin() + static_cast<std::ptrdiff_t>(chance.below(all.size())));
        }
        run_for(std::chrono::seconds(chance.below(25)));
        EXPECT_FALSE(twice) << round;
    }
    EXPECT_TRUE(run_until([&] { return held() == 8; }, 40s));
}

TEST_F(ShardsTest, TheLeaseOfAMemberThatDiedIsRemoved) {
    join("a");
    Sharer& b = join("b");
    run_for(5s);
    b.crash();
    run_for(12min);
    const ObjectKey left("default", "atoll-member-b");
    EXPECT_FALSE(given.api.get(lease_type(), left).has_value());
    EXPECT_TRUE(given.api.get(lease_type(), ObjectKey("default", "atoll-member-a")).has_value());
}

}  // namespace
}  // namespace atl::kube
