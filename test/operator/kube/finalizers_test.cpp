#include "operator/kube/finalizers.h"

#include <gtest/gtest.h>

#include "test/operator/kube/machinery.h"

namespace atl::kube {
namespace {

using nlohmann::json;

struct FinalizersTest : testing::Test {
    Given given{4};
    std::unique_ptr<Client> client = given.client();
    Finalizers finalizers{*client, "example.dev/widget"};

    std::unique_ptr<Pass> pass() {
        const json stored = *given.api.get(kWidgets, ObjectKey("shop", "a"));
        return std::make_unique<Pass>(kWidgets, Object::from_json(stored).value(),
                                      Pass::Moment{WallTime(), Instant::max()}, Log::none());
    }
    json metadata() { return (*given.api.get(kWidgets, ObjectKey("shop", "a")))["metadata"]; }
};

TEST_F(FinalizersTest, ComesWithTheOwnerIdInOneWriteAndOnlyOnce) {
    given.api.put(kWidgets, widget("shop", "a"));
    auto first = pass();
    StringMap annotations;
    annotations.set("atoll.dev/owner-id", "id-1");
    const std::uint64_t writes = given.api.writes;
    ASSERT_TRUE(sim::run(given.loop, finalizers.ensure(*first, annotations)).ok());
    EXPECT_EQ(given.api.writes, writes + 1);
    EXPECT_TRUE(finalizers.is_on(first->object())) << "the pass goes on with the new state";
    EXPECT_EQ(first->object().annotation("atoll.dev/owner-id"), "id-1");
    annotations.set("atoll.dev/owner-id", "id-2");
    ASSERT_TRUE(sim::run(given.loop, finalizers.ensure(*first, annotations)).ok());
    EXPECT_EQ(given.api.writes, writes + 1);
    EXPECT_EQ(metadata()["annotations"]["atoll.dev/owner-id"], "id-1");
}

TEST_F(FinalizersTest, AStaleViewIsAConflictAndLosesNobodysFinalizer) {
    given.api.put(kWidgets, widget("shop", "a"));
    auto stale = pass();
    json other = *given.api.get(kWidgets, ObjectKey("shop", "a"));
    other["metadata"]["finalizers"] = {"others/keep"};
    given.api.put(kWidgets, other);
    const auto refused = sim::run(given.loop, finalizers.ensure(*stale));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().error_class(), ErrorClass::Conflict);
    EXPECT_EQ(metadata()["finalizers"], json({"others/keep"}));
}

TEST_F(FinalizersTest, AnObjectThatGoesGetsNone) {
    json object = widget("shop", "a");
    object["metadata"]["finalizers"] = {"others/keep"};
    given.api.put(kWidgets, object);
    given.api.erase(kWidgets, ObjectKey("shop", "a"));
    auto going = pass();
    EXPECT_EQ(sim::run(given.loop, finalizers.ensure(*going)).error().reason(), "BeingDeleted");
}

TEST_F(FinalizersTest, ReleaseOfAnObjectThatIsGoneIsDone) {
    json object = widget("shop", "a");
    object["metadata"]["finalizers"] = {"example.dev/widget"};
    given.api.put(kWidgets, object);
    given.api.erase(kWidgets, ObjectKey("shop", "a"));
    auto going = pass();
    auto again = pass();
    ASSERT_TRUE(sim::run(given.loop, finalizers.release(*going)).ok());
    EXPECT_FALSE(given.api.get(kWidgets, ObjectKey("shop", "a")));
    EXPECT_TRUE(sim::run(given.loop, finalizers.release(*again)).ok());
    EXPECT_TRUE(again->finished());
}

}  // namespace
}  // namespace atl::kube
