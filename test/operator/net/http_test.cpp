#include "operator/net/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atl::net {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Headers, AreFoundWithoutRegardToCase) {
    Headers headers{{"Content-Type", "a"}, {"content-type", "b"}};
    EXPECT_EQ(headers.find("CONTENT-TYPE"), "a");
    headers.set("Content-type", "c");
    EXPECT_THAT(headers.fields(), ElementsAre(Pair("Content-type", "c")));
    EXPECT_EQ(headers.find("Content"), std::nullopt);
}

TEST(Endpoint, IsShownAsAUrl) {
    EXPECT_EQ((Endpoint{Scheme::Https, "10.0.0.1", 6443, nullptr}.to_string()), "https://10.0.0.1:6443");
    EXPECT_EQ((Endpoint{Scheme::Http, "::1", 80, nullptr}.to_string()), "http://[::1]:80");
    EXPECT_EQ((Endpoint{Scheme::Unix, "/run/docker.sock", 0, nullptr}.to_string()), "unix:///run/docker.sock");
}

TEST(Percent, EncodesAllButUnreservedCharactersAndBack) {
    const std::string odd = "a/b c%+ü~.-_";
    const std::string encoded = encode_component(odd);
    EXPECT_EQ(encoded, "a%2Fb%20c%25%2B%C3%BC~.-_");
    EXPECT_EQ(decode_component(encoded, Plus::Literal), odd);
}

TEST(Percent, RefusesBrokenEscapesAndNul) {
    for (const char* text : {"%", "%1", "%zz", "%00", "a%0"}) {
        EXPECT_EQ(decode_component(text, Plus::Literal), std::nullopt) << text;
    }
    EXPECT_EQ(decode_component("a+b", Plus::Space), "a b");
    EXPECT_EQ(decode_component("a+b", Plus::Literal), "a+b");
}

TEST(Query, IsReadInOrderWithoutMalformedParts) {
    EXPECT_THAT(parse_query("a=1&&b&c=x%3Dy&d=%zz&a=2"),
                ElementsAre(Pair("a", "1"), Pair("b", ""), Pair("c", "x=y"), Pair("a", "2")));
}

}  // namespace
}  // namespace atl::net
