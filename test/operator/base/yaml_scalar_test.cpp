#include "operator/base/yaml_scalar.h"

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(YamlScalar, ReadsPlainScalarsAsKubernetesToolsDo) {
    struct Case {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Case cases[] = {
        {"yes", "true", "a boolean of YAML 1.1"},
        {"on", "true", "a boolean of YAML 1.1"},
        {"y", "true", "a boolean of go-yaml 2"},
        {"No", "false", "a boolean of YAML 1.1"},
        {"OFF", "false", "a boolean of YAML 1.1"},
        {"yEs", "\"yEs\"", "only three spellings each"},
        {"~", "null", "null"},
        {"Null", "null", "null"},
        {"nULL", "\"nULL\"", "a text"},
        {"0x10", "16", "hexadecimal"},
        {"0o7", "7", "octal of YAML 1.2"},
        {"010", "8", "octal of YAML 1.1"},
        {"08", "8", "no octal number, but a float"},
        {"0b11", "3", "binary"},
        {"-0b11", "-3", "binary"},
        {"1e3", "1000", "a whole float is written as an integer"},
        {"1.5", "1.5", "a float"},
        {".5", "0.5", "a float"},
        {"1.", "1", "a float"},
        {"1e400", "\"1e400\"", "no float can hold it"},
        {"1_000", "1000", "underscores"},
        {"1:30", "\"1:30\"", "no base 60"},
        {"2001-01-01", "\"2001-01-01\"", "no dates"},
        {"-", "\"-\"", "a text"},
        {"+", "\"+\"", "a text"},
        {".", "\".\"", "a text"},
        {"-9223372036854775808", "-9223372036854775808", "the smallest integer"},
        {"18446744073709551615", "18446744073709551615", "the largest integer"},
        {"18446744073709551616", "1.8446744073709552e+19", "beyond integers: a float"},
        {"1.2.3", "\"1.2.3\"", "a version"},
        {"127.0.0.1", "\"127.0.0.1\"", "an address"},
        {"500m", "\"500m\"", "a quantity"},
        {"0x", "\"0x\"", "no digits"},
        {"+5", "5", "a sign"},
    };
    for (const Case& row : cases) {
        auto value = resolve_plain_scalar(row.text);
        ASSERT_TRUE(value) << row.text;
        EXPECT_EQ(value->dump(), row.expected) << row.text << ": " << row.why;
    }
    EXPECT_FALSE(resolve_plain_scalar(".inf"));
    EXPECT_FALSE(resolve_plain_scalar("-.INF"));
    EXPECT_FALSE(resolve_plain_scalar(".NaN"));
}

}  // namespace
}  // namespace atl
