#include "operator/kube/children.h"

#include <gtest/gtest.h>

#include "operator/kube/finalizers.h"
#include "test/operator/kube/machinery.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

struct ChildrenTest : testing::Test {
    Given given{4};
    Process process{given};
    Children children{*process.client, process.caches, "atoll-widget"};
    std::unique_ptr<Pass> owner;

    ChildrenTest() {
        process.caches.of(kGadgets);
        const Object object = Object::from_json(given.api.put(kWidgets, widget("shop", "owner"))).value();
        owner = std::make_unique<Pass>(kWidgets, object, Pass::Moment{WallTime(), Instant::max()}, Log::none());
        given.loop.run_for(1s);
    }
    static json gadget(int size) { return {{"metadata", {{"name", "g"}}}, {"spec", {{"size", size}}}}; }
    Result<Object> apply(int size) {
        auto result = sim::run(given.loop, children.apply(*owner, kGadgets, gadget(size)));
        given.loop.run_for(1s);
        return result;
    }
};

TEST_F(ChildrenTest, MakesAChildWithItsOwner) {
    ASSERT_TRUE(apply(1).ok());
    const json child = *given.api.get(kGadgets, ObjectKey("shop", "g"));
    EXPECT_EQ(child["metadata"]["ownerReferences"][0]["uid"], owner->object().meta().uid);
    EXPECT_EQ(child["metadata"]["ownerReferences"][0]["controller"], true);
    EXPECT_EQ(child["kind"], "Gadget");
    EXPECT_EQ(children.of(*owner, kGadgets).size(), 1U);
    ASSERT_EQ(owner->written().size(), 1U);
    EXPECT_EQ(owner->written()[0].key, ObjectKey("shop", "g"));
}

TEST_F(ChildrenTest, AnEqualApplyCostsNothingUntilSomeoneChangesTheChild) {
    ASSERT_TRUE(apply(1).ok());
    const std::size_t requests = given.api.count("PATCH");
    ASSERT_TRUE(apply(1).ok());
    EXPECT_EQ(given.api.count("PATCH"), requests);
    json child = *given.api.get(kGadgets, ObjectKey("shop", "g"));
    child["spec"]["size"] = 7;
    given.api.put(kGadgets, child);
    given.loop.run_for(1s);
    ASSERT_TRUE(apply(1).ok());
    EXPECT_EQ(given.api.get(kGadgets, ObjectKey("shop", "g")).value()["spec"]["size"], 1);
    ASSERT_TRUE(apply(2).ok());
    EXPECT_EQ(given.api.get(kGadgets, ObjectKey("shop", "g")).value()["spec"]["size"], 2);
}

TEST_F(ChildrenTest, AStrangersObjectIsNeverTakenOver) {
    json stranger = gadget(5);
    stranger["metadata"]["namespace"] = "shop";
    given.api.put(kGadgets, stranger);
    // Whether the cache shows it already or not.
    for (int i = 0; i < 2; ++i) {
        const auto result = apply(1);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().reason(), "NameTaken");
        EXPECT_NE(result.error().message().find("shop/g"), std::string::npos);
    }
    EXPECT_EQ(sim::run(given.loop, children.remove(*owner, kGadgets, "g")).error().reason(), "NameTaken");
    EXPECT_EQ(given.api.get(kGadgets, ObjectKey("shop", "g")).value()["spec"]["size"], 5);
}

TEST_F(ChildrenTest, AChildThatIsBeingDeletedIsWaitedFor) {
    ASSERT_TRUE(apply(1).ok());
    json child = *given.api.get(kGadgets, ObjectKey("shop", "g"));
    child["metadata"]["finalizers"] = {"x"};
    given.api.put(kGadgets, child);
    given.loop.run_for(1s);
    EXPECT_EQ(sim::run(given.loop, children.remove(*owner, kGadgets, "g")).value(), false);
    given.loop.run_for(1s);
    const auto result = apply(2);
    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(result.error().is_waiting());
}

TEST_F(ChildrenTest, RemovalOfNothingIsDone) {
    EXPECT_EQ(sim::run(given.loop, children.remove(*owner, kGadgets, "none")).value(), true);
    ASSERT_TRUE(apply(1).ok());
    EXPECT_EQ(sim::run(given.loop, children.remove(*owner, kGadgets, "g")).value(), true);
}

TEST_F(ChildrenTest, AChildWithoutANameIsRefused) {
    EXPECT_EQ(sim::run(given.loop, children.apply(*owner, kGadgets, json::object())).error().reason(), "NoName");
}

}  // namespace
}  // namespace atl::kube
