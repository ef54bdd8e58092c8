#include "operator/net/connection_pool.h"

#include <gtest/gtest.h>

#include "operator/base/deadline.h"
#include "test/sim/sim_loop.h"

namespace atl::net {
namespace {

using std::chrono::seconds;

class SlotsTest : public testing::Test {
protected:
    Task<> hold(char name, Duration duration) {
        const Slots::Permit permit = co_await slots_->acquire();
        order_ += name;
        co_await sleep_for(loop_, duration);
    }

    sim::SimLoop loop_;
    std::shared_ptr<Slots> slots_ = std::make_shared<Slots>(loop_, 2);
    std::string order_;
    Spawner spawner_{loop_, Spawner::OnFailure()};
};

TEST_F(SlotsTest, AreGivenInTheOrderOfAsking) {
    for (const char name : {'a', 'b', 'c', 'd', 'e'}) spawner_.start("hold", hold(name, seconds(10)));
    loop_.run_for(seconds(1));
    EXPECT_EQ(order_, "ab");
    loop_.run_for(seconds(10));
    EXPECT_EQ(order_, "abcd");
    loop_.run_for(seconds(30));
    EXPECT_EQ(order_, "abcde");
    EXPECT_EQ(spawner_.running(), 0U);
}

TEST_F(SlotsTest, ComeBackFromThoseWhoAreDroppedWhetherTheyHaveOneOrWait) {
    const auto holder = spawner_.start("hold", hold('a', std::chrono::hours(1)));
    spawner_.start("hold", hold('b', std::chrono::hours(1)));
    const auto waiter = spawner_.start("hold", hold('c', seconds(1)));
    spawner_.start("hold", hold('d', seconds(1)));
    loop_.run_for(seconds(1));
    spawner_.cancel(waiter);
    spawner_.cancel(holder);
    loop_.run_for(seconds(1));
    EXPECT_EQ(order_, "abd");
}

}  // namespace
}  // namespace atl::net
