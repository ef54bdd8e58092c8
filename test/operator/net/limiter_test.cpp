#include "operator/net/limiter.h"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "test/sim/sim_loop.h"

namespace atl::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A cloud with a bucket of its own, and callers of it.
class LimiterTest : public testing::Test {
protected:
    /// One call of `duration`; refused if the server's bucket is empty (when it has one).
    Task<> call(std::string key, Duration duration) {
        ++under_way_;
        most_under_way_ = std::max(most_under_way_, under_way_);
        order_.push_back(key);
        const double passed = std::chrono::duration<double>(loop_.now() - counted_).count();
        counted_ = loop_.now();
        tokens_ = std::min(server_burst_, tokens_ + passed * server_rate_);
        const bool refused = tokens_ < 1.0;
        if (!refused) tokens_ -= 1.0;
        co_await sleep_for(loop_, duration);
        --under_way_;
        ++calls_;
        if (refused) {
            ++refused_;
            Error error(ErrorClass::Throttled, "Throttled", "slow down");
            if (retry_after_) error = std::move(error).with_retry_after(*retry_after_);
            co_await fail(std::move(error));
        }
    }
    Task<> limited_call(std::string key, Duration duration) { co_await limited(limiter_, key, call(key, duration)); }
    Task<> call_for_ever(std::string key) {
        while (true) {
            const Result<Unit> done = co_await limited(limiter_, key, call(key, milliseconds(20))).attempt();
        }
    }
    void start(const std::string& key, int count, Duration duration = milliseconds(20)) {
        for (int i = 0; i < count; ++i) spawner_->start(key, limited_call(key, duration));
    }

    sim::SimLoop loop_;
    LimiterOptions options_{.rate = 10, .burst = 5, .concurrency = 4};
    Limiter limiter_{loop_, loop_, options_};
    double server_rate_ = 1e9;
    double server_burst_ = 1e9;
    double tokens_ = 1e9;
    Instant counted_ = loop_.now();
    std::optional<milliseconds> retry_after_;
    int calls_ = 0;
    int refused_ = 0;
    int under_way_ = 0;
    int most_under_way_ = 0;
    std::vector<std::string> order_;
    std::unique_ptr<Spawner> spawner_ = std::make_unique<Spawner>(loop_, Spawner::OnFailure());
};

TEST_F(LimiterTest, GivesTheBurstAtOnceAndThenTheRate) {
    start("a", 100);
    loop_.run_for(milliseconds(100));
    EXPECT_GE(calls_, 4);
    EXPECT_LE(calls_, 6);
    loop_.run_for(seconds(5));
    EXPECT_GE(order_.size(), 54U);
    EXPECT_LE(order_.size(), 57U);
    loop_.run_for(seconds(10));
    EXPECT_EQ(calls_, 100);
    EXPECT_EQ(limiter_.running(), 0U);
}

TEST_F(LimiterTest, HasNoMoreCallsUnderWayThanAllowed) {
    start("a", 20, seconds(3));
    loop_.run_for(seconds(60));
    EXPECT_EQ(most_under_way_, 4);
    EXPECT_EQ(calls_, 20);
}

TEST_F(LimiterTest, TakesTurnsBetweenKeysAndKeepsTheOrderWithinOne) {
    start("many", 50);
    loop_.run_for(seconds(1));
    const std::size_t before = order_.size();
    start("few", 3);
    loop_.run_for(seconds(1));
    const std::vector<std::string> after(order_.begin() + static_cast<std::ptrdiff_t>(before), order_.end());
    const std::vector<std::string> first(after.begin(), after.begin() + 6);
    EXPECT_EQ(std::count(first.begin(), first.end(), "few"), 3) << "one with many calls starves the others";
}

TEST_F(LimiterTest, HalvesTheRateOnceForRefusalsThatComeTogetherAndGrowsBack) {
    for (int i = 0; i < 5; ++i) limiter_.throttled({});
    EXPECT_NEAR(limiter_.rate(), 5, 0.01);
    loop_.run_for(seconds(50));
    EXPECT_NEAR(limiter_.rate(), 7.5, 0.1);
    limiter_.throttled({});
    EXPECT_NEAR(limiter_.rate(), 3.75, 0.1);
    loop_.run_for(seconds(200));
    EXPECT_NEAR(limiter_.rate(), 10, 0.01);
}

