#include "cloud/model.h"

#include <gtest/gtest.h>

namespace atl::cloud {
namespace {

Resource named(const std::string& name, Properties properties = Properties::object()) {
    Resource resource;
    resource.key = {"thing", name};
    resource.properties = std::move(properties);
    return resource;
}

Properties reference_to(const std::string& name) {
    return make_reference({{"thing", name}, "id"});
}

World world_with(const std::string& name, State state) {
    World world;
    Observed observed;
    observed.key = {"thing", name};
    observed.id = "id-1";
    observed.state = state;
    observed.outputs["id"] = "id-1";
    world.resources.push_back(observed);
    return world;
}

TEST(Model, FindsReferencesAtAnyDepth) {
    const Properties properties = {{"a", {{"b", {reference_to("x"), 1}}}}, {"c", reference_to("y")}};
    const auto references = references_of(properties);
    ASSERT_EQ(references.size(), 2U);
    EXPECT_EQ(references[0].to.name, "x");
    EXPECT_EQ(references[1].to.name, "y");
    EXPECT_EQ(references[1].output, "id");
}

TEST(Model, TakesOddShapesForPlainValues) {
    for (const char* text :
         {R"({"$ref": 1})", R"({"$ref": {"kind": 1, "name": "a", "output": "id"}})", R"({"$ref": {"kind": "a"}})",
          R"({"$ref": {"kind":"a","name":"b","output":"c"}, "x": 1})", "null", "[]", "\"$ref\""}) {
        EXPECT_TRUE(references_of(Properties::parse(text)).empty()) << text;
    }
}

TEST(Model, ResolvesOnlyWhatIsReady) {
    const Properties properties = {{"net", {reference_to("x")}}};
    EXPECT_EQ(resolve(properties, world_with("x", State::Ready))["net"][0], "id-1");
    EXPECT_EQ(resolve(properties, world_with("x", State::Pending)), properties);
    EXPECT_EQ(resolve(properties, World{}), properties);
}

TEST(Model, OfDuplicatesFindsTheSmallestIdThatStays) {
    World world = world_with("x", State::Deleting);
    Observed second = world.resources[0];
    second.id = "id-3";
    second.state = State::Ready;
    Observed third = second;
    third.id = "id-2";
    world.resources.push_back(second);
    world.resources.push_back(third);
    EXPECT_EQ(world.find({"thing", "x"})->id, "id-2");
    EXPECT_EQ(world.find({"thing", "y"}), nullptr);
}

TEST(Model, RefusesACircleAndNamesIt) {
    Desired desired;
    desired.add(named("a", {{"to", reference_to("b")}}));
    desired.add(named("b", {{"to", reference_to("a")}}));
    desired.add(named("c"));
    const auto result = check_acyclic(desired);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "CyclicReference");
    EXPECT_NE(result.error().message().find("thing \"a\", thing \"b\""), std::string::npos) << result.error().message();
    desired.add(named("b"));
    EXPECT_TRUE(check_acyclic(desired).ok());
}

Plan plan_of(Op op, const std::string& image) {
    Step step;
    step.op = op;
    step.key = {"thing", "a"};
    step.desired = named("a", {{"image", image}});
    step.reasons = {"properties.image"};
    return Plan{{step}};
}

TEST(Model, TheHashOfAPlanCoversWhatItDoes) {
    const std::string hash = plan_of(Op::Update, "a:1").hash();
    EXPECT_EQ(hash, plan_of(Op::Update, "a:1").hash());
    EXPECT_NE(hash, plan_of(Op::Replace, "a:1").hash());
    EXPECT_NE(hash, plan_of(Op::Update, "a:2").hash());
    EXPECT_EQ(plan_of(Op::Update, "\xff\xfe").hash().size(), 16U) << "text that is not UTF-8 must not throw";
}

TEST(Model, TheHashOfAPlanDoesNotDependOnContent) {
    Plan plan = plan_of(Op::Create, "a:1");
    const std::string hash = plan.hash();
    plan.steps[0].desired->content = "hunter2";
    EXPECT_EQ(plan.hash(), hash);
    plan.steps[0].desired->content_hash = "1234";
    EXPECT_NE(plan.hash(), hash);
}

TEST(Model, CountsStepsByOp) {
    Plan plan = plan_of(Op::Create, "a");
    plan.steps.push_back(plan.steps[0]);
    EXPECT_EQ(plan.counts()[Op::Create], 2);
    EXPECT_EQ(plan.counts()[Op::Delete], 0);
}

}  // namespace
}  // namespace atl::cloud
