#include "operator/apiserver/key_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/base/random.h"

namespace atl::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KeyRingTest : public ::testing::Test {
protected:
    SeededRandom random_{5};
    KeyRing ring_ = KeyRing::make(random_);
};

TEST_F(KeyRingTest, WhatWasSealedOpensAndShowsNothing) {
    const std::string sealed = ring_.seal("hunter2", "default/s", random_);
    EXPECT_THAT(sealed, Not(HasSubstr("hunter2")));
    EXPECT_EQ(*ring_.open(sealed, "default/s"), "hunter2");
    EXPECT_NE(ring_.seal("hunter2", "default/s", random_), sealed) << "a nonce is used once";
    EXPECT_EQ(*ring_.open(ring_.seal("", "x", random_), "x"), "");
}

TEST_F(KeyRingTest, AValueCannotBeMovedChangedOrCutWithoutNotice) {
    const std::string sealed = ring_.seal("hunter2", "default/s", random_);
    EXPECT_FALSE(ring_.open(sealed, "default/t").ok());
    for (std::size_t at = 0; at < sealed.size(); ++at) {
        std::string changed = sealed;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        EXPECT_FALSE(ring_.open(changed, "default/s").ok()) << at;
        EXPECT_FALSE(ring_.open(sealed.substr(0, at), "default/s").ok()) << at;
    }
}

TEST_F(KeyRingTest, OldKeysDecryptUntilTheirLineGoes) {
    const std::string sealed = ring_.seal("hunter2", "s", random_);
    KeyRing rotated = KeyRing::parse(ring_.text()).value();
    rotated.rotate(random_);
    EXPECT_EQ(*rotated.open(sealed, "s"), "hunter2");
    EXPECT_FALSE(rotated.is_current(sealed));
    EXPECT_TRUE(rotated.is_current(rotated.seal("x", "s", random_)));
    const std::string text = rotated.text();
    const KeyRing newest = KeyRing::parse(text.substr(0, text.find('\n') + 1)).value();
    EXPECT_EQ(newest.open(sealed, "s").error().reason(), "UnknownKey");
}

TEST_F(KeyRingTest, AFaultyFileIsRefusedByLineWithoutItsContent) {
    const std::string key(64, 'a');
    for (const std::string& text : {std::string(), std::string("\n"), "1 " + key.substr(1) + "\n", "x " + key + "\n",
                                    "1 " + key.substr(0, 63) + "g\n", "1 " + key + "\n1 " + key + "\n",
                                    "99999999999 " + key + "\n", key + "\n"}) {
        const auto parsed = KeyRing::parse(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_THAT(parsed.error().message(), Not(HasSubstr(key.substr(0, 16))));
    }
}

}  // namespace
}  // namespace atl::apiserver
