#include <gtest/gtest.h>

#include "controllers/types.h"
#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;

void expect_nothing_left(World& world) {
    EXPECT_TRUE(world.until([&] { return all_gone(world); }, 10min)) << "the deletion does not end";
    EXPECT_EQ(world.engine().marked_keys(), std::vector<std::string>());
    EXPECT_EQ(world.violations(), std::set<std::string>());
}

void make_example(World& world) {
    world.boot();
    apply_example(world);
    ASSERT_TRUE(world.until([&] { return example_is_ready(world); }, 10min));
}

// 60 moments, dealt to kParts tests: moment by moment they would take too long for one, most of all in a sanitizer's
// build.
constexpr int kMoments = 60;
constexpr int kParts = 12;
class EndingAtEveryMoment : public testing::TestWithParam<int> {};

// What is applied while the same is going away meets a Cluster on its way out, at any of its moments.
TEST_P(EndingAtEveryMoment, WhatIsAppliedWhileTheSameGoesAwayCanStillBeDeleted) {
    for (int tenth = GetParam(); tenth < kMoments; tenth += kParts) {
        SCOPED_TRACE("applied again after " + std::to_string(tenth) + " tenths of a second");
        World world(7);
        make_example(world);
        remove_example(world);
        world.run_for(tenth * 100ms);
        apply_example(world);
        world.run_for(2s);
        remove_example(world);
        expect_nothing_left(world);
    }
}

TEST(Ending, AStackWhoseClusterIsMissingCanBeDeletedAtOnce) {
    World world(3);
    make_example(world);
    world.remove(kStack, "shop");
    world.remove(kCluster, "local");
    expect_nothing_left(world);
    apply_stack(world);
    world.run_for(30s);
    ASSERT_TRUE(world.find(kStack, "shop"));
    world.remove(kStack, "shop");
    expect_nothing_left(world);
}

// A crash right after the first writes leaves finalizers without a status: what was made must still be found.
TEST_P(EndingAtEveryMoment, WhatWasMadeWhenTheOperatorCrashedIsTakenAway) {
    for (int call = GetParam(); call < kMoments; call += kParts) {
        SCOPED_TRACE("crash at call " + std::to_string(call));
        World world(5);
        world.boot();
        const std::uint64_t first = world.operator_transport().calls();
        bool struck = false;
        world.fault = [&](const sim::Call& at, sim::Point point) {
            if (struck || at.index != first + 25 + 5 * static_cast<std::uint64_t>(call)) return sim::Fault::None;
            if (point != sim::Point::EffectDone) return sim::Fault::None;
            struck = true;
            return sim::Fault::Crash;
        };
        apply_example(world);
        world.until([&] { return struck; }, 1min);
        remove_example(world);
        expect_nothing_left(world);
    }
}

TEST(Ending, ASwarmThatSomebodyLeftTakesNothingHostage) {
    World world(11);
    make_example(world);
    world.engine().leave_swarm();
    remove_example(world);
    expect_nothing_left(world);
}

INSTANTIATE_TEST_SUITE_P(First, EndingAtEveryMoment, testing::Values(0));
INSTANTIATE_TEST_SUITE_P(Others, EndingAtEveryMoment, testing::Range(1, kParts));

}  // namespace
}  // namespace atl::sweep
