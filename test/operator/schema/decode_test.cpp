#include "operator/schema/decode.h"

#include <gtest/gtest.h>

#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

std::string read(std::string_view text) {
    const auto decoded = decode_json(text);
    if (!decoded.ok()) return "error: " + decoded.error().message();
    std::string all = go_json(decoded->value);
    for (const std::string& duplicate : decoded->duplicates) all += " " + duplicate;
    return all;
}

std::string repeat(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(Decode, NumbersAreThoseOfGo) {
    EXPECT_EQ(read("[9223372036854775807, -9223372036854775808, 1.0, 1e3, -0, 0.5]"),
              "[9223372036854775807,-9223372036854775808,1,1000,0,0.5]");
    EXPECT_EQ(read("9223372036854775808"), "9223372036854776000") << "what does not fit 64 bits is a float";
    EXPECT_EQ(read("1e400"), "error: not JSON, at byte 5: number overflow parsing '1e400'");
    EXPECT_TRUE(read("01").starts_with("error: ")) << read("01");
    EXPECT_TRUE(read("0x10").starts_with("error: ")) << read("0x10");
    EXPECT_TRUE(read("NaN").starts_with("error: ")) << read("NaN");
}

TEST(Decode, TheLastOfDuplicatesCountsAndEachIsTold) {
    EXPECT_EQ(read(R"({"a": 1, "b": [{"c": 1, "c": 2, "c": 3}], "a": 4})"),
              R"({"a":4,"b":[{"c":3}]} duplicate field "b[0].c" duplicate field "a")");
}

TEST(Decode, DepthHasItsLimitToTheLevel) {
    EXPECT_EQ(read(repeat("[", kMaxDepth) + repeat("]", kMaxDepth)).substr(0, 3), "[[[");
    EXPECT_EQ(read(repeat("[", kMaxDepth + 1) + repeat("]", kMaxDepth + 1)), "error: nested deeper than 128 levels");
    EXPECT_EQ(read(repeat("{\"a\":", 1'000'000)), "error: nested deeper than 128 levels");
    nlohmann::json built = 1;
    for (int i = 0; i < kMaxDepth; ++i) built = nlohmann::json::array({built});
    EXPECT_TRUE(within_depth(built));
    EXPECT_FALSE(within_depth(nlohmann::json::array({built})));
}

TEST(Decode, WhatIsQuotedOfFaultyTextIsShort) {
    for (const std::string& text : {"{\"a\": \"" + repeat("x", 100'000), repeat("9", 100'000),
                                    "tru" + repeat("x", 100'000), "\"" + repeat("\xC3\xA4", 100'000) + "\xff\""}) {
        const std::string message = read(text);
        EXPECT_TRUE(message.starts_with("error: not JSON, at byte ")) << message.substr(0, 100);
        EXPECT_LT(message.size(), 300U);
    }
}

}  // namespace
}  // namespace atl::schema
