#include "operator/kube/object.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/kube/object_reader.h"

namespace atl::kube {
namespace {

constexpr char kFull[] = R"({"kind":"Widget","metadata":{"managedFields":[{"manager":"x","fieldsV1":{"f:a":{}}}],
  "name":"web","namespace":"shop","uid":"u1","resourceVersion":"7","generation":3,
  "labels":{"b":"2","a":"1"},"annotations":{"note":"say \"hi\"\n"},"finalizers":["f1"],
  "ownerReferences":[{"apiVersion":"v1","kind":"Stack","name":"s","uid":"u0","controller":true}],
  "deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"replicas":2}})";

TEST(Object, ReadsItsMetadata) {
    const Object object = Object::parse(kFull).value();
    const ObjectMeta& meta = object.meta();
    EXPECT_EQ(meta.key, ObjectKey("shop", "web"));
    EXPECT_EQ(meta.uid, "u1");
    EXPECT_EQ(meta.resource_version, "7");
    EXPECT_EQ(meta.generation, 3);
    EXPECT_EQ(meta.labels.find("a"), "1");
    EXPECT_EQ(meta.labels.find("c"), std::nullopt);
    EXPECT_TRUE(meta.has_finalizer("f1"));
    ASSERT_NE(meta.controller(), nullptr);
    EXPECT_EQ(meta.controller()->uid, "u0");
    EXPECT_TRUE(meta.being_deleted());
    EXPECT_EQ(object.annotation("note"), "say \"hi\"\n");
    EXPECT_EQ(object.annotation("other"), std::nullopt);
    EXPECT_EQ(object.member("spec")["replicas"], 2);
    EXPECT_TRUE(object.member("status").is_null());
}

TEST(Object, KeepsEverythingButManagedFields) {
    nlohmann::json expected = nlohmann::json::parse(kFull);
    expected["metadata"].erase("managedFields");
    EXPECT_EQ(Object::parse(kFull).value().json(), expected);
}

TEST(Object, LosesManagedFieldsWhereverTheyStand) {
    for (const char* text :
         {R"({"metadata":{"name":"a","managedFields":[]}})", R"({"metadata":{"managedFields":[],"name":"a"}})",
          R"({"metadata":{"name":"a" , "managedFields" : [ {} ] , "uid":"u"}})"}) {
        const nlohmann::json tree = Object::parse(text).value().json();
        ASSERT_TRUE(tree.is_object()) << text;
        EXPECT_FALSE(tree["metadata"].contains("managedFields")) << text;
        EXPECT_EQ(tree["metadata"]["name"], "a");
    }
}

// The scanner looks at up to 64 bytes behind a text; where they are another page's, the program ends.
TEST(Object, HasRoomBehindItsTextForTheScanner) {
    constexpr std::size_t kRoom = 64;
    for (const char* managed : {"", R"(,"managedFields":[{"manager":"x"}])"}) {
        for (std::size_t length = 1; length < 300; ++length) {
            const std::string name(length, 'n');
            const Object object =
                Object::parse(R"({"metadata":{"name":")" + name + "\"" + managed + R"(},"status":{}})").value();
            EXPECT_GE(object.text().capacity(), object.text().size() + kRoom);
            EXPECT_GE(object.bare().text().capacity(), object.bare().text().size() + kRoom);
        }
    }
}

TEST(Object, ThatCannotBeReadIsAnErrorThatNamesIt) {
    struct Row {
        const char* text;
        const char* says;
    };
    for (const Row& row : {Row{"", ""}, Row{"[]", "not a JSON object"}, Row{"{}", "no metadata"},
                           Row{R"({"metadata":[]})", "\"metadata\""}, Row{R"({"metadata":{}})", "no metadata.name"},
                           Row{R"({"metadata":{"name":7}})", "\"metadata.name\""},
                           Row{R"({"metadata":{"name":"a","labels":{"x":1}}})", "object \"a\""},
                           Row{R"({"metadata":{"name":"a","generation":"3"}})", "\"metadata.generation\""},
                           Row{R"({"metadata":{"name":"a","finalizers":{}}})", "\"metadata.finalizers\""},
                           Row{R"({"metadata":{"name":"a")", ""}}) {
        const Result<Object> object = Object::parse(row.text);
        ASSERT_FALSE(object.ok()) << row.text;
        EXPECT_EQ(object.error().reason(), "UndecodableObject");
        EXPECT_EQ(object.error().error_class(), ErrorClass::Invalid);
        EXPECT_NE(object.error().message().find(row.says), std::string::npos) << object.error().message();
    }
}

TEST(Object, DeeplyNestedOnesDoNotCrash) {
    const std::string deep =
        R"({"metadata":{"name":"a"},"spec":)" + std::string(100000, '[') + std::string(100000, ']') + "}";
    const Result<Object> object = Object::parse(deep);
    if (object.ok()) EXPECT_EQ(object->key().name, "a");
}

TEST(Object, VersionsCompareAsNumbersOfAnyLength) {
    EXPECT_TRUE(has_reached("10", "9"));
    EXPECT_FALSE(has_reached("9", "10"));
    EXPECT_TRUE(has_reached("100000000000000000000000", "99999999999999999999999"));
    EXPECT_TRUE(has_reached("abc", "abc"));
    EXPECT_FALSE(has_reached("abd", "abc"));
    EXPECT_FALSE(has_reached("", "1"));
}

TEST(Object, AStatusChangeAloneIsNoChange) {
    nlohmann::json tree = nlohmann::json::parse(kFull);
    const Object before = Object::from_json(tree).value();
    tree["metadata"]["resourceVersion"] = "8";
    tree["status"]["ready"] = true;
    EXPECT_TRUE(equal_but_for_status(before, Object::from_json(tree).value()));
    tree["metadata"]["annotations"]["note"] = "other";
    EXPECT_FALSE(equal_but_for_status(before, Object::from_json(tree).value()));
}

TEST(ObjectReader, ReadsAListPastABadItem) {
    const ListPage page =
        ObjectReader()
            .read_list(R"({"kind":"List","items":[{"metadata":{"name":"a"}},7,{"metadata":{"name":"b","uid":1}},
        {"metadata":{"name":"c"}}],"metadata":{"resourceVersion":"5","continue":"t"}})")
            .value();
    ASSERT_EQ(page.objects.size(), 2U);
    EXPECT_EQ(page.objects[1].key().name, "c");
    EXPECT_EQ(page.undecodable.size(), 2U);
    EXPECT_EQ(page.resource_version, "5");
    EXPECT_EQ(page.continue_token, "t");
}

TEST(ObjectReader, ABrokenListIsAnErrorAndEmptyItemsMayBeNull) {
    EXPECT_FALSE(ObjectReader().read_list("<html>").ok());
    EXPECT_FALSE(ObjectReader().read_list(R"({"items":{}})").ok());
    EXPECT_FALSE(ObjectReader().read_list(R"({"items":[{"metadata":{"name":"a"}})").ok());
    EXPECT_TRUE(ObjectReader().read_list(R"({"items":null,"metadata":{"resourceVersion":"1"}})").ok());
}

}  // namespace
}  // namespace atl::kube
