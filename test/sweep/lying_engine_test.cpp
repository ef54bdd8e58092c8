#include <gtest/gtest.h>

#include "controllers/types.h"
#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;

class LyingEngine : public testing::Test {
protected:
    void SetUp() override {
        world.boot();
        apply_example(world);
        ASSERT_TRUE(world.until([&] { return example_is_ready(world); }, 10min));
        world.run_for(2min);
    }
    /// Calls a second, to the API server too, over a minute.
    std::uint64_t calls_in_a_minute() {
        const std::uint64_t before = world.operator_transport().calls();
        world.run_for(1min);
        return world.operator_transport().calls() - before;
    }
    World world{17};
};

// Creates find their names taken by what is ours, again and again.
TEST_F(LyingEngine, ThatListsNothingIsAskedSeldomerAndSeldomerAndLosesNothing) {
    const auto before = world.fake_engine().contents();
    world.fake_engine().world().lists_nothing = true;
    EXPECT_LT(calls_in_a_minute(), 600U) << "ten a second, and no busy circle";
    EXPECT_LT(calls_in_a_minute(), 180U);
    for (int minute = 3; minute <= 6; ++minute) EXPECT_LT(calls_in_a_minute(), 60U) << "minute " << minute;
    EXPECT_EQ(world.fake_engine().contents(), before);
    world.fake_engine().world().lists_nothing = false;
    EXPECT_TRUE(world.until([&] { return example_is_ready(world); }, 10min));
    EXPECT_EQ(world.fake_engine().contents(), before);
}

}  // namespace
}  // namespace atl::sweep
