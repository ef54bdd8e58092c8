#include "operator/commands/manifests.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test/operator/commands/memory_files.h"

namespace atl::commands {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCluster =
    "apiVersion: atoll.dev/v1alpha1\nkind: Cluster\nmetadata:\n  name: c\nspec:\n"
    "  infrastructure:\n    local: {}\n  orchestrator:\n    none: {}\n";
const std::string kStack =
    "apiVersion: atoll.dev/v1alpha1\nkind: Stack\nmetadata: {name: s}\nspec:\n  clusterRef: {name: c}\n  services:\n"
    "  - name: web\n    replicas: 2\n    container: {image: i, env: [{name: A, value: x}]}\n";

/// The text with one piece put in the place of another.
std::string with(std::string text, const std::string& piece, const std::string& other) {
    const std::size_t at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return text.replace(at, piece.size(), other);
}

std::string repeat(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

/// What reading one file gives: the names of its objects, or the error.
std::string read(const std::string& text) {
    MemoryFiles files({{"f.yaml", text}});
    const auto manifests = read_manifests(files, {"f.yaml"});
    if (!manifests.ok()) return manifests.error().message();
    std::string names;
    for (const nlohmann::json& object : manifests->objects)
        names += object["metadata"]["namespace"].get<std::string>() + "/" +
                 object["metadata"]["name"].get<std::string>() + " ";
    return names;
}

TEST(Manifests, OddDressIsReadAsKubectlReadsIt) {
    EXPECT_EQ(read(kCluster), "default/c ");
    EXPECT_EQ(read("\xEF\xBB\xBF" + kCluster), "default/c ") << "a byte order mark";
    EXPECT_EQ(read(with(kCluster, "name: c\n", "name: c\r\n")), "default/c ") << "CRLF";
    EXPECT_EQ(read("---\n---\n# x\n---\n" + kCluster + "---\n" + with(kCluster, "name: c", "name: d") + "...\n"),
              "default/c default/d ");
    EXPECT_EQ(read(with(kCluster, "name: c", "name: &n c\n  labels: {a: *n}")), "default/c ") << "an anchor";
    EXPECT_EQ(read(with(kCluster, "name: c", "name: !!str 5\n  namespace: \"6\"")), "6/5 ");
    EXPECT_EQ(read(with(kStack, "replicas: 2", "replicas: 0x10")), "default/s ") << "a number, as in kubectl";
    EXPECT_EQ(read(with(kStack, "value: x", "value: 2020-01-01")), "default/s ") << "dates are texts";
}

TEST(Manifests, DefaultsAreThoseOfTheServer) {
    MemoryFiles files({{"f.yaml", kStack}});
    const auto manifests = read_manifests(files, {"f.yaml"});
    ASSERT_TRUE(manifests.ok()) << manifests.error().message();
    EXPECT_EQ(manifests->objects[0]["spec"]["services"][0]["rollout"]["progressDeadline"], "10m");
}

struct Case {
    const char* why;
    std::string text;
    std::string message;  ///< stands in the error
};

TEST(Manifests, BadYamlIsRefusedWithFileAndLine) {
    const Case cases[] = {
        {"tabs", with(kCluster, "  name", "\tname"),
         "f.yaml: line 4, column 6: illegal map value; the line is indented with a tab"},
        {"UTF-16",
         std::string("\xFF\xFE"
                     "a\0",
                     4),
         "f.yaml: line 1, column 1: this is not UTF-8"},
        {"NUL", std::string("kind: a\0b\n", 10), "f.yaml: line 1, column 8: control character 0"},
        {"a mark inside", kCluster + "---\n\xEF\xBB\xBF" + kCluster, "f.yaml: line 11, column 1: a byte order mark"},
        {"an open quote", "kind: \"abc\nmetadata: {name: c}\n",
         "line 3, column 1: a text in quotes that is not closed"},
        {"an open quote at the end", "kind: 'abc", "a text in quotes that is not closed"},
        {"an open list in a later document", kCluster + "---\na: [1\n", "f.yaml: line 12, column "},
        {"a key twice", kCluster + "kind: Cluster\n", "f.yaml: line 10, column 1: key \"kind\" comes twice"},
        {"a key twice in JSON", R"({"kind":"Cluster","kind":"Stack"})", "column 19: key \"kind\" comes twice"},
        {"an unknown anchor", with(kCluster, "name: c", "name: *zz"),
         "f.yaml: line 4, column 9: the referenced anchor"},
        {"billion laughs",
         "a: &a [" + repeat("lol,", 9) + "]\nb: &b [" + repeat("*a,", 9) + "]\nc: &c [" + repeat("*b,", 9) +
             "]\nd: &d [" + repeat("*c,", 9) + "]\ne: &e [" + repeat("*d,", 9) + "]\nf: &f [" + repeat("*e,", 9) +
             "]\ng: [" + repeat("*f,", 9) + "]\n",
         "f.yaml: line 6, column"},
        {"deep lists", "a: " + repeat("[", 10'000) + repeat("]", 10'000), "line 1, column 103: nested deeper than 100"},
        {"deep maps", repeat("{a: ", 10'000) + "1" + repeat("}", 10'000), "nested deeper than 100 levels"},
        {"deep blocks", repeat("- ", 10'000) + "a", "line 1, column 201: nested deeper than 100 levels"},
        {"deep JSON", repeat("{\"a\":", 10'000) + "1" + repeat("}", 10'000), "nested deeper than 100 levels"},
        {"deep and never closed", repeat("[", 10'000), "f.yaml: line 1, column 1: a list or map that is never closed"},
        {"millions of brackets", repeat("[", 5'000'000), "f.yaml: more than 100000 brackets are open"},
        {"no YAML at all", "\x01\x02", "f.yaml: line 1, column 1: control character 1"},
        {"17 MiB", repeat("x", 17 * 1024 * 1024), "bytes; at most 16777216 are read"},
    };
    for (const Case& row : cases) EXPECT_THAT(read(row.text), HasSubstr(row.message)) << row.why;
}

TEST(Manifests, WhatIsNoObjectIsRefused) {
    const Case cases[] = {
        {"a list", "- a\n", "f.yaml: line 1, column 1: a list where an object was expected"},
        {"a text", "hello\n", "a text where an object was expected"},
        {"nothing", "", "f.yaml: no Cluster, Stack or ServiceInstance in it"},
        {"only comments", "# x\n---\n---\n", "f.yaml: no Cluster, Stack or ServiceInstance in it"},
        {"no kind", "a: 1\n", "f.yaml, line 1: not a Kubernetes object: apiVersion: Required value"},
        {"a kind that is a list", "apiVersion: v1\nkind: [1]\n", "kind: Required value: must be a text, not [1]"},
        {"no metadata", "apiVersion: v1\nkind: Secret\n", "Secret: metadata.name: Required value"},
        {"metadata that is a list", with(kCluster, "\n  name: c", " [1]"), "Cluster: metadata: must be a map, not [1]"},
        {"a name that is a number", with(kCluster, "name: c", "name: 5"),
         "metadata.name: Required value: must be a text, not 5"},
        {"an item of a List", "apiVersion: v1\nkind: List\nitems: [1]\n", "an item of the List is not an object"},
        {"a List in a List", R"({"kind":"List","items":[{"kind":"List","apiVersion":"v1","items":[]}]})",
         "List: metadata.name: Required"},
        {"a second document", kCluster + "---\nkind: Stack\n", "f.yaml, line 10: not a Kubernetes object: apiVersion"},
    };
    for (const Case& row : cases) EXPECT_THAT(read(row.text), HasSubstr(row.message)) << row.why;
}

TEST(Manifests, FaultyObjectsAreRefusedWithObjectFieldAndValue) {
    const Case cases[] = {
        {"an unknown version", with(kCluster, "v1alpha1", "v9"),
         "f.yaml, line 1: Cluster \"c\": apiVersion: Unsupported value: \"atoll.dev/v9\": supported values: "
         "\"atoll.dev/v1alpha1\""},
        {"an unknown kind", with(kCluster, "kind: Cluster", "kind: Clustr"),
         "Clustr \"c\": kind: Unsupported value: \"Clustr\": supported values: \"Cluster\", \"Machine\""},
        {"an unknown field", with(kCluster, "local: {}", "local: {}\n    locl: {}"),
         "unknown field \"spec.infrastructure.locl\""},
        {"a wrong type", with(kCluster, "local: {}", "local: yes"),
         "Cluster \"c\": spec.infrastructure.local: Invalid value: \"boolean\""},
        {"an impossible pair", with(kCluster, "local: {}", "{}"),
         "spec.infrastructure: Invalid value: exactly one of local, existing"},
        {"a bad name", with(kCluster, "name: c", "name: \"A B\""), "metadata.name: Invalid value: \"A B\""},
        {"a bad namespace", with(kCluster, "name: c", "name: c\n  namespace: A B"),
         "metadata.namespace: Invalid value: \"A B\""},
        {"a namespace that is a list", with(kCluster, "name: c", "name: c\n  namespace: [1]"),
         "metadata.namespace: Invalid value: \"array\""},
        {"labels that are a list", with(kCluster, "name: c", "name: c\n  labels: [1]"),
         "metadata.labels: Invalid value: \"array\""},
        {"300 KB of annotations",
         with(kCluster, "name: c", "name: c\n  annotations: {a: " + repeat("x", 300'000) + "}"),
         "metadata.annotations: Too long: may not be more than 262144 bytes"},
        {"yes for a text", with(kStack, "value: x", "value: yes"), "env[0].value: Invalid value: \"boolean\""},
        {"1e3 copies", with(kStack, "replicas: 2", "replicas: 1001"), "spec.services[0].replicas: Invalid value: 1001"},
        {"two errors", with(with(kStack, "replicas: 2", "replicas: -1"), "image: i", "image: \"\""),
         "image: Invalid value: \"\""},
        {"two errors, the other one", with(with(kStack, "replicas: 2", "replicas: -1"), "image: i", "image: \"\""),
         "replicas: Invalid value: -1"},
        {"one object twice", kCluster + "---\n" + kCluster,
         "f.yaml, line 10: Cluster \"c\" of namespace default comes twice; the first one is in f.yaml, line 1"},
    };
    for (const Case& row : cases) EXPECT_THAT(read(row.text), HasSubstr(row.message)) << row.why;
    EXPECT_EQ(read(with(kCluster, "name: c", "name: c\n  annotations: {a: " + repeat("x", 100'000) + "}")),
              "default/c ");
}

TEST(Manifests, ValuesOfSecretsAreNeverInErrors) {
    const std::string secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n";
    EXPECT_THAT(read(secret + "stringData: {a: [hunter2]}\n"),
                AllOf(HasSubstr("stringData.a"), Not(HasSubstr("hunter2"))));
    EXPECT_THAT(
        read(secret + "data: {a: not base64 hunter2}\n"),
        AllOf(HasSubstr("Secret \"s\": data.a: Invalid value: must be a text in base64"), Not(HasSubstr("hunter2"))));
    EXPECT_EQ(read(secret + "stringData: {a: hunter2}\n"), "default/s ");
}

TEST(Manifests, AFolderGivesItsManifestsByNameAndNothingElse) {
    MemoryFiles files({{"d/b.yml", kStack}, {"d/a.yaml", kCluster}, {"d/readme.md", "["}, {"d/sub.yaml/x.yaml", "["}});
    const auto manifests = read_manifests(files, {"d"});
    ASSERT_TRUE(manifests.ok()) << manifests.error().message();
    ASSERT_EQ(manifests->objects.size(), 2U);
    EXPECT_EQ(manifests->objects[0]["kind"], "Cluster");
    MemoryFiles empty({{"d/readme.md", "["}});
    EXPECT_EQ(read_manifests(empty, {"d"}).error().message(), "d: no .yaml, .yml or .json file in it");
    MemoryFiles odd({{"d/a b\n.yaml", "["}});
    EXPECT_THAT(read_manifests(odd, {"d"}).error().message(), HasSubstr("\"d/a b\\n.yaml\": line 1"));
}

TEST(Manifests, ObjectsOfOtherGroupsArePassedOverByName) {
    const std::string other =
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: c}\nspec: {x: 1}\n";
    MemoryFiles files({{"f.yaml", kCluster + "---\n" + other}});
    const auto manifests = read_manifests(files, {"f.yaml"});
    ASSERT_TRUE(manifests.ok()) << manifests.error().message();
    EXPECT_EQ(manifests->objects.size(), 1U);
    EXPECT_THAT(manifests->others, ElementsAre("Cluster \"c\" (f.yaml, line 10)"));
    EXPECT_THAT(read(other), HasSubstr("no Cluster, Stack or ServiceInstance in it; passed over: Cluster \"c\""));
}

TEST(Manifests, DashIsStandardInput) {
    MemoryFiles files({{"/dev/stdin", "a: ["}});
    EXPECT_THAT(read_manifests(files, {"-"}).error().message(), HasSubstr("standard input: line "));
}

}  // namespace
}  // namespace atl::commands
