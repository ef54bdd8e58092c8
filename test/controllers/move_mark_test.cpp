#include "controllers/move_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controllers/types.h"

namespace atl::controllers {
namespace {

using nlohmann::json;
using testing::HasSubstr;

kube::Object stack(const std::string& uid, const json& annotations, const json& more = json::object()) {
    json object{{"kind", "Stack"}, {"spec", {{"clusterRef", {{"name", "local"}}}}}};
    object["metadata"] = {{"name", "shop"}, {"namespace", "default"}, {"uid", uid}, {"annotations", annotations}};
    object["metadata"].update(more);
    object["status"] = {{"servicesReady", "1/1"}};
    return kube::Object::from_json(object).value();
}

std::string refusal(const MoveItem& item) {
    const auto result = may_move(item);
    return result.ok() ? "" : result.error().message();
}

TEST(MoveMark, IsReadAsItIsWrittenAndAForeignOneIsNone) {
    for (const auto state : {MoveMark::State::Leaving, MoveMark::State::Left, MoveMark::State::Arriving}) {
        const MoveMark mark{state, "1-2"};
        EXPECT_EQ(move_mark_of(stack("a", {{marks::kMove, mark.to_string()}})), mark);
    }
    for (const char* text : {"", "left", "gone/1", "/"})
        EXPECT_EQ(move_mark_of(stack("a", {{marks::kMove, text}})), MoveMark()) << text;
}

TEST(MoveMark, ACopyHasNoStatusNoServersFieldsAndNoForeignFinalizers) {
    const kube::Object object = stack("a", {{marks::kOwnerId, "u.s"}, {marks::kMove, "leaving/1"}},
                                      {{"finalizers", {"atoll.dev/stack", "example.com/theirs"}},
                                       {"resourceVersion", "7"},
                                       {"ownerReferences",
                                        {{{"kind", "X"}, {"uid", "old"}, {"name", "x"}, {"apiVersion", "v1"}},
                                         {{"kind", "Y"}, {"uid", "stays"}, {"name", "y"}, {"apiVersion", "v1"}}}}});
    const json copy = copy_of(types::kStack, object, {{"old", "new"}}, {MoveMark::State::Arriving, "1"});
    EXPECT_FALSE(copy.contains("status"));
    EXPECT_EQ(copy["metadata"]["finalizers"], json({"atoll.dev/stack"}));
    EXPECT_EQ(copy["metadata"]["annotations"], json({{marks::kOwnerId, "u.s"}, {marks::kMove, "arriving/1"}}));
    ASSERT_EQ(copy["metadata"]["ownerReferences"].size(), 1U);
    EXPECT_EQ(copy["metadata"]["ownerReferences"][0]["uid"], "new");
    for (const char* member : {"uid", "resourceVersion", "generation", "creationTimestamp"})
        EXPECT_FALSE(copy["metadata"].contains(member)) << member;
}

TEST(MoveMark, WhatCannotBeMovedIsSaidWithItsName) {
    const json ours{{marks::kOwnerId, "u.s"}};
    const json copy{{marks::kOwnerId, "u.s"}, {marks::kMove, "arriving/1"}};
    const json left{{marks::kOwnerId, "u.s"}, {marks::kMove, "left/1"}};
    const json deleted{{"deletionTimestamp", "2026-01-01T00:00:00Z"}};
    const kube::ResourceType type = types::kStack;
    EXPECT_EQ(refusal({type, stack("a", ours), std::nullopt}), "");
    EXPECT_EQ(refusal({type, stack("a", ours), stack("b", copy)}), "");
    EXPECT_EQ(refusal({type, stack("a", left), stack("b", ours)}), "");
    EXPECT_THAT(refusal({type, stack("a", ours, deleted), std::nullopt}),
                HasSubstr("Stack default/shop is being deleted"));
    EXPECT_THAT(refusal({type, stack("a", ours), stack("a", ours)}), HasSubstr("lead to one API server"));
    EXPECT_THAT(refusal({type, stack("a", ours), stack("b", ours)}), HasSubstr("both would work on the same things"));
    EXPECT_THAT(refusal({type, stack("a", ours), stack("b", {{marks::kOwnerId, "v.t"}})}),
                HasSubstr("another identity"));
    EXPECT_THAT(refusal({type, stack("a", ours), stack("b", left)}), HasSubstr("the other direction"));
    EXPECT_THAT(refusal({type, stack("a", left), std::nullopt}), HasSubstr("the target does not have it"));
    EXPECT_THAT(refusal({type, stack("a", copy), std::nullopt}), HasSubstr("unfinished copy"));
}

TEST(MoveMark, OnlyTheConditionThatTellsThisMarkCounts) {
    auto paused = [](const std::string& message) {
        json object{{"metadata", {{"name", "shop"}, {"namespace", "default"}, {"uid", "a"}}}};
        object["status"]["conditions"] = {{{"type", "Paused"},
                                           {"status", "True"},
                                           {"reason", "Moving"},
                                           {"message", message},
                                           {"lastTransitionTime", "2026-01-01T00:00:00Z"}}};
        return kube::Object::from_json(object).value();
    };
    const MoveMark mark{MoveMark::State::Leaving, "1"};
    EXPECT_TRUE(
        is_seen_paused(paused("annotation \"atoll.dev/move=leaving/1\": nothing is looked at or changed"), mark));
    EXPECT_FALSE(
        is_seen_paused(paused("annotation \"atoll.dev/move=leaving/12\": nothing is looked at or changed"), mark));
    EXPECT_FALSE(is_seen_paused(paused("spec.paused is true: nothing is looked at or changed"), mark));
}

TEST(MoveMark, AFieldThatTheTargetDoesNotKeepIsNamed) {
    const json sent{{"a", {{{"b", 1}, {"c", 2}}}}};
    EXPECT_EQ(lost_field(sent, {{"a", {{{"b", 1}, {"c", 2}, {"d", 3}}}}}, "spec"), std::nullopt);
    EXPECT_EQ(lost_field(sent, {{"a", {{{"b", 1}}}}}, "spec"), "spec.a[0].c");
}

}  // namespace
}  // namespace atl::controllers
