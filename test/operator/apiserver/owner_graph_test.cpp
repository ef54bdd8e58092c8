#include "operator/apiserver/owner_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace atl::apiserver {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

json object(const std::string& uid, const std::vector<std::string>& owners = {}) {
    json made = {{"metadata", {{"uid", uid}}}};
    for (const std::string& owner : owners)
        made["metadata"]["ownerReferences"].push_back(
            {{"uid", owner}, {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", owner}});
    return made;
}

Key key(const std::string& name) {
    return {"configmaps", "default", name};
}

std::vector<std::string> dependents(const OwnerGraph& graph, const std::string& uid) {
    std::vector<std::string> uids;
    for (const OwnedObject* dependent : graph.dependents_of(uid)) uids.push_back(dependent->uid);
    return uids;
}

TEST(OwnerGraph, DependentsAreFoundInWhateverOrderTheyCame) {
    OwnerGraph graph;
    graph.put(key("b"), object("b", {"a"}));
    graph.put(key("c"), object("c", {"a", "b"}));
    graph.put(key("a"), object("a"));
    EXPECT_THAT(dependents(graph, "a"), ElementsAre("b", "c"));
    EXPECT_THAT(dependents(graph, "b"), ElementsAre("c"));
    EXPECT_THAT(dependents(graph, "nobody"), IsEmpty());
}

TEST(OwnerGraph, AnOwnerThatIsGivenUpForgetsItsDependent) {
    OwnerGraph graph;
    graph.put(key("b"), object("b", {"a"}));
    graph.put(key("b"), object("b"));
    EXPECT_THAT(dependents(graph, "a"), IsEmpty());
    graph.put(key("b"), object("b", {"a"}));
    graph.erase("b");
    EXPECT_THAT(dependents(graph, "a"), IsEmpty());
    EXPECT_EQ(graph.find("b"), nullptr);
}

TEST(OwnerGraph, TheEndOfAnOwnerTouchesItsDependentsOnce) {
    OwnerGraph graph;
    graph.put(key("a"), object("a"));
    graph.put(key("b"), object("b", {"a"}));
    graph.take_touched();
    graph.erase("a");
    EXPECT_THAT(graph.take_touched(), ::testing::Contains("b"));
    EXPECT_THAT(graph.take_touched(), IsEmpty());
}

TEST(OwnerGraph, OwnersInACircleAndOfThemselvesAreJustKept) {
    OwnerGraph graph;
    graph.put(key("a"), object("a", {"b"}));
    graph.put(key("b"), object("b", {"a"}));
    graph.put(key("c"), object("c", {"c"}));
    EXPECT_THAT(dependents(graph, "a"), ElementsAre("b"));
    EXPECT_THAT(dependents(graph, "c"), ElementsAre("c"));
    graph.erase("c");
    EXPECT_THAT(dependents(graph, "c"), IsEmpty());
}

TEST(OwnerGraph, MetadataOfAnyShapeIsSurvived) {
    OwnerGraph graph;
    for (const char* text : {"{}", "[]", "null", R"({"metadata": 5})", R"({"metadata": {"uid": 5}})",
                             R"({"metadata": {"uid": "x", "ownerReferences": "y"}})",
                             R"({"metadata": {"uid": "x", "ownerReferences": [5, {"uid": 6}, null]}})",
                             R"({"metadata": {"uid": "x", "finalizers": [1], "deletionTimestamp": 5}})"})
        EXPECT_NO_THROW(graph.put(key("x"), json::parse(text))) << text;
}

}  // namespace
}  // namespace atl::apiserver
