#include "operator/base/task.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "operator/base/deadline.h"
#include "operator/base/root_task.h"
#include "test/sim/sim_loop.h"

namespace atl {
namespace {

using namespace std::chrono_literals;

struct Tracer {
    static inline int live = 0;
    Tracer() { ++live; }
    Tracer(const Tracer&) = delete;
    ~Tracer() { --live; }
};

Task<int> quick(int n) {
    co_return n;
}

Task<int> slow(Clock& clock, int n) {
    Tracer tracer;
    co_await sleep_for(clock, 1ms);
    co_return n;
}

Task<int> sum(Clock& clock, int n) {
    int total = 0;
    for (int i = 0; i < n; ++i) {
        if (i % 3 == 0) {
            total += co_await slow(clock, 1);
        } else {
            total += co_await quick(1);
        }
    }
    co_return total;
}

Task<> deep(Clock& clock, int n, bool late) {
    Tracer tracer;
    if (n > 0) {
        co_await deep(clock, n - 1, late);
        co_return;
    }
    if (late) co_await sleep_for(clock, 1ms);
    co_await fail(transient("Bottom", "reached the bottom"));
}

Task<int> count_errors(Clock& clock, int depth) {
    const auto now = co_await deep(clock, depth, false).attempt();
    const auto later = co_await deep(clock, depth, true).attempt();
    co_return (now.ok() ? 0 : 1) + (later.ok() ? 0 : 1);
}

Task<> throws(Clock& clock) {
    co_await sleep_for(clock, 1ms);
    throw std::runtime_error("bug");
}

Task<int> catches(Clock& clock) {
    try {
        co_await throws(clock);
    } catch (const std::runtime_error&) {
        co_return 1;
    }
    co_return 0;
}

TEST(Task, DoesNotGrowTheStackInLongLoops) {
    sim::SimLoop loop;
    EXPECT_EQ(sim::run(loop, sum(loop, 300'000)).value(), 300'000);
}

TEST(Task, PassesErrorsThroughManyLevelsAndDestroysLocals) {
    sim::SimLoop loop;
    EXPECT_EQ(sim::run(loop, count_errors(loop, 2'000)).value(), 2);
    EXPECT_EQ(Tracer::live, 0);
}

TEST(Task, LetsExceptionsThrough) {
    sim::SimLoop loop;
    EXPECT_EQ(sim::run(loop, catches(loop)).value(), 1);
}

TEST(Task, DroppingCancelsWhatItWaitsFor) {
    sim::SimLoop loop;
    {
        RootTask<int> root(slow(loop, 1), [](auto, auto) { FAIL() << "a dropped task must not finish"; });
        root.start();
        EXPECT_EQ(Tracer::live, 1);
    }
    EXPECT_EQ(Tracer::live, 0);
    EXPECT_FALSE(loop.step()) << "the timer must be taken back";
}

Task<int> unwrap(Result<int> result) {
    const int value = co_await std::move(result);
    co_return value + 1;
}

TEST(Task, AwaitingAResultUnwrapsIt) {
    sim::SimLoop loop;
    EXPECT_EQ(sim::run(loop, unwrap(Result<int>(1))).value(), 2);
    EXPECT_EQ(sim::run(loop, unwrap(invalid("Bad", "it is bad"))).error().reason(), "Bad");
}

TEST(All, RunsAtOnceAndKeepsTheOrder) {
    sim::SimLoop loop(7);
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 10; ++i) tasks.push_back(slow(loop, i));
    const Instant start = loop.now();
    const auto results = sim::run(loop, all(std::move(tasks))).value();
    EXPECT_EQ(loop.now() - start, 1ms);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].value(), i);
    EXPECT_EQ(Tracer::live, 0);
}

TEST(All, OfNothingIsDoneAtOnce) {
    sim::SimLoop loop;
    EXPECT_TRUE(sim::run(loop, all(std::vector<Task<int>>())).value().empty());
}

Task<> forever(Clock& clock) {
    Tracer tracer;
    co_await sleep_for(clock, 24h);
}

TEST(Deadline, CancelsTheTaskAndSaysWhatItWaitedFor) {
    sim::SimLoop loop;
    const auto result = sim::run(loop, with_deadline(loop, loop.now() + 5s, forever(loop), "sleeping"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "DeadlineExceeded");
    EXPECT_EQ(result.error().message(), "timed out while sleeping");
    EXPECT_EQ(Tracer::live, 0);
}

Task<int> catches_within(Clock& clock) {
    try {
        co_await with_deadline(clock, clock.now() + std::chrono::seconds(5), throws(clock), "throwing");
    } catch (const std::runtime_error&) {
        co_return 1;
    }
    co_return 0;
}

TEST(Deadline, LetsExceptionsThrough) {
    sim::SimLoop loop;
    EXPECT_EQ(sim::run(loop, catches_within(loop)).value(), 1);
}

TEST(Deadline, GivesTheValueWhenInTime) {
    sim::SimLoop loop;
    EXPECT_EQ(sim::run(loop, with_deadline(loop, loop.now() + 5s, slow(loop, 4), "counting")).value(), 4);
    EXPECT_FALSE(loop.step()) << "the timer must be taken back";
}

TEST(Spawner, CancelsAllWhenItGoes) {
    sim::SimLoop loop;
    {
        Spawner spawner(loop, nullptr);
        for (int i = 0; i < 3; ++i) spawner.start("sleeper", forever(loop));
        loop.run_for(1s);
        EXPECT_EQ(spawner.running(), 3U);
    }
    EXPECT_EQ(Tracer::live, 0);
}

TEST(Spawner, ReportsTheErrorOfATask) {
    sim::SimLoop loop;
    std::string seen;
    Spawner spawner(loop, [&](const std::string& name, const Error& error, bool bug) {
        seen = name + ": " + error.reason() + (bug ? " bug" : "");
    });
    spawner.start("deep", deep(loop, 3, true));
    loop.run_for(1s);
    EXPECT_EQ(seen, "deep: Bottom");
    spawner.start("throws", throws(loop));
    loop.run_for(1s);
    EXPECT_EQ(seen, "throws: Bug bug");
    EXPECT_EQ(spawner.running(), 0U);
}

}  // namespace
}  // namespace atl
