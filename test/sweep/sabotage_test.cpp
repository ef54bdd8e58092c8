#include "test/sweep/sabotage.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace atl::sweep {
namespace {

const Script& script_named(const std::vector<Script>& all, const std::string& name) {
    return *std::ranges::find(all, name, &Script::name);
}

/// Whether the oracle finds anything wrong with the bug planted, with or without crashes.
bool is_caught(const Sabotage& sabotage) {
    const auto all = scripts();
    const Script& script = script_named(all, sabotage.script);
    const sweep::Run reference = run(script, 1, std::nullopt);
    EXPECT_TRUE(reference.violations.empty()) << *reference.violations.begin();
    if (!run(script, 1, std::nullopt, &reference.picture, sabotage.make()).violations.empty()) return true;
    if (!sabotage.needs_a_crash) return false;
    std::vector<Strike> strikes;
    for (std::uint64_t call = 0; call < reference.calls; ++call) strikes.push_back({call, sim::Point::EffectDone});
    bool caught = false;
    const auto each = [&caught](const Strike&, const sweep::Run& struck) {
        caught = !struck.violations.empty();
        return !caught;
    };
    run_each(script, 1, strikes, each, &reference.picture, sabotage.make());
    return caught;
}

class PlantedBug : public testing::TestWithParam<std::size_t> {};

TEST_P(PlantedBug, IsCaught) {
    const Sabotage sabotage = sabotages()[GetParam()];
    EXPECT_TRUE(is_caught(sabotage)) << "the sweep does not see: " << sabotage.name;
}

INSTANTIATE_TEST_SUITE_P(Sweep, PlantedBug, testing::Range<std::size_t>(0, sabotages().size()),
                         [](const auto& parameter) { return std::to_string(parameter.param); });

TEST(Sweep, PlantsAtLeastTwentyBugs) {
    EXPECT_GE(sabotages().size(), 20U);
}

TEST(Sweep, IsTheSameAgainFromItsSeed) {
    const auto all = scripts();
    for (const std::uint64_t seed : {1U, 2U}) {
        const sweep::Run first = run(all[0], seed, Strike{5, sim::Point::EffectDone});
        const sweep::Run second = run(all[0], seed, Strike{5, sim::Point::EffectDone});
        EXPECT_EQ(first.trace, second.trace) << "seed " << seed;
    }
}

TEST(Sweep, ABranchEndsAsARunOfItsOwnDoes) {
    const auto all = scripts();
    const std::vector<Strike> strikes{{3, sim::Point::Received}, {5, sim::Point::EffectDone}};
    std::vector<std::uint64_t> traces;
    const auto each = [&traces](const Strike&, const sweep::Run& struck) {
        traces.push_back(struck.trace);
        return true;
    };
    run_each(all[0], 1, strikes, each);
    const std::vector<std::uint64_t> alone{run(all[0], 1, strikes[0]).trace, run(all[0], 1, strikes[1]).trace};
    EXPECT_EQ(traces, alone);
}

}  // namespace
}  // namespace atl::sweep
