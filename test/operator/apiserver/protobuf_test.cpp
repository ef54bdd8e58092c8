#include "operator/apiserver/protobuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/base/random.h"

namespace atl::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    return bytes + static_cast<char>(value);
}

/// A length-delimited field.
std::string field(unsigned number, const std::string& bytes) {
    return varint(number << 3U | 2U) + varint(bytes.size()) + bytes;
}

/// The body of an object of that kind.
std::string body(const std::string& kind, const std::string& object) {
    return std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, kind)) + field(2, object);
}

std::string entry(const std::string& key, const std::string& value) {
    return field(1, key) + field(2, value);
}

std::string config_map(const std::string& more_metadata, const std::string& more) {
    return body("ConfigMap", field(1, field(1, "c") + more_metadata) + more);
}

std::string error_of(const std::string& text) {
    const auto decoded = decode_protobuf(text);
    return decoded.ok() ? "" : decoded.error().message();
}

TEST(Protobuf, AnObjectIsThatOfItsJson) {
    const auto decoded =
        decode_protobuf(config_map(field(11, entry("app", "web")) + field(14, "a.b/c"), field(2, entry("k", "ä"))));
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    EXPECT_EQ(*decoded, json::parse(R"({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "ä"},
                                        "metadata": {"name": "c", "labels": {"app": "web"}, "finalizers": ["a.b/c"]}})"));
    EXPECT_EQ((*decode_protobuf(body("Secret", field(2, entry("k", "\xff")))))["data"]["k"], "/w==")
        << "bytes may be any";
}

TEST(Protobuf, FieldsOfOtherVersionsAreSkippedAndOtherKindsRefused) {
    EXPECT_EQ(error_of(config_map(field(99, "new") + varint(98U << 3U) + varint(7), "")), "");
    EXPECT_EQ(decode_protobuf(body("Pod", "")).error().reason(), "UnknownKind");
}

TEST(Protobuf, ATimeThatNanosecondsCannotHoldIsHeldAtTheLatest) {
    const auto made_at = [](std::uint64_t seconds) {
        const auto decoded = decode_protobuf(config_map(field(8, varint(8) + varint(seconds)), ""));
        return decoded.ok() ? (*decoded)["metadata"]["creationTimestamp"] : json(decoded.error().message());
    };
    EXPECT_EQ(made_at(1'700'000'000), "2023-11-14T22:13:20Z");
    EXPECT_EQ(made_at(26'127'626'496), "2190-01-01T00:00:00Z");
    EXPECT_EQ(made_at(253'402'300'799), "2190-01-01T00:00:00Z");
}

TEST(Protobuf, TextThatIsNotUtf8IsRefusedWithItsField) {
    EXPECT_THAT(error_of(config_map(field(3, "\xff"), "")), HasSubstr("field namespace is not UTF-8"));
    EXPECT_THAT(error_of(config_map(field(11, entry("a", "\xff")), "")), HasSubstr("field labels is not UTF-8"));
    EXPECT_THAT(error_of(config_map("", field(2, entry("\xc3", "x")))), HasSubstr("field data is not UTF-8"));
    EXPECT_THAT(error_of(config_map("", field(2, entry("x", "\xed\xa0\x80")))), HasSubstr("field data is not UTF-8"));
}

TEST(Protobuf, ManagedFieldsOfTenThousandLevelsAreRefused) {
    for (const int levels : {126, 200, 10'000, 300'000}) {
        std::string deep;
        for (int i = 0; i < levels; ++i) deep += "{\"f:a\":";
        deep += "{}" + std::string(static_cast<std::size_t>(levels), '}');
        EXPECT_THAT(error_of(config_map(field(17, field(1, "m") + field(7, field(1, deep))), "")), HasSubstr("nested"))
            << levels;
    }
    EXPECT_NE(error_of(config_map(field(17, field(7, field(1, "{\"f:a\":"))), "")), "") << "half of it";
}

TEST(Protobuf, WhatIsCutOffOrClaimsTooMuchIsRefused) {
    const std::string whole = config_map(field(11, entry("app", "web")), field(2, entry("k", "v")));
    const std::size_t typed = 4 + field(1, field(1, "v1") + field(2, "ConfigMap")).size();
    EXPECT_TRUE(decode_protobuf(whole.substr(0, typed)).ok()) << "an object with nothing in it";
    for (std::size_t size = 0; size < whole.size(); ++size)
        if (size != typed) EXPECT_FALSE(decode_protobuf(whole.substr(0, size)).ok()) << size;
    EXPECT_FALSE(decode_protobuf(std::string("k8s\0\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15)).ok());
    EXPECT_FALSE(decode_protobuf(config_map(varint(11U << 3U | 3U), "")).ok()) << "groups were never in use";
    EXPECT_FALSE(decode_protobuf("{}").ok());
}

TEST(Protobuf, NoiseNeverEndsTheProgram) {
    SeededRandom random(11);
    const std::string whole =
        config_map(field(11, entry("app", "web")) + field(17, field(7, field(1, "{\"f:a\":{}}"))) +
                       field(8, varint(8) + varint(1'700'000'000)),
                   field(2, entry("k", "v")));
    for (int round = 0; round < 20'000; ++round) {
        std::string noisy = whole;
        for (std::uint64_t i = random.below(4) + 1; i > 0; --i)
            noisy[4 + random.below(noisy.size() - 4)] = static_cast<char>(random.below(256));
        const auto decoded = decode_protobuf(noisy);
        if (decoded.ok()) {
            EXPECT_NO_THROW((void)decoded->dump()) << round;  // all that is taken can be written
        }
    }
}

}  // namespace
}  // namespace atl::apiserver
