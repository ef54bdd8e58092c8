#include "operator/base/quantity.h"

#include <string>

#include <gtest/gtest.h>

#include "operator/base/random.h"

namespace atl {
namespace {

std::string canonical(std::string_view text) {
    Result<Quantity> quantity = Quantity::parse(text);
    return quantity.ok() ? quantity->to_string() : "error";
}

TEST(Quantity, WritesTheCanonicalFormOfKubernetes) {
    struct Case {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Case cases[] = {
        {"0", "0", "zero"},
        {"0Mi", "0", "zero has no suffix"},
        {"-0.0", "0", "nor a sign"},
        {"1", "1", "plain"},
        {"0.5", "500m", "no fractions"},
        {"1000m", "1", "the largest suffix"},
        {"1500m", "1500m", "not 1.5"},
        {"1.5Gi", "1536Mi", "no fractions"},
        {"1024Mi", "1Gi", "the largest suffix"},
        {"1Ki", "1Ki", "1024 is the first that stays binary"},
        {"0.5Ki", "512", "below 1024, binary becomes decimal"},
        {"1.0001Ki", "1024102400u", "a fraction cannot be binary"},
        {"1000", "1k", "decimal suffixes"},
        {"123456", "123456", "not a multiple of 1000"},
        {"1e3", "1e3", "an exponent stays one"},
        {"12e1", "120", "exponents are multiples of three"},
        {"1E", "1E", "E is a suffix"},
        {"1E3", "1e3", "E with digits is an exponent"},
        {"1e+3", "1e3", "a sign in the exponent"},
        {"1e-3", "1e-3", "a negative exponent"},
        {"0.0000000001", "1n", "finer than a billionth is rounded up"},
        {"-0.0000000001", "-1n", "away from zero"},
        {"100000000000000000000", "9223372036854775807", "cut at 2^63-1"},
        {"9Ei", "9223372036854775807", "cut at 2^63-1"},
        {"+5", "5", "a plus sign"},
        {".5", "500m", "no leading digit"},
        {"5.", "5", "no digit after the point"},
        {"000123", "123", "leading zeros"},
    };
    for (const Case& row : cases) EXPECT_EQ(canonical(row.text), row.expected) << row.text << ": " << row.why;
}

TEST(Quantity, RefusesWhatIsNone) {
    for (const char* text :
         {"",   " ",     "1 ",    " 1",   "abc", "1Mib",  "1mi", "1K",  "1i", "--1",   "1..2", ".", "-",
          "1e", "1e+-3", "1e3Mi", "0x10", "1,5", "1_000", "Mi",  "1\n", "e3", "1e1.5", "NaN",  "∞"})
        EXPECT_EQ(canonical(text), "error") << text;
    Result<Quantity> error = Quantity::parse("12 GB");
    ASSERT_FALSE(error.ok());
    EXPECT_EQ(error.error().error_class(), ErrorClass::Invalid);
    EXPECT_NE(error.error().message().find("\"12 GB\""), std::string::npos);
}

TEST(Quantity, GivesBytesRoundedUpAndCpuInBillionths) {
    EXPECT_EQ(Quantity::parse("64Mi")->units(), 64 * 1024 * 1024);
    EXPECT_EQ(Quantity::parse("1.5")->units(), 2);
    EXPECT_EQ(Quantity::parse("-1.5")->units(), -2);
    EXPECT_EQ(Quantity::parse("500m")->nano().value(), 500'000'000);
    EXPECT_EQ(Quantity::parse("1e99")->units(), 9'223'372'036'854'775'807);
}

TEST(Quantity, SaysThatABillionthOfItDoesNotFit) {
    EXPECT_TRUE(Quantity::parse("9223372036")->nano().ok());
    Result<std::int64_t> nano = Quantity::parse("9223372037")->nano();
    ASSERT_FALSE(nano.ok());
    EXPECT_NE(nano.error().message().find("9223372037"), std::string::npos);
}

TEST(Quantity, ComparesByValueNotByForm) {
    EXPECT_EQ(*Quantity::parse("1"), *Quantity::parse("1000m"));
    EXPECT_EQ(*Quantity::parse("1Gi"), *Quantity::parse("1024Mi"));
    EXPECT_LT(*Quantity::parse("1M"), *Quantity::parse("1Mi"));
    EXPECT_LT(*Quantity::parse("-1"), *Quantity::parse("0"));
}

TEST(Quantity, IsTheSameAfterWritingAndReading) {
    SeededRandom random(7);
    const char* suffixes[] = {"n", "u",  "m",  "",   "k",  "M",  "G",  "T",  "P",
                              "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "e-6"};
    for (int i = 0; i < 5000; ++i) {
        std::string text = std::to_string(random.below(100'000));
        if (random.below(2) == 0) text += "." + std::to_string(random.below(1'000'000));
        text += suffixes[random.below(18)];
        Result<Quantity> first = Quantity::parse(text);
        ASSERT_TRUE(first.ok()) << text;
        Result<Quantity> second = Quantity::parse(first->to_string());
        ASSERT_TRUE(second.ok()) << text << " → " << first->to_string();
        EXPECT_EQ(*first, *second) << text;
        EXPECT_EQ(first->to_string(), second->to_string()) << text;
    }
}

TEST(Quantity, SurvivesAnyText) {
    SeededRandom random(11);
    constexpr std::string_view kAlphabet = "0123456789.+-eEinumkKMGTP ";
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::uint64_t n = random.below(12); n > 0; --n) text += kAlphabet[random.below(kAlphabet.size())];
        Result<Quantity> quantity = Quantity::parse(text);
        if (quantity.ok()) {
            EXPECT_FALSE(quantity->to_string().empty());
        }
    }
    EXPECT_EQ(canonical(std::string(100'000, '9')), "9223372036854775807");
    EXPECT_EQ(canonical("0." + std::string(100'000, '0') + "1"), "1n");
}

}  // namespace
}  // namespace atl
