#include <gtest/gtest.h>

#include "controllers/types.h"
#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;

class DeadContainer : public testing::Test {
protected:
    void SetUp() override {
        world.fake_engine().world().record_lag = 350ms;  // as a real engine was seen to do
        world.boot();
        apply_example(world);
        ASSERT_TRUE(world.until([&] { return example_is_ready(world); }, 10min));
        world.run_for(2min);
    }
    nlohmann::json container() {
        return world.find(kServiceInstance, "shop-store").value()["status"]["containers"].at(0);
    }
    World world{11};
};

// Swarm's list tells of the death after its event, and the next container starts 5 s later: neither is waited for.
TEST_F(DeadContainer, ShowsWithinASecondThoughTheListOfCopiesLags) {
    const std::string dead = container()["containerID"];
    ASSERT_TRUE(world.fake_engine().kill(dead, 137));
    EXPECT_TRUE(world.until([&] { return container().value("containerID", "") != dead; }, 1s)) << container().dump(1);
    EXPECT_EQ(container()["restarts"], 1);
    EXPECT_NE(container()["state"], "Running");
    EXPECT_TRUE(world.until([&] { return example_is_ready(world); }, 1min));
}

TEST_F(DeadContainer, AtRestNothingIsWrittenAndLookedAtOnlyByTheRecheck) {
    const std::uint64_t writes = world.api_writes();
    const std::uint64_t calls = world.operator_transport().calls();
    world.run_for(10min);
    EXPECT_EQ(world.api_writes(), writes);
    EXPECT_LT(world.operator_transport().calls() - calls, 1000U) << "a poll, not a recheck each minute";
}

}  // namespace
}  // namespace atl::sweep
