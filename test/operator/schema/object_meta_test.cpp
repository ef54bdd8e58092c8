#include "operator/schema/object_meta.h"

#include <fstream>

#include <gtest/gtest.h>

namespace atl::schema {
namespace {

Json recorded(const std::string& name) {
    std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/test/data/kubernetes/" + name);
    return Json::parse(file);
}

/// What kube-apiserver 1.37.2 said of each.
TEST(ObjectMeta, SaysWhatKubeApiserverSays) {
    for (const Json& row : recorded("metadata.json")) {
        Json metadata = row["metadata"];
        metadata["namespace"] = "default";
        EXPECT_EQ(causes_of(validate_object_meta(metadata, {})), row["causes"]) << row["metadata"];
    }
}

TEST(ObjectMeta, WrongTypesAreSaidFirst) {
    EXPECT_EQ(validate_object_meta(Json("x"), {}).at(0).type, FieldErrorType::TypeInvalid);
    FieldErrors errors = validate_object_meta({{"name", 5}, {"labels", {{"a", 1}}}, {"finalizers", {3}}}, {});
    ASSERT_EQ(errors.size(), 3u);
    for (const FieldError& error : errors) EXPECT_EQ(error.type, FieldErrorType::TypeInvalid);
}

TEST(ObjectMeta, NullIsAsGoodAsAbsent) {
    Json metadata = {{"name", "a"}, {"namespace", "b"}, {"creationTimestamp", nullptr}, {"labels", nullptr}};
    EXPECT_TRUE(validate_object_meta(metadata, {}).empty());
}

TEST(ObjectMeta, BoundsAnnotations) {
    Json metadata = {{"name", "a"}, {"namespace", "b"}, {"annotations", {{"k", std::string(256 * 1024, 'x')}}}};
    EXPECT_EQ(aggregate_text(validate_object_meta(metadata, {})),
              "metadata.annotations: Too long: may not be more than 262144 bytes");
}

TEST(ObjectMeta, AGeneratedNameMayStartWithWhatEndsInADash) {
    EXPECT_TRUE(validate_object_meta({{"generateName", "web-"}, {"name", "web-abc"}, {"namespace", "b"}}, {}).empty());
    EXPECT_FALSE(validate_object_meta({{"generateName", "Web-"}, {"name", "web-abc"}, {"namespace", "b"}}, {}).empty());
}

TEST(ObjectMeta, ScopesAndNameRules) {
    EXPECT_EQ(aggregate_text(validate_object_meta({{"name", "a"}, {"namespace", "b"}}, {.namespaced = false})),
              "metadata.namespace: Forbidden: not allowed on this type");
    EXPECT_EQ(aggregate_text(validate_object_meta({{"name", "a"}}, {})), "metadata.namespace: Required value");
    EXPECT_EQ(aggregate_text(validate_object_meta({{"name", "a.b"}}, {false, NameRule::DnsLabel})),
              "metadata.name: Invalid value: \"a.b\": must not contain dots");
    EXPECT_TRUE(validate_object_meta({{"name", "system:node"}}, {false, NameRule::PathSegment}).empty());
    EXPECT_FALSE(validate_object_meta({{"name", "a/b"}}, {false, NameRule::PathSegment}).empty());
}

TEST(ObjectMeta, UpdatesKeepIdentity) {
    Json old = {{"name", "a"}, {"uid", "1"}, {"finalizers", {"x/y"}}, {"deletionTimestamp", "2026-01-01T00:00:00Z"}};
    Json renamed = old;
    renamed["name"] = "b";
    EXPECT_EQ(aggregate_text(validate_object_meta_update(renamed, old)),
              "metadata.name: Invalid value: \"b\": field is immutable");
    Json more = old;
    more["finalizers"] = {"x/y", "z/w"};
    EXPECT_EQ(aggregate_text(validate_object_meta_update(more, old)),
              "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found "
              "new finalizers "
              "[]string{\"z/w\"}");
    Json fewer = old;
    fewer.erase("finalizers");
    EXPECT_TRUE(validate_object_meta_update(fewer, old).empty());
}

}  // namespace
}  // namespace atl::schema
