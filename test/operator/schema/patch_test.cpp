#include "operator/schema/patch.h"

#include <gtest/gtest.h>

namespace atl::schema {
namespace {

using Json = nlohmann::json;

Json parsed(const char* text) {
    return Json::parse(text);
}

std::string patched(const char* document, const char* patch) {
    Result<Json> result = json_patch(parsed(document), parsed(patch));
    return result ? result->dump() : result.error().reason() + ": " + result.error().message();
}

/// The table of RFC 7386, appendix A.
TEST(MergePatch, FollowsTheRfc) {
    const char* rows[][3] = {
        {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        {R"({"a":"b"})", R"({"a":null})", R"({})"},
        {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
        {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
        {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
        {R"(["a","b"])", R"(["c","d"])", R"(["c","d"])"},
        {R"({"a":"b"})", R"(["c"])", R"(["c"])"},
        {R"({"a":"foo"})", R"(null)", R"(null)"},
        {R"({"e":null})", R"({"a":1})", R"({"a":1,"e":null})"},
        {R"([1,2])", R"({"a":"b","c":null})", R"({"a":"b"})"},
        {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(merge_patch(parsed(row[0]), parsed(row[1])).dump(), parsed(row[2]).dump()) << row[1];
}

TEST(JsonPatch, RunsEachOperation) {
    EXPECT_EQ(patched(R"({"a":{"b":1}})", R"([{"op":"add","path":"/a/c","value":2}])"), R"({"a":{"b":1,"c":2}})");
    EXPECT_EQ(
        patched(R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2},{"op":"add","path":"/a/-","value":4}])"),
        R"({"a":[1,2,3,4]})");
    EXPECT_EQ(patched(R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])"), R"({"b":2})");
    EXPECT_EQ(patched(R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"}])"), R"({"a":[2]})");
    EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"replace","path":"/a","value":[2]}])"), R"({"a":[2]})");
    EXPECT_EQ(patched(R"({"a":{"x":1}})", R"([{"op":"move","from":"/a/x","path":"/b"}])"), R"({"a":{},"b":1})");
    EXPECT_EQ(patched(R"({"a":{"x":1}})", R"([{"op":"copy","from":"/a","path":"/b"}])"),
              R"({"a":{"x":1},"b":{"x":1}})");
    EXPECT_EQ(patched(R"({"a/b":{"m~n":1}})", R"([{"op":"test","path":"/a~1b/m~0n","value":1}])"),
              R"({"a/b":{"m~n":1}})");
    EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"","value":{"z":1}}])"), R"({"z":1})");
}

TEST(JsonPatch, SaysWhatIsWrong) {
    EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])"),
              "TestFailed: operation 0: testing value /a failed");
    EXPECT_EQ(patched(R"({})", R"([{"op":"remove","path":"/a"}])"),
              "PathNotFound: operation 0: path \"/a\" does not exist");
    EXPECT_EQ(patched(R"({"a":[]})", R"([{"op":"add","path":"/a/1","value":2}])"),
              "PathNotFound: operation 0: path \"/a/1\": the list has 0 items");
    EXPECT_EQ(patched(R"({})", R"([{"op":"jump","path":"/a"}])"), "InvalidPatch: operation 0: Unexpected kind: jump");
    EXPECT_EQ(patched(R"({})", R"([{"op":"add","path":"a","value":1}])"),
              "InvalidPatch: operation 0: path \"a\" does not start with /");
    EXPECT_EQ(patched(R"({})", R"({"op":"add"})"), "InvalidPatch: a JSON patch must be a list of operations");
    EXPECT_EQ(patched(R"({"a":{}})", R"([{"op":"move","from":"/a","path":"/a/b"}])"),
              "InvalidPatch: operation 0: cannot move \"/a\" into itself");
    EXPECT_EQ(patched(R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])"),
              "PathNotFound: operation 0: path \"/a/b\": what it would be added to does not exist");
}

TEST(JsonPatch, CopiesOfCopiesAreBounded) {
    Json document = {{"a", std::string(1000, 'x')}};
    Json patch = Json::array();
    for (int i = 0; i < 40; ++i) {
        patch.push_back({{"op", "copy"}, {"from", ""}, {"path", "/b" + std::to_string(i)}});
    }
    Result<Json> result = json_patch(document, patch);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().status(), 400);
}

TEST(StrategicPatch, MergesTheListsOfTheBuiltInKinds) {
    Json document =
        parsed(R"({"metadata":{"finalizers":["a"],"ownerReferences":[{"uid":"1","name":"x"},{"uid":"2","name":"y"}],
        "labels":{"a":"b"}},"data":{"k":"v"}})");
    Result<Json> result = strategic_merge_patch(document, parsed(R"({"metadata":{"finalizers":["b","a"],
        "ownerReferences":[{"uid":"1","name":"z"},{"uid":"2","$patch":"delete"},{"uid":"3","name":"w"}],"labels":{"a":null}},
        "data":{"$patch":"replace","n":"m"}})"));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->dump(), parsed(R"({"metadata":{"finalizers":["b","a"],"ownerReferences":[{"uid":"1","name":"z"},
        {"uid":"3","name":"w"}],"labels":{}},"data":{"n":"m"}})")
                                  .dump());
}

TEST(StrategicPatch, FollowsDirectivesOnLists) {
    Json document = parsed(R"({"metadata":{"finalizers":["a","b","c"]}})");
    Result<Json> removed =
        strategic_merge_patch(document, parsed(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["b"]}})"));
    EXPECT_EQ(removed->dump(), R"({"metadata":{"finalizers":["a","c"]}})");
    Result<Json> ordered =
        strategic_merge_patch(document, parsed(R"({"metadata":{"$setElementOrder/finalizers":["c","a"]}})"));
    EXPECT_EQ(ordered->dump(), R"({"metadata":{"finalizers":["c","a","b"]}})");
    EXPECT_FALSE(strategic_merge_patch(document, parsed(R"({"metadata":{"ownerReferences":[{"name":"x"}]}})")).ok());
    EXPECT_FALSE(strategic_merge_patch(document, parsed(R"([])")).ok());
}

}  // namespace
}  // namespace atl::schema
