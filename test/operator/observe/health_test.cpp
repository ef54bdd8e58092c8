#include "operator/observe/health.h"

#include <gtest/gtest.h>

namespace atl::observe {
namespace {

TEST(Health, IsOkWhenAllChecksAre) {
    HealthChecks checks("readyz");
    checks.add("caches", [] { return std::nullopt; });
    EXPECT_TRUE(checks.report(HealthChecks::Detail::OnFailure).healthy);
    EXPECT_EQ(checks.report(HealthChecks::Detail::OnFailure).text, "ok");
    EXPECT_EQ(checks.report(HealthChecks::Detail::Always).text, "[+]ping ok\n[+]caches ok\nreadyz check passed\n");
}

TEST(Health, NamesTheCheckThatFailed) {
    HealthChecks checks("readyz");
    checks.add("caches", [] { return std::optional<std::string>("waiting for the first list of stacks"); });
    checks.add("server", [] { return std::nullopt; });
    HealthReport report = checks.report(HealthChecks::Detail::OnFailure);
    EXPECT_FALSE(report.healthy);
    EXPECT_EQ(
        report.text,
        "[+]ping ok\n[-]caches failed: waiting for the first list of stacks\n[+]server ok\nreadyz check failed\n");
}

TEST(Health, AnswersForOneCheckByName) {
    HealthChecks checks("readyz");
    checks.add("caches", [] { return std::optional<std::string>("no"); });
    ASSERT_TRUE(checks.report_one("caches"));
    EXPECT_FALSE(checks.report_one("caches")->healthy);
    EXPECT_TRUE(checks.report_one("ping")->healthy);
    EXPECT_FALSE(checks.report_one("nothing"));
}

}  // namespace
}  // namespace atl::observe
