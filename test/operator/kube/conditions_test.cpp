#include "operator/kube/conditions.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/base/time.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const WallTime kNow = *parse_rfc3339("2026-01-02T03:04:05Z");

TEST(Conditions, TransitionTimeChangesOnlyWithTheStatus) {
    Conditions first(json::array(), 1, kNow);
    first.set("Ready", ConditionStatus::False, "Starting", "wait");
    Conditions second(first.to_json(), 2, kNow + 1h);
    second.set("Ready", ConditionStatus::False, "StillStarting", "wait more");
    EXPECT_EQ(second.find("Ready")->last_transition_time, "2026-01-02T03:04:05Z");
    EXPECT_EQ(second.find("Ready")->observed_generation, 2);
    EXPECT_EQ(second.find("Ready")->reason, "StillStarting");
    second.set("Ready", ConditionStatus::True, "Ready", "");
    EXPECT_EQ(second.find("Ready")->last_transition_time, "2026-01-02T04:04:05Z");
}

TEST(Conditions, KeepAStableOrder) {
    Conditions conditions(json::array(), 1, kNow);
    for (const char* type : {"Paused", "Deleting", "Zeta", "Alpha", "Stalled", "Reconciling", "Ready"}) {
        conditions.set(type, ConditionStatus::True, "R", "");
    }
    std::string order;
    for (const Condition& condition : conditions.all()) order += condition.type + " ";
    EXPECT_EQ(order, "Ready Reconciling Stalled Alpha Zeta Deleting Paused ");
}

TEST(Conditions, DropWhatIsNoConditionAndDuplicates) {
    const json odd = json::array({1,
                                  json::object(),
                                  {{"type", "A"}, {"status", "Maybe"}},
                                  {{"type", 3}, {"status", "True"}},
                                  {{"type", "Ready"}, {"status", "True"}, {"observedGeneration", "x"}},
                                  {{"type", "Ready"}, {"status", "False"}}});
    EXPECT_EQ(Conditions(odd, 1, kNow).all().size(), 1U);
    EXPECT_TRUE(Conditions(json("text"), 1, kNow).all().empty());
}

TEST(Conditions, HoldTheLimitsOfTheApi) {
    Conditions conditions(json::array(), 1, kNow);
    conditions.set("Ready", ConditionStatus::False, "9 bad-reason!,", std::string(40000, 'x'));
    EXPECT_EQ(conditions.find("Ready")->reason, "badreason");
    EXPECT_EQ(conditions.find("Ready")->message.size(), 32768U);
    conditions.set("Ready", ConditionStatus::False, "", std::string(32767, 'x') + "é");
    EXPECT_EQ(conditions.find("Ready")->reason, "Unknown");
    EXPECT_EQ(conditions.find("Ready")->message.size(), 32767U) << "no half characters";
}

TEST(Conditions, KnowWhatWasTouched) {
    Conditions conditions(json::array({{{"type", "Ready"}, {"status", "True"}}}), 1, kNow);
    EXPECT_FALSE(conditions.touched("Ready"));
    conditions.remove("Ready");
    EXPECT_TRUE(conditions.touched("Ready"));
    EXPECT_EQ(conditions.find("Ready"), nullptr);
    EXPECT_FALSE(conditions.is_true("Ready"));
}

TEST(Aggregate, IssuesBeatUnknownBeatsTrue) {
    const Condition none = aggregate("MachinesReady", {}, "AllReady");
    EXPECT_EQ(none.status, ConditionStatus::True);
    EXPECT_EQ(none.reason, "AllReady");
    std::vector<Member> members{{"a", ConditionStatus::True, "Ready", ""},
                                {"b", ConditionStatus::Unknown, "Lost", "no answer"}};
    EXPECT_EQ(aggregate("X", members, "R").status, ConditionStatus::Unknown);
    members.push_back({"c", ConditionStatus::False, "Down", "it is down"});
    const Condition down = aggregate("X", members, "R");
    EXPECT_EQ(down.status, ConditionStatus::False);
    EXPECT_EQ(down.reason, "Down");
    EXPECT_EQ(down.message, "c: it is down");
}

TEST(Aggregate, NamesAtMostThreeObjectsInEachOfAtMostThreeMessages) {
    std::vector<Member> members;
    for (int i = 0; i < 7; ++i) members.push_back({"m" + std::to_string(i), ConditionStatus::False, "Down", "same"});
    EXPECT_EQ(aggregate("X", members, "R").message, "m0, m1, m2 and 4 more: same");
    for (int i = 0; i < 4; ++i) members.push_back({"n", ConditionStatus::False, "Other", "d" + std::to_string(i)});
    const std::string message = aggregate("X", members, "R").message;
    EXPECT_EQ(message, "m0, m1, m2 and 4 more: same; n: d0; n: d1; and more");
}

}  // namespace
}  // namespace atl::kube
