#include "operator/schema/field_error.h"

#include <gtest/gtest.h>

namespace atl::schema {
namespace {

TEST(FieldErrorText, IsThatOfKubernetes) {
    EXPECT_EQ(invalid("spec.n", 0, "too small").text(), "spec.n: Invalid value: 0: too small");
    EXPECT_EQ(invalid("spec.n", "a\"b", "odd").text(), R"(spec.n: Invalid value: "a\"b": odd)");
    EXPECT_EQ(required("a", "").text(), "a: Required value");
    EXPECT_EQ(forbidden("a", "no").text(), "a: Forbidden: no");
    EXPECT_EQ(not_supported("a", "x", {"b", "c"}).text(), R"(a: Unsupported value: "x": supported values: "b", "c")");
    EXPECT_EQ(duplicate("a", Json{{"name", "x"}}).text(), R"(a: Duplicate value: {"name":"x"})");
    EXPECT_EQ(too_long("a", 1).text(), "a: Too long: may not be more than 1 byte");
    EXPECT_EQ(too_many("a", 3, 2).text(), "a: Too many: 3: must have at most 2 items");
}

TEST(FieldErrorText, OfOneErrorStandsAloneAndEqualOnesStandOnce) {
    EXPECT_EQ(aggregate_text({required("a", "")}), "a: Required value");
    EXPECT_EQ(aggregate_text({required("a", ""), required("a", ""), required("b", "")}),
              "[a: Required value, b: Required value]");
    EXPECT_EQ(aggregate_text({required("a", ""), required("a", "")}), "a: Required value");
}

TEST(FieldErrorText, QuotesAPartOfWhatIsLongWithoutBreakingACharacter) {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "ä";
    const std::string shown = invalid("a", text, "odd").text();
    EXPECT_LT(shown.size(), 8400U);
    EXPECT_NE(shown.find("ä... (100002 bytes): odd"), std::string::npos) << shown.substr(shown.size() - 60);
    EXPECT_NO_THROW((void)Json(shown).dump()) << "the cut leaves UTF-8";
}

TEST(FieldErrorText, OfAHundredThousandErrorsTellsTheFirstAndTheirNumber) {
    FieldErrors errors;
    for (int i = 0; i < 100'000; ++i) errors.push_back(required("a" + std::to_string(i), ""));
    const std::string text = aggregate_text(errors);
    EXPECT_LT(text.size(), 10'000U);
    EXPECT_TRUE(text.ends_with("and more: there are 100000 errors]")) << text.substr(text.size() - 80);
    EXPECT_EQ(causes_of(errors).size(), 200U);
}

}  // namespace
}  // namespace atl::schema
