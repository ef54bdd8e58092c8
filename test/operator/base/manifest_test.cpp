#include "operator/base/manifest.h"

#include <string>

#include <gtest/gtest.h>

#include "operator/base/random.h"

namespace atl {
namespace {

std::string read(std::string_view text) {
    Result<std::vector<ManifestDocument>> documents = parse_manifests(text);
    if (!documents.ok()) return "error: " + documents.error().message();
    std::string all;
    for (const ManifestDocument& document : *documents)
        all += std::to_string(document.line) + ":" + document.object.dump() + " ";
    return all;
}

std::string repeat(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(Manifest, ReadsDocumentsInAnyDress) {
    EXPECT_EQ(read("a: 1\n---\nb: yes\n"), R"(1:{"a":1} 2:{"b":true} )");
    EXPECT_EQ(read("---\n# nothing\n---\na: 1\n---\n"), R"(3:{"a":1} )") << "empty documents are left out";
    EXPECT_EQ(read("\xEF\xBB\xBF"
                   "a: 1\r\nb:\r\n- x\r\n- z\r\n"),
              R"(1:{"a":1,"b":["x","z"]} )");
    EXPECT_EQ(read(""), "");
    EXPECT_EQ(read("# only a comment"), "");
    EXPECT_EQ(read("a: |\n  x\n  y\nb: >-\n  x\n  y\n"), R"(1:{"a":"x\ny\n","b":"x y"} )");
    EXPECT_EQ(read("a: 'yes'\nb: \"0x10\"\nc: !!str 1e3\n"), R"(1:{"a":"yes","b":"0x10","c":"1e3"} )");
    EXPECT_EQ(read("on: 1\n2: b\n"), R"(1:{"2":"b","true":1} )") << "keys become texts, as in kubectl";
}

TEST(Manifest, ReadsJson) {
    EXPECT_EQ(read(R"({"a": ["\ud83d\ude00", 1.5, null, true]})"), "1:{\"a\":[\"😀\",1.5,null,true]} ");
    EXPECT_EQ(read("{\n\t\"a\": 1\n}"), R"(1:{"a":1} )") << "tabs are allowed in JSON";
    EXPECT_NE(read(R"({"a": 1, "a": 2})").find("comes twice"), std::string::npos);
}

TEST(Manifest, PutsTheItemsOfAListInItsPlace) {
    EXPECT_EQ(read("kind: List\napiVersion: v1\nitems:\n- kind: A\n- kind: B\n"), R"(1:{"kind":"A"} 1:{"kind":"B"} )");
    EXPECT_NE(read("kind: List\nitems: [1]\n").find("not an object"), std::string::npos);
    EXPECT_EQ(read("kind: List\n"), R"(1:{"kind":"List"} )");
    EXPECT_EQ(read("kind: {a: 1}\nitems: []\n"), R"(1:{"items":[],"kind":{"a":1}} )");
}

TEST(Manifest, WritesOutAnchorsAndMerges) {
    EXPECT_EQ(read("a: &x {k: 1}\nb: *x\n"), R"(1:{"a":{"k":1},"b":{"k":1}} )");
    EXPECT_EQ(read("base: &b {k: 1, l: 2}\nuse:\n  l: 3\n  <<: *b\n"),
              R"(1:{"base":{"k":1,"l":2},"use":{"k":1,"l":3}} )");
    EXPECT_EQ(read("base: &b {k: 1}\nuse:\n  <<: *b\n  k: 3\n"), R"(1:{"base":{"k":1},"use":{"k":3}} )");
    EXPECT_EQ(read("x: &x {k: 1}\nz: &z {k: 2, m: 3}\nuse: {<<: [*x, *z]}\n"),
              R"(1:{"use":{"k":1,"m":3},"x":{"k":1},"z":{"k":2,"m":3}} )");
}

TEST(Manifest, SaysWhereAndWhatIsWrong) {
    struct Case {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Case cases[] = {
        {"a: 1\nb: 2\na: 3\n", "line 3, column 1: key \"a\" comes twice", "duplicate key"},
        {"a:\n  b: 1\n\tc: 2\n", "line 3, column 1: ", "a tab as indentation"},
        {"a: [1, 2\n", "line 2, column 1: ", "a list that does not end"},
        {"a: .inf\n", "line 1, column 4: \".inf\" is not a number that JSON has", "infinity"},
        {"a: !foo 1\n", "line 1, column 4: the tag \"!foo\"", "an unknown tag"},
        {"a: !!int x\n", "line 1, column 4: the tag", "a tag that does not fit"},
        {"- a\n- b\n", "line 1, column 1: a list where an object was expected", "a list as a document"},
        {"just text\n", "line 1, column 1: a text where an object", "a text as a document"},
        {"a: *nope\n", "line 1, column 4: ", "an anchor that does not exist"},
        {"a: &x [*x]\n", "line 1, column 8: an alias inside the value", "a cycle"},
        {"? [a]\n: 1\n", "line 1, column 3: a list or map that is never closed, or that is a key", "a list as a key"},
        {"~: 1\n", "line 1, column 1: this cannot be a key", "null as a key"},
        {"a: \"\x01\"\n", "line 1, column 5: control character 1", "a control character"},
        {"a: 1\nb: \x04 c\n", "line 2, column 4: control character 4", "what yaml-cpp takes for the end"},
        {"a: \xff\n", "line 1, column 4: this is not UTF-8", "broken UTF-8"},
        {"a: \xed\xa0\x80\n", "line 1, column 4: this is not UTF-8", "a surrogate in UTF-8"},
        {",", "text that belongs to nothing", "a stray comma, which yaml-cpp reads for ever"},
        {"a: 'x\nb: 1\n", "line 3, column 1: a text in quotes that is not closed", "which yaml-cpp takes for closed"},
        {"a: 1\n\xEF\xBB\xBF"
         "b: 2\n",
         "line 2, column 1: a byte order mark inside", "files that were joined"},
        {"a:\n\tb: 1\n", "where YAML takes only spaces", "a tab as indentation, by its name"},
        {"<<: 1\n", "\"<<\" merges maps only", "a merge of a number"},
    };
    for (const Case& row : cases) {
        std::string got = read(row.text);
        EXPECT_NE(got.find(row.expected), std::string::npos) << row.why << "\n  got: " << got;
        EXPECT_TRUE(got.starts_with("error: ")) << row.why;
    }
}

TEST(Manifest, RefusesTenThousandLevelsOfNesting) {
    for (const std::string& text :
         {repeat("[", 10'000), "a: " + repeat("{a: ", 10'000), repeat("- ", 10'000) + "x",
          "{\"a\":" + repeat("[", 10'000) + repeat("]", 10'000) + "}", repeat("{\"a\":", 10'000)}) {
        std::string got = read(text);
        EXPECT_TRUE(got.starts_with("error: ")) << got.substr(0, 200);
    }
    std::string deep = read("a: " + repeat("[", 101) + repeat("]", 101));
    EXPECT_NE(deep.find("deeper than 100 levels"), std::string::npos) << deep;
    EXPECT_TRUE(read("a: " + repeat("[", 99) + repeat("]", 99)).starts_with("1:"));
}

TEST(Manifest, RefusesABillionLaughs) {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        std::string before = "*a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 9; ++j) text += before + ", ";
        text += before + "]\n";
    }
    EXPECT_NE(read(text).find("more than 500000 values"), std::string::npos);
    std::string many = "a: &a x\nb:\n" + repeat("- *a\n", 1001);
    EXPECT_NE(read(many).find("more than 1000 aliases"), std::string::npos);
}

TEST(Manifest, KeepsLimitsOfSizeAndNumber) {
    ManifestLimits limits;
    limits.bytes = 10;
    EXPECT_FALSE(parse_manifests("a: 12345678", limits).ok());
    limits = {};
    limits.documents = 2;
    EXPECT_FALSE(parse_manifests("a: 1\n---\na: 1\n---\na: 1\n", limits).ok());
}

TEST(Manifest, ReadsAnAnnotationOfAHundredKilobytes) {
    std::string value(100'000, 'x');
    Result<std::vector<ManifestDocument>> documents =
        parse_manifests("metadata:\n  annotations:\n    a: " + value + "\n");
    ASSERT_TRUE(documents.ok());
    EXPECT_EQ(documents->at(0).object["metadata"]["annotations"]["a"], value);
}

TEST(Manifest, SurvivesAnyText) {
    SeededRandom random(5);
    constexpr std::string_view kAlphabet = "ab:-[]{},&*!|>'\"%@`#? \n\t\r0<~.";
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::uint64_t n = random.below(40); n > 0; --n) text += kAlphabet[random.below(kAlphabet.size())];
        (void)parse_manifests(text);
    }
}

}  // namespace
}  // namespace atl