TEST_F(LimiterTest, NeverFallsBelowTheLowestRate) {
    for (int i = 0; i < 100; ++i) {
        limiter_.throttled({});
        loop_.run_for(seconds(1));
    }
    EXPECT_GE(limiter_.rate(), 0.2);
    start("a", 1);
    loop_.run_for(seconds(10));
    EXPECT_EQ(calls_, 1);
}

TEST_F(LimiterTest, StopsAllCallsForAsLongAsTheOtherSideAsks) {
    server_burst_ = tokens_ = 0.0;
    server_rate_ = 0.0;
    retry_after_ = seconds(30);
    start("a", 1);
    loop_.run_for(seconds(1));
    ASSERT_EQ(refused_, 1);
    start("b", 1);
    loop_.run_for(seconds(28));
    EXPECT_EQ(order_.size(), 1U);
    loop_.run_for(seconds(5));
    EXPECT_EQ(order_.size(), 2U);
}

TEST_F(LimiterTest, DoesNotBelieveARetryAfterOfAYear) {
    limiter_.throttled(std::chrono::hours(24 * 365));
    start("a", 1);
    loop_.run_for(std::chrono::minutes(16));
    EXPECT_EQ(calls_, 1);
}

TEST_F(LimiterTest, SpendsNothingOnWaitsThatAreDropped) {
    start("a", 5, milliseconds(1));
    loop_.run_for(milliseconds(50));
    const auto job = spawner_->start("dropped", limited_call("b", milliseconds(1)));
    loop_.run_for(milliseconds(1));
    spawner_->cancel(job);
    start("c", 1);
    loop_.run_for(milliseconds(110));
    EXPECT_EQ(order_.back(), "c");
    EXPECT_EQ(order_.size(), 6U);
    EXPECT_EQ(limiter_.waiting(), 0U);
}

TEST_F(LimiterTest, GivesTheTurnBackWhenACallIsDropped) {
    std::vector<Spawner::JobId> jobs;
    for (int i = 0; i < 4; ++i) jobs.push_back(spawner_->start("stuck", limited_call("a", std::chrono::hours(1))));
    loop_.run_for(seconds(1));
    EXPECT_EQ(limiter_.running(), 4U);
    for (const auto job : jobs) spawner_->cancel(job);
    start("a", 1);
    loop_.run_for(seconds(1));
    EXPECT_EQ(calls_, 1);
}

TEST_F(LimiterTest, MayBeDestroyedBeforeTheCallsThatUseIt) {
    auto limiter = std::make_unique<Limiter>(loop_, loop_, options_);
    std::optional<Limiter::Turn> held;
    held.emplace(std::move(sim::run(loop_, limiter->turn("a")).value()));
    limiter.reset();
    held.reset();
    loop_.run_for(seconds(1));
}

TEST_F(LimiterTest, IsNeverRefusedByAServerWithTheBucketThatItKnows) {
    server_rate_ = options_.rate;
    server_burst_ = tokens_ = options_.burst;
    for (const char* key : {"a", "b", "c", "d", "e", "f"}) spawner_->start(key, call_for_ever(key));
    loop_.run_for(std::chrono::minutes(10));
    EXPECT_EQ(refused_, 0);
    EXPECT_GT(calls_, 5900);
}

TEST_F(LimiterTest, IsRefusedAtMostOneCallInHundredByAServerWithASmallerBucketAndStarvesNobody) {
    server_rate_ = 4;
    server_burst_ = tokens_ = 5;
    for (const char* key : {"a", "b", "c", "d", "e", "f"}) spawner_->start(key, call_for_ever(key));
    loop_.run_for(std::chrono::minutes(60));
    EXPECT_LE(refused_ * 100, calls_) << refused_ << " of " << calls_;
    EXPECT_GT(calls_, 60 * 60 * 4 * 6 / 10) << "too timid";
    std::map<std::string, int> by_key;
    for (const auto& key : order_) ++by_key[key];
    for (const auto& [key, count] : by_key) EXPECT_NEAR(count, calls_ / 6, calls_ / 60) << key;
}

}  // namespace
}  // namespace atl::net
