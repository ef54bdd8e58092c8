#include "operator/kube/queue.h"

#include <gtest/gtest.h>

#include "test/sim/sim_loop.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;

struct QueueTest : testing::Test {
    sim::SimLoop loop{3};
    SeededRandom random{3};
    Queue queue{loop, random, Metrics::none(), Queue::Options{"test"}};

    static ObjectKey key(const std::string& name, const std::string& ns = "shop") { return ObjectKey(ns, name); }
    std::string take() {
        const auto taken = queue.take();
        return taken ? taken->to_string() : "";
    }
};

TEST_F(QueueTest, HoldsAKeyOnceHoweverOftenItIsAdded) {
    for (int i = 0; i < 5; ++i) queue.add(key("a"));
    EXPECT_EQ(queue.depth(), 1U);
    EXPECT_EQ(take(), "shop/a");
    EXPECT_EQ(take(), "");
}

TEST_F(QueueTest, NeverGivesOutAKeyThatIsBeingWorkedOn) {
    queue.add(key("a"));
    EXPECT_EQ(take(), "shop/a");
    queue.add(key("a"));
    queue.add(key("a"));
    EXPECT_EQ(take(), "") << "it is being worked on";
    queue.done(key("a"));
    EXPECT_EQ(take(), "shop/a") << "what was added meanwhile comes again";
    queue.done(key("a"));
    EXPECT_EQ(take(), "");
}

TEST_F(QueueTest, BacksOffExponentiallyPerKeyUpToTheLimit) {
    Duration before{0};
    for (int i = 0; i < 30; ++i) {
        const Duration full = std::min<Duration>(1000s, 5ms * (std::int64_t{1} << std::min(i, 25)));
        const Duration delay = queue.retry(key("a"));
        EXPECT_GE(delay, full / 2) << i;
        EXPECT_LE(delay, full) << i;
        loop.run_for(1001s);
        EXPECT_EQ(take(), "shop/a");
        queue.done(key("a"));
        before = delay;
    }
    EXPECT_GE(before, 500s);
    EXPECT_LE(queue.retry(key("b")), 5ms) << "another key has a back-off of its own";
    queue.forget(key("a"));
    EXPECT_LE(queue.retry(key("a")), 5ms);
}

TEST_F(QueueTest, RetryAfterWinsOverAShorterBackOff) {
    EXPECT_EQ(queue.retry(key("a"), 7s), 7s);
    loop.run_for(6s);
    EXPECT_EQ(take(), "");
    loop.run_for(2s);
    EXPECT_EQ(take(), "shop/a");
}

TEST_F(QueueTest, TheEarliestWishHolds) {
    queue.add_after(key("a"), 10s);
    queue.add_after(key("a"), 5s);
    queue.add_after(key("a"), 20s);
    loop.run_for(6s);
    EXPECT_EQ(take(), "shop/a");
    queue.done(key("a"));
    loop.run_for(60s);
    EXPECT_EQ(take(), "") << "the later wishes are gone";
}

TEST_F(QueueTest, AddingNowDropsAWishForLater) {
    queue.add_after(key("a"), 10s);
    queue.add(key("a"));
    EXPECT_EQ(take(), "shop/a");
    queue.done(key("a"));
    loop.run_for(60s);
    EXPECT_EQ(take(), "");
    EXPECT_FALSE(loop.step()) << "the timer must be taken back";
}

TEST_F(QueueTest, ADelayThatEndsWhileTheKeyIsWorkedOnIsNotLost) {
    queue.add(key("a"));
    EXPECT_EQ(take(), "shop/a");
    queue.add_after(key("a"), 1s);
    loop.run_for(2s);
    EXPECT_EQ(take(), "");
    queue.done(key("a"));
    EXPECT_EQ(take(), "shop/a");
}

TEST_F(QueueTest, FreshEventsGoBeforeOldNewsButDoNotStarveIt) {
    for (int i = 0; i < 20; ++i) queue.add(key("old" + std::to_string(i)), Priority::Background);
    for (int i = 0; i < 20; ++i) queue.add(key("new" + std::to_string(i)), Priority::Fresh);
    int fresh = 0;
    for (int i = 0; i < 16; ++i) fresh += take().starts_with("shop/new") ? 1 : 0;
    EXPECT_EQ(fresh, 14);
}

TEST_F(QueueTest, AnEventLiftsAKeyOutOfTheOldNews) {
    for (int i = 0; i < 5; ++i) queue.add(key("old" + std::to_string(i)), Priority::Background);
    queue.add(key("old4"), Priority::Fresh);
    EXPECT_EQ(take(), "shop/old4");
    EXPECT_EQ(queue.depth(), 4U);
}

TEST_F(QueueTest, NamespacesTakeTurns) {
    for (int i = 0; i < 1000; ++i) queue.add(key("x" + std::to_string(i), "big"));
    queue.add(key("a", "small"));
    queue.add(key("b", "tiny"));
    std::vector<std::string> first;
    for (int i = 0; i < 3; ++i) first.push_back(take());
    EXPECT_NE(std::find(first.begin(), first.end(), "small/a"), first.end());
    EXPECT_NE(std::find(first.begin(), first.end(), "tiny/b"), first.end());
}

/// Any mix of adds, with keys of one to five namespaces: between two turns of a namespace that has keys ready, every
/// other one has at most one (two with the turn for old news).
TEST_F(QueueTest, NoNamespaceWaitsLongerThanOneRound) {
    SeededRandom chance(11);
    std::map<std::string, int> waiting;
    std::map<std::string, int> ready;
    for (int step = 0; step < 20000; ++step) {
        if (chance.below(2) == 0) {
            const std::string ns = "n" + std::to_string(chance.below(1 + chance.below(5)));
            const std::size_t depth = queue.depth();
            queue.add(key("k" + std::to_string(chance.below(50)), ns));
            if (queue.depth() > depth) ++ready[ns];
            continue;
        }
        const auto taken = queue.take();
        if (!taken) continue;
        queue.done(*taken);
        --ready[taken->ns];
        waiting[taken->ns] = 0;
        for (const auto& [ns, count] : ready) {
            if (count > 0 && ns != taken->ns) ++waiting[ns];
            ASSERT_LE(waiting[ns], 5) << ns << " is starved at step " << step;
        }
    }
}

TEST_F(QueueTest, SaysWhenAKeyBecomesReady) {
    int called = 0;
    queue.on_ready = [&] { ++called; };
    queue.add(key("a"));
    queue.add_after(key("b"), 1s);
    EXPECT_EQ(called, 1);
    loop.run_for(2s);
    EXPECT_EQ(called, 2);
}

}  // namespace
}  // namespace atl::kube
