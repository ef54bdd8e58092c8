#include "operator/schema/selector.h"

#include <gtest/gtest.h>

namespace atl::schema {
namespace {

using Json = nlohmann::json;

std::string label_error(std::string_view text) {
    Result<LabelSelector> selector = LabelSelector::parse(text);
    return selector ? "OK" : selector.error().message();
}

std::string field_error(std::string_view text) {
    Result<FieldSelector> selector = FieldSelector::parse(text);
    return selector ? "OK" : selector.error().message();
}

TEST(LabelSelector, MatchesLabels) {
    struct Row {
        const char* selector;
        bool matches;
    };
    Json labels = {{"app", "web"}, {"tier", "front"}, {"n", "5"}};
    const Row rows[] = {{"", true},
                        {"app=web", true},
                        {"app==web,tier=front", true},
                        {"app!=web", false},
                        {"other!=x", true},
                        {"app in (web, db)", true},
                        {"app notin (web,db)", false},
                        {"other notin (a)", true},
                        {"app", true},
                        {"!app", false},
                        {"!other", true},
                        {"n>4", true},
                        {"n<5", false},
                        {"app in ()", false},
                        {"app=", false}};
    for (const Row& row : rows) {
        Result<LabelSelector> selector = LabelSelector::parse(row.selector);
        ASSERT_TRUE(selector.ok()) << row.selector;
        EXPECT_EQ(selector->matches(labels), row.matches) << row.selector;
    }
    EXPECT_FALSE(LabelSelector::parse("a=b")->matches(Json()));
    EXPECT_FALSE(LabelSelector::parse("a")->matches(Json{{"a", 5}}));
}

/// Recorded from kube-apiserver 1.37.2.
TEST(LabelSelector, ComplainsAsKubeApiserverDoes) {
    struct Row {
        const char* selector;
        const char* error;
    };
    const Row rows[] = {
        {"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
        {"a=b,,", "found ',', expected: identifier after ','"},
        {"=b", "found '=', expected: !, identifier, or 'end of string'"},
        {"a>1x",
         "unable to parse requirement: values[0]: Invalid value: \"1x\": for 'Gt', 'Lt' operators, the value must be "
         "an integer"},
        {"a in ()", "OK"},
        {"a=b c", "found 'c', expected: ',' or 'end of string'"},
        {"a=b!", "found '!', expected: ',' or 'end of string'"},
        {"x in (a b)", "unable to parse requirement: found 'b', expected: ',' or ')'"},
        {"a!!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"},
        {"(", "found '(', expected: !, identifier, or 'end of string'"},
        {"a,", "found '', expected: identifier after ','"},
        {"a in b", "unable to parse requirement: found 'b' expected: '('"},
        {"a=-",
         "unable to parse requirement: values[0][a]: Invalid value: \"-\": a valid label must be an empty string or "
         "consist of "
         "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. "
         "'MyValue',  or "
         "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
    };
    for (const Row& row : rows) EXPECT_EQ(label_error(row.selector), row.error) << row.selector;
}

TEST(LabelSelector, ReadsTheJsonFormAndWritesTheTextForm) {
    Json json = Json::parse(
        R"({"matchLabels": {"b": "2"}, "matchExpressions": [{"key": "a", "operator": "In", "values": ["y", "x"]}]})");
    Result<LabelSelector> selector = LabelSelector::from_json(json);
    ASSERT_TRUE(selector.ok());
    EXPECT_EQ(selector->text(), "a in (x,y),b=2");
    for (const char* bad :
         {R"({"matchExpressions": [{"key": "a", "operator": "In"}]})",
          R"({"matchExpressions": [{"key": "a", "operator": "Like"}]})", R"({"matchLabels": {"a": 1}})", "[]"}) {
        EXPECT_FALSE(LabelSelector::from_json(Json::parse(bad)).ok()) << bad;
    }
}

TEST(FieldSelector, MatchesFieldsByPath) {
    Json object = {{"metadata", {{"name", "a"}, {"namespace", "d"}}}, {"spec", {{"n", 5}}}};
    EXPECT_TRUE(FieldSelector::parse("metadata.name=a,metadata.namespace!=x")->matches(object));
    EXPECT_FALSE(FieldSelector::parse("metadata.name==b")->matches(object));
    EXPECT_TRUE(FieldSelector::parse("spec.n=5")->matches(object));
    EXPECT_TRUE(FieldSelector::parse("status.phase=")->matches(object));
    EXPECT_EQ(FieldSelector::parse("metadata.name=a\\,b")->exact_name(), "a,b");
    EXPECT_EQ(FieldSelector::parse("spec.x=1,metadata.name=a")->unsupported({"metadata.name"}),
              std::vector<std::string>{"spec.x"});
}

TEST(FieldSelector, ComplainsAsKubeApiserverDoes) {
    EXPECT_EQ(field_error("metadata.name"), "invalid selector: 'metadata.name'; can't understand 'metadata.name'");
    EXPECT_EQ(field_error("a=b=c"), "invalid field selector: unescaped character in value: 61");
    EXPECT_EQ(field_error("metadata.name=a\\x"), "invalid field selector: invalid escape sequence: \\x");
}

TEST(Selectors, RandomTextNeverCrashes) {
    constexpr std::string_view kParts = "ab=!,()<> \\in";
    std::uint32_t state = 3;
    for (int round = 0; round < 50000; ++round) {
        std::string text;
        for (int i = 0; i < 10; ++i) {
            state = state * 1664525u + 1013904223u;
            text += kParts[(state >> 16) % kParts.size()];
        }
        label_error(text);
        field_error(text);
    }
}

}  // namespace
}  // namespace atl::schema
