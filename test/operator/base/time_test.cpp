#include "operator/base/time.h"

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(Time, IsTheSameAfterReadingAndWriting) {
    for (const char* text :
         {"1970-01-01T00:00:00.000000Z", "2026-01-02T15:04:05.123456Z", "1900-01-01T00:00:00.000000Z"}) {
        const auto time = parse_rfc3339(text);
        ASSERT_TRUE(time) << text;
        EXPECT_EQ(format_rfc3339_micro(*time), text);
    }
}

TEST(Time, TakesTheOffsetAway) {
    EXPECT_EQ(format_rfc3339(*parse_rfc3339("2026-01-02T01:30:00+02:00")), "2026-01-01T23:30:00Z");
}

TEST(Time, OfAnyYearIsReadWithoutOverflowAndCanBeSubtracted) {
    const auto never = parse_rfc3339("0001-01-01T00:00:00Z");  // what Docker writes for it
    const auto last = parse_rfc3339("9999-12-31T23:59:59.999999999-23:59");
    ASSERT_TRUE(never && last);
    EXPECT_EQ(format_rfc3339(*never), "1900-01-01T00:00:00Z");
    EXPECT_EQ(format_rfc3339(*last), "2190-01-01T00:00:00Z");
    EXPECT_GT(*last - *never, Duration(0));
}

TEST(Time, OfAnotherFormIsNotRead) {
    for (const char* text : {"", "2026-01-02", "2026-13-02T15:04:05Z", "2026-01-02T24:04:05Z", "2026-01-02T15:04:05",
                             "yesterday at half past three"}) {
        EXPECT_FALSE(parse_rfc3339(text)) << text;
    }
}

}  // namespace
}  // namespace atl
