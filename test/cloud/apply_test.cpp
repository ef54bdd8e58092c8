#include "cloud/apply.h"

#include <gtest/gtest.h>

#include "cloud/diff.h"
#include "test/fakes/memory_driver.h"
#include "test/sim/sim_loop.h"

namespace atl::cloud {
namespace {

using namespace std::chrono_literals;

const Owner kOwner{"i", "o", "Cluster", "default", "c"};

/// Counts calls of apply, and answers with the errors given by graph name.
class ScriptedDriver final : public Driver {
public:
    explicit ScriptedDriver(Clock& clock) : clock_(clock) {}
    std::span<const Kind> kinds() const override { return {}; }
    Task<World> observe(Owner, Instant) override { co_return World{}; }
    Task<std::vector<Accepted>> apply(Batch batch, Instant) override {
        calls.push_back(batch);
        co_await sleep_for(clock_, 1s);
        std::vector<Accepted> results;
        for (const Step& step : batch.steps) {
            const auto error = errors.find(step.key.name);
            if (step.key.name == existing) {
                results.push_back({"id", std::nullopt, true});
                continue;
            }
            results.push_back({"", error == errors.end() ? std::optional<Error>() : error->second});
        }
        co_return results;
    }
    std::map<std::string, Error> errors;
    std::string existing;  ///< is there already
    std::vector<Batch> calls;

private:
    Clock& clock_;
};

Step step(Op op, const std::string& name, Properties properties = Properties::object()) {
    Step made;
    made.op = op;
    made.key = {"thing", name};
    made.desired = Resource{made.key, std::move(properties), {}, {}, {}, {}};
    made.reasons = {"does not exist"};
    return made;
}

TEST(Apply, MakesOneBatchOfEqualStepsAndRunsBatchesAtOnce) {
    sim::SimLoop loop;
    ScriptedDriver driver(loop);
    const Plan plan{{step(Op::Create, "a"), step(Op::Create, "b", {{"size", 2}}), step(Op::Create, "c")}};
    const Instant start = loop.now();
    EXPECT_TRUE(sim::run(loop, apply_all(plan, driver, kOwner, loop.now() + 10s)).ok());
    EXPECT_EQ(loop.now() - start, 1s);
    ASSERT_EQ(driver.calls.size(), 2U);
    EXPECT_EQ(driver.calls[0].steps.size(), 2U);
}

TEST(Apply, LeavesOutWhatMustWaitAndSendsAReplaceAsADelete) {
    sim::SimLoop loop;
    ScriptedDriver driver(loop);
    Plan plan{{step(Op::Replace, "a"), step(Op::Create, "b"), step(Op::Wait, "c")}};
    plan.steps[1].needs = {{"thing", "a"}};
    EXPECT_TRUE(sim::run(loop, apply_all(plan, driver, kOwner, loop.now() + 10s)).ok());
    ASSERT_EQ(driver.calls.size(), 1U);
    EXPECT_EQ(driver.calls[0].steps[0].op, Op::Delete);
}

TEST(Apply, WhatACreateFindsThoughNoListShowedItIsWaitedFor) {
    sim::SimLoop loop;
    ScriptedDriver driver(loop);
    driver.existing = "a";
    const Plan plan{{step(Op::Create, "a")}};
    const auto result = sim::run(loop, apply_all(plan, driver, kOwner, loop.now() + 10s));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().error_class(), ErrorClass::NotYetVisible);
    EXPECT_EQ(result.error().message(), "creating thing \"a\": it is there already, but the lists do not show it");
}

TEST(Apply, GivesTheWorstErrorWithTheSmallestDelay) {
    sim::SimLoop loop;
    ScriptedDriver driver(loop);
    driver.errors.emplace("a", transient("Reset", "reset").with_retry_after(2s));
    driver.errors.emplace("b", Error(ErrorClass::Quota, "Quota", "too many").with_retry_after(900s));
    const Plan plan{{step(Op::Create, "a"), step(Op::Create, "b", {{"x", 1}}), step(Op::Create, "c", {{"x", 2}})}};
    const auto result = sim::run(loop, apply_all(plan, driver, kOwner, loop.now() + 10s));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "Quota");
    EXPECT_EQ(result.error().retry_after(), 2s);
    EXPECT_EQ(result.error().message(), "creating thing \"b\": too many");
    EXPECT_EQ(driver.calls.size(), 3U) << "every batch is tried";
}

TEST(Apply, IsFinishedOnlyWhenEverythingIsReady) {
    Desired desired;
    desired.add(Resource{{"thing", "a"}, {}, {}, {}, {}, {}});
    EXPECT_TRUE(finished({}, nothing(), {}).ok());
    const auto waiting = finished(diff(desired, {}, {}), desired, {});
    ASSERT_FALSE(waiting.ok());
    EXPECT_TRUE(waiting.error().is_waiting());
    EXPECT_EQ(waiting.error().message(), "thing \"a\" (create)");
}

TEST(Apply, NamesAFewAndCountsTheRest) {
    Plan plan;
    for (int i = 0; i < 5; ++i) plan.steps.push_back(step(Op::Create, std::to_string(i)));
    EXPECT_EQ(finished(plan, nothing(), {}).error().message(),
              "thing \"0\" (create), thing \"1\" (create), thing \"2\" (create) and 2 more");
}

}  // namespace
}  // namespace atl::cloud
