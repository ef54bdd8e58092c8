#include "operator/base/duration.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "operator/base/random.h"

namespace atl {
namespace {

TEST(DurationText, ReadsAndWritesAsGoDoes) {
    struct Case {
        const char* text;
        std::int64_t nanoseconds;
        const char* written;
    };
    const Case cases[] = {
        {"0", 0, "0s"},
        {"0s", 0, "0s"},
        {"5s", 5'000'000'000, "5s"},
        {"90s", 90'000'000'000, "1m30s"},
        {"1h30m", 5'400'000'000'000, "1h30m0s"},
        {"1h2m3.5s", 3'723'500'000'000, "1h2m3.5s"},
        {"300ms", 300'000'000, "300ms"},
        {"1.5h", 5'400'000'000'000, "1h30m0s"},
        {"-1.5h", -5'400'000'000'000, "-1h30m0s"},
        {"+5s", 5'000'000'000, "5s"},
        {".5s", 500'000'000, "500ms"},
        {"5.s", 5'000'000'000, "5s"},
        {"1us", 1'000, "1\xc2\xb5s"},
        {"1\xc2\xb5s", 1'000, "1\xc2\xb5s"},
        {"7ns", 7, "7ns"},
        {"0.100000000000000000000h", 360'000'000'000, "6m0s"},
        {"9223372036854775807ns", std::numeric_limits<std::int64_t>::max(), "2562047h47m16.854775807s"},
        {"-9223372036854775808ns", std::numeric_limits<std::int64_t>::min(), "-2562047h47m16.854775808s"},
    };
    for (const Case& row : cases) {
        Result<Duration> duration = parse_duration(row.text);
        ASSERT_TRUE(duration.ok()) << row.text;
        EXPECT_EQ(duration->count(), row.nanoseconds) << row.text;
        EXPECT_EQ(format_duration(*duration), row.written) << row.text;
    }
}

TEST(DurationText, RefusesWhatIsNone) {
    for (const char* text :
         {"", "3", "-", "s", ".", "-.", ".s", "+.s", "1d", "1 s", " 1s", "1s ", "1h-5m", "10", "1e3s",
          "9223372036854775808ns", "-9223372036854775809ns", "2562048h", "99999999999999999999s"}) {
        Result<Duration> duration = parse_duration(text);
        EXPECT_FALSE(duration.ok()) << text;
    }
}

TEST(DurationText, IsTheSameAfterWritingAndReading) {
    SeededRandom random(3);
    for (int i = 0; i < 5000; ++i) {
        Duration duration(static_cast<std::int64_t>(random.next() >> random.below(63)));
        Result<Duration> again = parse_duration(format_duration(duration));
        ASSERT_TRUE(again.ok());
        EXPECT_EQ(*again, duration) << format_duration(duration);
    }
}

}  // namespace
}  // namespace atl
