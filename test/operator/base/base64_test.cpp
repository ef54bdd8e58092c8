#include "operator/base/base64.h"

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(Base64, EncodesTheVectorsOfTheStandard) {
    EXPECT_EQ(encode_base64(""), "");
    EXPECT_EQ(encode_base64("f"), "Zg==");
    EXPECT_EQ(encode_base64("fo"), "Zm8=");
    EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, DecodesWhatItEncoded) {
    for (std::size_t length = 0; length < 100; ++length) {
        std::string bytes;
        for (std::size_t i = 0; i < length; ++i) bytes.push_back(static_cast<char>(i * 37 + length));
        EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
    }
    EXPECT_EQ(decode_base64("Zm9v\nYmFy\n"), "foobar");
}

TEST(Base64, RefusesWhatIsNot) {
    for (const char* text : {"Zg=", "Zg", "Z===", "=AAA", "Zg==Zg==", "Zm9*"})
        EXPECT_FALSE(decode_base64(text)) << text;
}

}  // namespace
}  // namespace atl
