#include "operator/apiserver/resource_type.h"

#include <gtest/gtest.h>

namespace atl::apiserver {
namespace {

ResourceType type_of(const std::string& version, Revision defined_at) {
    ResourceType type;
    type.group = "example.com";
    type.version = version;
    type.defined_at = defined_at;
    return type;
}

const std::string kText =
    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"resourceVersion":"7","name":"a"}})";

TEST(CurrentText, IsOneOfTheVersionWrittenSinceTheSchemaIsAsItIs) {
    EXPECT_TRUE(CurrentText(type_of("v1", 0))(kText));
    EXPECT_TRUE(CurrentText(type_of("v1", 6))(kText));
    EXPECT_FALSE(CurrentText(type_of("v1", 7))(kText)) << "may lack defaults";
    EXPECT_FALSE(CurrentText(type_of("v2", 0))(kText));
    EXPECT_FALSE(CurrentText(type_of("v", 0))(kText)) << "the start of a version is not the version";
}

TEST(CurrentText, IsReadWithoutAChange) {
    EXPECT_EQ(read_text(type_of("v1", 6), kText), kText);
}

}  // namespace
}  // namespace atl::apiserver
