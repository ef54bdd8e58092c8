#include "cloud/diff.h"

#include <gtest/gtest.h>

#include "cloud/apply.h"
#include "operator/base/random.h"
#include "test/fakes/memory_driver.h"
#include "test/sim/sim_loop.h"

namespace atl::cloud {
namespace {

using namespace std::chrono_literals;

constexpr Field kFields[] = {
    {"size", OnChange::Update}, {"zone", OnChange::Replace}, {"seen", OnChange::Ignore}, {"uses", OnChange::Replace}};
const std::vector<Kind> kKinds = {{"thing", kFields, true, false}, {"machine", kFields, true, true}};

Resource thing(const std::string& name, Properties properties = Properties::object(),
               const std::vector<std::string>& uses = {}) {
    Resource resource;
    resource.key = {"thing", name};
    resource.properties = std::move(properties);
    if (!uses.empty()) resource.properties["uses"] = Properties::array();
    for (const std::string& other : uses)
        resource.properties["uses"].push_back(make_reference({{"thing", other}, "id"}));
    return resource;
}

Observed observed(const std::string& name, const std::string& id, State state = State::Ready) {
    Observed found;
    found.key = {"thing", name};
    found.id = id;
    found.state = state;
    found.outputs["id"] = id;
    return found;
}

Desired desire(const std::vector<Resource>& resources) {
    Desired desired;
    for (const Resource& resource : resources) desired.add(resource);
    return desired;
}

std::string text_of(const Plan& plan) {
    std::string text;
    for (const Step& step : plan.steps) {
        text += (text.empty() ? "" : "; ") + std::string(to_string(step.op)) + " " + step.key.name;
        for (const ResourceKey& need : step.needs) text += " <" + need.name;
    }
    return text;
}

TEST(Diff, CreatesWhatIsReferredToFirst) {
    const Plan plan = diff(desire({thing("a", {}, {"b"}), thing("b", {}, {"c"}), thing("c")}), {}, kKinds);
    EXPECT_EQ(text_of(plan), "create c; create b <c; create a <b");
}

TEST(Diff, DeletesUsersBeforeWhatTheyUse) {
    World world{{observed("a", "1"), observed("b", "2"), observed("c", "3")}};
    world.resources[0].uses = {"2"};
    world.resources[1].uses = {"3"};
    EXPECT_EQ(text_of(diff(nothing(), world, kKinds)), "delete a; delete b <a; delete c <b");
}

TEST(Diff, UpdatesInPlaceAndNamesThePath) {
    World world{{observed("a", "1")}};
    world.resources[0].properties = {{"size", {{"cpu", 1}, {"memory", 5}}}, {"other", 3}};
    const Plan plan = diff(desire({thing("a", {{"size", {{"cpu", 2}, {"memory", 5}}}})}), world, kKinds);
    EXPECT_EQ(text_of(plan), "update a");
    EXPECT_EQ(plan.steps[0].reasons, std::vector<std::string>{"properties.size.cpu"});
}

TEST(Diff, ReplacesWhereAFieldCannotChange) {
    World world{{observed("a", "1")}};
    world.resources[0].properties = {{"size", 1}, {"zone", "x"}};
    const Plan plan = diff(desire({thing("a", {{"size", 2}, {"zone", "y"}})}), world, kKinds);
    EXPECT_EQ(text_of(plan), "replace a");
    EXPECT_TRUE(plan.steps[0].disruptive);
}

TEST(Diff, IgnoresWhatIsNotDesiredOrNotCompared) {
    World world{{observed("a", "1")}};
    world.resources[0].properties = {{"seen", 1}, {"theirs", 2}};
    EXPECT_TRUE(diff(desire({thing("a", {{"seen", 5}})}), world, kKinds).empty());
}

TEST(Diff, ReplacesThoseThatHoldOnToWhatIsReplaced) {
    World world{{observed("a", "1"), observed("b", "2")}};
    world.resources[0].properties = {{"uses", {"2"}}};
    world.resources[0].uses = {"2"};
    world.resources[1].properties = {{"zone", "x"}};
    const Plan plan = diff(desire({thing("a", {}, {"b"}), thing("b", {{"zone", "y"}})}), world, kKinds);
    EXPECT_EQ(text_of(plan), "replace b <a; replace a")
        << "the user's removal must be able to run, or both wait for ever";
}

TEST(Diff, DoesNotWaitForAReplacementThatWaitsForIt) {
    // c moves from a to b, b is new and needs a, and a, which c still uses, is replaced.
    World world{{observed("a", "1"), observed("c", "3")}};
    world.resources[0].properties = {{"zone", "x"}};
    world.resources[1].uses = {"1"};
    const Plan plan =
        diff(desire({thing("a", {{"zone", "y"}}), thing("b", {}, {"a"}), thing("c", {}, {"b"})}), world, kKinds);
    EXPECT_EQ(text_of(plan), "replace a <c; create b <a; replace c");
}

TEST(Diff, WaitsForWhatIsDeletingBeforeItMakesItAgain) {
    const World world{{observed("a", "1", State::Deleting)}};
    EXPECT_EQ(text_of(diff(desire({thing("a")}), world, kKinds)), "wait a");
    EXPECT_EQ(text_of(diff(nothing(), world, kKinds)), "wait a");
}

TEST(Diff, DeletesTheDuplicateWithTheLargerId) {
    const World world{{observed("a", "2"), observed("a", "1")}};
    const Plan plan = diff(desire({thing("a")}), world, kKinds);
    ASSERT_EQ(text_of(plan), "delete a");
    EXPECT_EQ(plan.steps[0].observed->id, "2");
}

TEST(Diff, WhatIsListedTwiceIsOneThing) {
    const World world{{observed("a", "1"), observed("a", "1")}};
    EXPECT_TRUE(diff(desire({thing("a")}), world, kKinds).steps.empty()) << "it is not a duplicate of itself";
    EXPECT_EQ(text_of(diff({}, world, kKinds)), "delete a") << "it is deleted once";
}

TEST(Diff, WaitsForWhatIsPendingOrFailedUnlessItIsReplaceable) {
    World world{{observed("a", "1", State::Pending)}};
    EXPECT_EQ(text_of(diff(desire({thing("a"), thing("b", {}, {"a"})}), world, kKinds)), "wait a; create b <a");
    world.resources[0].state = State::Failed;
    EXPECT_EQ(text_of(diff(desire({thing("a")}), world, kKinds)), "wait a");
    world.resources[0].key.kind = "machine";
    Resource machine = thing("a");
    machine.key.kind = "machine";
    EXPECT_EQ(text_of(diff(desire({machine}), world, kKinds)), "replace a");
}

TEST(Diff, ChangesInAChainButCreatesAtOnce) {
    Resource second = thing("b", {{"size", 2}});
    second.change_after = {{"thing", "a"}};
    const Desired desired = desire({thing("a", {{"size", 2}}), second});
    EXPECT_EQ(text_of(diff(desired, {}, kKinds)), "create a; create b");
    World world{{observed("a", "1"), observed("b", "2")}};
    EXPECT_EQ(text_of(diff(desired, world, kKinds)), "update a; update b <a");
    world.resources[0].properties = {{"size", 2}};
    EXPECT_EQ(text_of(diff(desired, world, kKinds)), "update b");
}

TEST(Diff, ReplacesInAChain) {
    Resource second = thing("b", {{"zone", "y"}});
    second.change_after = {{"thing", "a"}};
    const Desired desired = desire({thing("a", {{"zone", "y"}}), second});
    const World world{{observed("a", "1"), observed("b", "2")}};
    EXPECT_EQ(text_of(diff(desired, world, kKinds)), "replace a; replace b <a");
    EXPECT_EQ(text_of(diff(desired, World{{observed("b", "2")}}, kKinds)), "create a; replace b <a");
}

TEST(Diff, LeavesForeignKindsAlone) {
    World world{{observed("a", "1")}};
    world.resources[0].key.kind = "stranger";
    EXPECT_TRUE(diff(nothing(), world, kKinds).empty());
}

TEST(Diff, ComparesTheHashOfContentAndNeverTheContent) {
    World world{{observed("a", "1")}};
    world.resources[0].content_hash = "h1";
    Resource secret = thing("a");
    secret.content = "hunter2";
    secret.content_hash = "h1";
    EXPECT_TRUE(diff(desire({secret}), world, kKinds).empty());
    secret.content_hash = "h2";
    EXPECT_EQ(diff(desire({secret}), world, kKinds).steps[0].reasons, std::vector<std::string>{"content"});
}

TEST(Diff, EndsOnACircle) {
    EXPECT_EQ(diff(desire({thing("a", {}, {"b"}), thing("b", {}, {"a"})}), {}, kKinds).steps.size(), 2U);
}

/// A random graph without circles: things refer only to those with a smaller number.
Desired random_desired(Random& random) {
    Desired desired;
    const auto count = random.below(9);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (random.below(4) == 0) continue;
        std::vector<std::string> uses;
        for (std::uint64_t j = 0; j < i; ++j) {
            const std::string other = std::string("t") + std::to_string(j);
            if (desired.resources.contains({"thing", other}) && random.below(3) == 0) uses.push_back(other);
        }
        Properties properties = {{"size", random.below(3)}, {"zone", random.below(2)}};
        properties["uses"] = Properties::array();  // the property that holds references is always there
        desired.add(thing(std::string("t") + std::to_string(i), properties, uses));
    }
    return desired;
}

/// Runs passes until nothing is left to do; the number of passes, or nullopt if it does not end.
std::optional<int> converge(sim::SimLoop& loop, fakes::MemoryDriver& driver, const Desired& desired) {
    const Owner owner{"i", "o", "Cluster", "default", "c"};
    for (int pass = 0; pass < 200; ++pass) {
        const World world = sim::run(loop, driver.observe(owner, loop.now() + 10s)).value();
        const Plan plan = diff(desired, world, driver.kinds());
        if (finished(plan, desired, world).ok()) return pass;
        const auto applied = sim::run(loop, apply_all(plan, driver, owner, loop.now() + 10s));
        EXPECT_TRUE(applied.ok()) << applied.error().message();
        if (!applied.ok()) return std::nullopt;
    }
    return std::nullopt;
}

class DiffProperties : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DiffProperties, ConvergesBetweenAnyTwoGraphsAndThenDoesNothing) {
    sim::SimLoop loop(GetParam());
    for (int round = 0; round < 40; ++round) {
        fakes::MemoryDriver driver(kKinds);
        driver.pending = static_cast<int>(loop.random().below(3));
        driver.deleting = static_cast<int>(loop.random().below(3));
        for (int change = 0; change < 3; ++change) {
            const Desired desired = random_desired(loop.random());
            ASSERT_TRUE(converge(loop, driver, desired)) << "round " << round << " change " << change;
            const std::size_t effects = driver.effects.size();
            ASSERT_EQ(converge(loop, driver, desired), 0);
            ASSERT_EQ(driver.effects.size(), effects) << "a second pass must do nothing";
            ASSERT_EQ(driver.things["o"].size(), desired.resources.size());
        }
        ASSERT_TRUE(converge(loop, driver, nothing()));
        ASSERT_TRUE(driver.things["o"].empty());
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, DiffProperties, testing::Range<std::uint64_t>(0, 20));

}  // namespace
}  // namespace atl::cloud
