#include "operator/base/spawner.h"

#include <gtest/gtest.h>

#include "operator/base/clock.h"
#include "test/sim/sim_loop.h"

namespace atl {
namespace {

using namespace std::chrono_literals;

class SpawnerTest : public testing::Test {
protected:
    Task<> wait_then_count() {
        co_await sleep_for(loop_, 1s);
        ++done_;
    }
    Task<> fail_at_once() { co_await fail(transient("Reset", "it broke")); }
    Task<> throw_at_once() {
        co_await sleep_for(loop_, 1ms);
        throw std::runtime_error("a bug");
    }
    Task<> start_another() {
        spawner_->start("other", wait_then_count());
        co_return;
    }
    Task<> cancel_itself() {
        spawner_->cancel(own_);
        co_await sleep_for(loop_, 1s);
        ++done_;
    }
    /// Its local starts a task when it is destroyed.
    Task<> start_another_when_dropped() {
        struct Local {
            SpawnerTest& test;
            ~Local() { test.spawner_->start("late", test.wait_then_count()); }
        } local{*this};
        co_await sleep_for(loop_, 1h);
    }

    sim::SimLoop loop_;
    int done_ = 0;
    std::vector<std::string> failures_;
    Spawner::JobId own_ = 0;
    std::unique_ptr<Spawner> spawner_ =
        std::make_unique<Spawner>(loop_, [this](const std::string& name, const Error& error, bool bug) {
            failures_.push_back(name + " " + error.reason() + (bug ? " bug" : ""));
        });
};

TEST_F(SpawnerTest, ATaskThatFailsIsReportedAndTheOthersGoOn) {
    spawner_->start("good", wait_then_count());
    spawner_->start("bad", fail_at_once());
    spawner_->start("worse", throw_at_once());
    loop_.run_for(2s);
    EXPECT_EQ(done_, 1);
    ASSERT_EQ(failures_.size(), 2U);
    EXPECT_EQ(failures_[0], "bad Reset");
    EXPECT_TRUE(failures_[1].starts_with("worse ") && failures_[1].ends_with(" bug")) << failures_[1];
    EXPECT_EQ(spawner_->running(), 0U);
}

TEST_F(SpawnerTest, NothingBeginsWithinStart) {
    spawner_->start("bad", fail_at_once());
    EXPECT_TRUE(failures_.empty());
    EXPECT_EQ(spawner_->running(), 1U);
}

TEST_F(SpawnerTest, ATaskMayStartAnotherAndCancelItself) {
    spawner_->start("first", start_another());
    own_ = spawner_->start("own", cancel_itself());
    loop_.run_for(5s);
    EXPECT_EQ(done_, 1) << "the other one alone";
    EXPECT_EQ(spawner_->running(), 0U);
}

TEST_F(SpawnerTest, ACancelledTaskIsDroppedAlsoBeforeItBegan) {
    spawner_->cancel(spawner_->start("never", wait_then_count()));
    spawner_->cancel(12345);
    loop_.run_for(5s);
    EXPECT_EQ(done_, 0);
    EXPECT_EQ(spawner_->running(), 0U);
    EXPECT_TRUE(failures_.empty()) << "dropping is no failure";
}

TEST_F(SpawnerTest, WhatWasPostedDiesWithIt) {
    spawner_->post([this] { ++done_; });
    spawner_->start("late", wait_then_count());
    spawner_.reset();
    loop_.run_for(5s);
    EXPECT_EQ(done_, 0);
}

TEST_F(SpawnerTest, ALocalOfADroppedTaskMayCallBackIntoIt) {
    const auto odd = spawner_->start("odd", start_another_when_dropped());
    loop_.run_for(1ms);
    spawner_->cancel(odd);
    loop_.run_for(5s);
    EXPECT_EQ(done_, 1) << "started from within the destructor";
}

}  // namespace
}  // namespace atl
