// What clients may send that makes no sense: each row is a request and the answer's code and message.
#include <gmock/gmock.h>

#include "test/operator/apiserver/server_fixture.h"

namespace atl::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string repeat(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

constexpr int kDeep = 10'000;

struct Row {
    const char* why;
    int status;
    std::string message;  ///< stands in the answer's message
    std::string body;
    std::string type = "application/json";
    std::string query = {};
};

class BadInputTest : public ServerFixture {
protected:
    Answer call_text(const std::string& method, const std::string& target, const std::string& text,
                     const std::string& type) {
        net::Request made = request(method, target);
        made.headers.set("Content-Type", type);
        made.body = text;
        return send(std::move(made));
    }

    void check(const std::string& method, const std::string& target, const Row& row) {
        const Answer answer = call_text(method, target + row.query, row.body, row.type);
        EXPECT_EQ(answer.status, row.status) << row.why << ": " << answer.text.substr(0, 500);
        const json message = answer.body.is_object() ? answer.body.value("message", json("")) : json("");
        EXPECT_THAT(message.get<std::string>(), HasSubstr(row.message)) << row.why;
        EXPECT_LT(answer.text.size(), 500'000U) << row.why;
        EXPECT_EQ(call("GET", kConfigMaps).status, 200) << "the server goes on after " << row.why;
    }

    /// The text of a ConfigMap with a piece of JSON in its metadata.
    static std::string with_meta(const std::string& piece) {
        return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x",)" + piece + "}}";
    }
    /// The text of a ConfigMap with this piece of JSON as its data.
    static std::string with_data(const std::string& piece) {
        return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":)" + piece + "}";
    }
};

TEST_F(BadInputTest, WhatIsNoObjectIsRefused) {
    const std::string yaml = "application/yaml";
    const Row rows[] = {
        {"nothing", 400, "not JSON, at byte 1", ""},
        {"nothing in YAML", 400, "the body must be one YAML document", "", yaml},
        {"null", 400, "the body is no object", "null"},
        {"a list", 400, "the body is no object", "[]"},
        {"a list in YAML", 400, "line 1, column 1: a list where an object was expected", "[]", yaml},
        {"a text", 400, "the body is no object", "\"x\""},
        {"half of it", 400, "not JSON, at byte 2: syntax error", "{"},
        {"a comma too many", 400, "not JSON, at byte 8: syntax error", R"({"a":1,})"},
        {"two objects", 400, "not JSON, at byte 63",
         with_meta(R"("a":1)").substr(0, 0) + R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"q"}}{})"},
        {"two documents", 400, "the body must be one YAML document", "kind: A\n---\nkind: B\n", yaml},
        {"another kind", 400, "(v1, Kind=Secret) do not match the expected v1, Kind=ConfigMap",
         R"({"apiVersion":"v1","kind":"Secret"})"},
        {"metadata that is a list", 400, "metadata must be an object, got array",
         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":[]})"},
        {"no name", 422, "metadata.name: Required value", R"({"apiVersion":"v1","kind":"ConfigMap"})"},
        {"a key twice", 400, "strict decoding error: duplicate field \"metadata.name\"", with_meta(R"("name":"y")"),
         "application/json", "?fieldValidation=Strict"},
        {"a key twice in YAML", 400, "key \"name\" comes twice", "metadata: {name: x, name: y}", yaml},
        {"a tab in YAML", 400, "indented with a tab", "metadata:\n\tname: x\n", yaml},
        {"text of another type", 415, "accepted media types include", "x", "text/plain"},
        {"broken protobuf", 400, "no well-formed protobuf", std::string("k8s\0\x0a\xff\xff\xff\xff\x7f", 10),
         "application/vnd.kubernetes.protobuf"},
    };
    for (const Row& row : rows) check("POST", kConfigMaps, row);
}

TEST_F(BadInputTest, BytesThatAreNoTextAreRefused) {
    const Row rows[] = {
        {"broken UTF-8", 400, "ill-formed UTF-8", with_data("{\"a\":\"\xff\xfe\"}")},
        {"half of a pair of surrogates", 400, "surrogate U+D800..U+DBFF must be followed",
         with_data(R"({"a":"\ud800"})")},
        {"NUL as it is", 400, "control character U+0000", with_data(std::string("{\"a\":\"x\0y\"}", 11))},
        {"NUL in a name", 422, R"(metadata.name: Invalid value: "u\x00")",
         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"u\u0000"}})"},
        {"NUL in a key", 422, R"(Invalid value: "a\x00")", with_data(R"({"a\u0000":"b"})")},
        {"UTF-16", 400, "not JSON, at byte 1", std::string("\xff\xfe{\0}\0", 6)},
        {"a text that never ends", 400, "...", "{\"a\":\"" + repeat("x", 1'000'000)},
        {"a number that no double holds", 400, "number overflow parsing '1e400'", with_data("1e400")},
        {"a number of 100,000 digits", 400, "number overflow parsing '9999", with_data(repeat("9", 100'000))},
    };
    for (const Row& row : rows) check("POST", kConfigMaps, row);
    const Answer huge = call_text("POST", kConfigMaps, with_data(repeat("9", 100'000)), "application/json");
    EXPECT_LT(huge.text.size(), 1000U) << "a message quotes a part of what it speaks of";
}

TEST_F(BadInputTest, DepthAndSizeHaveLimits) {
    const std::string maps = repeat("{\"a\":", kDeep) + "1" + repeat("}", kDeep);
    const std::string lists = repeat("[", kDeep) + repeat("]", kDeep);
    const Row rows[] = {
        {"maps", 400, "nested deeper than 128 levels", with_data(maps)},
        {"lists", 400, "nested deeper than 128 levels", lists},
        {"lists that never end", 400, "nested deeper than 128 levels", repeat("[", 1'000'000)},
        {"maps in YAML", 400, "nested deeper than 100 levels", with_data(maps), "application/yaml"},
        {"blocks in YAML", 400, "line 1, column 201: nested deeper than 100 levels", repeat("- ", kDeep),
         "application/yaml"},
        {"more than 3 MiB", 413, "limit is 3145728", with_data("{\"a\":\"" + repeat("x", 3'200'000) + "\"}")},
        {"more than 1 MiB of data", 422, "may not be more than 1048576 bytes",
         with_data("{\"a\":\"" + repeat("x", 1'100'000) + "\"}")},
        {"300 KB of annotations", 422, "metadata.annotations: Too long: may not be more than 262144 bytes",
         with_meta(R"("annotations":{"a":")" + repeat("x", 300'000) + "\"}")},
        {"100 KB of annotations are fine", 201, "",
         with_meta(R"("annotations":{"a":")" + repeat("x", 100'000) + "\"}")},
    };
    for (const Row& row : rows) check("POST", kConfigMaps, row);
}

TEST_F(BadInputTest, DepthHasLimitsInPatchesToo) {
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    const std::string value = repeat("{\"a\":", kDeep) + "1" + repeat("}", kDeep);
    const std::string data = "{\"data\":" + value + "}";
    std::string doubling;
    for (int i = 0; i < 40; ++i)
        doubling += R"(,{"op":"copy","from":"/data","path":"/data/c)" + std::to_string(i) + R"("})";
    const Row rows[] = {
        {"a merge patch", 400, "nested deeper than 128", data, "application/merge-patch+json"},
        {"a strategic merge patch", 400, "nested deeper than 128", data, "application/strategic-merge-patch+json"},
        {"a JSON patch", 400, "nested deeper than 128", R"([{"op":"add","path":"/data","value":)" + value + "}]",
         "application/json-patch+json"},
        {"an apply", 400, "nested deeper than 100", data, "application/apply-patch+yaml", "?fieldManager=t"},
        {"a path of 10,000 steps", 422, "path \"/a/a/a",
         R"([{"op":"add","path":")" + repeat("/a", kDeep) + R"(","value":1}])", "application/json-patch+json"},
        {"copies that double", 400, "the copies of this patch are larger than",
         R"([{"op":"add","path":"/data","value":{"a":")" + repeat("x", 1000) + "\"}}" + doubling + "]",
         "application/json-patch+json"},
        {"an apply without a manager", 422, "fieldManager: Required value", "{}", "application/apply-patch+yaml"},
        {"a patch that is a text", 400, "the patch is no object", "\"x\"", "application/merge-patch+json"},
        {"a patch of another type", 415, "accepted media types", "{}", "application/json"},
        {"a force where there is none", 422, "force: Forbidden", "{}", "application/merge-patch+json", "?force=true"},
    };
    for (const Row& row : rows) check("PATCH", kConfigMaps + "/c", row);
}

TEST_F(BadInputTest, MetadataOfAWrongTypeIsRefusedEvenWhereTheServerSetsIt) {
    const std::string decoder = "json: cannot unmarshal ";
    std::string many;
    for (int i = 0; i < 100'000; ++i) many += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\":1";
    const Row rows[] = {
        {"a generation", 400, decoder + "string into Go struct field ObjectMeta.metadata.generation of type int64",
         with_meta(R"("generation":"x")")},
        {"a broken generation", 400, decoder + "number into", with_meta(R"("generation":1.5)")},
        {"a time", 400, "metadata.creationTimestamp: parsing time \"noon\"",
         with_meta(R"("creationTimestamp":"noon")")},
        {"a time that is a number", 400, "metadata.deletionTimestamp of type string",
         with_meta(R"("deletionTimestamp":5)")},
        {"a resourceVersion", 400, decoder + "number into Go struct field ObjectMeta.metadata.resourceVersion",
         with_meta(R"("resourceVersion":5)")},
        {"a uid", 400, decoder + "bool into Go struct field ObjectMeta.metadata.uid", with_meta(R"("uid":true)")},
        {"a namespace", 400, "ObjectMeta.metadata.namespace of type string", with_meta(R"("namespace":5)")},
        {"managed fields", 400, "ObjectMeta.metadata.managedFields", with_meta(R"("managedFields":["x"])")},
        {"labels", 400, "number into Go struct field ObjectMeta.metadata.labels of type string: metadata.labels.a",
         with_meta(R"("labels":{"a":1})")},
        {"owners", 422, "metadata.ownerReferences[0].uid: Required value", with_meta(R"("ownerReferences":[{}])")},
        {"100,000 labels", 400, "ObjectMeta.metadata.labels of type string: metadata.labels.",
         with_meta("\"labels\":{" + many + "}")},
        {"nulls are as good as absent", 201, "",
         with_meta(R"("creationTimestamp":null,"generation":null,"labels":null)")},
    };
    for (const Row& row : rows) check("POST", kConfigMaps, row);
}

TEST_F(BadInputTest, NamesHaveTheirLimits) {
    auto named = [](const std::string& name) {
        return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"}}";
    };
    const std::string rule = "a lowercase RFC 1123 subdomain must consist of";
    const Row rows[] = {
        {"253 characters", 201, "", named(repeat("a", 253))},
        {"254 characters", 422, "must be no more than 253", named(repeat("a", 254))},
        {"capitals", 422, "metadata.name: Invalid value: \"A\": " + rule, named("A")},
        {"two dots", 422, "metadata.name: Invalid value: \"..\": " + rule, named("..")},
        {"a slash", 422, rule, named("a/b")},
        {"a line break", 422, R"(Invalid value: "a\n")", named("a\\n")},
        {"a label of 64", 422, "must be no more than 63", with_meta(R"("labels":{"a":")" + repeat("x", 64) + "\"}")},
    };
    for (const Row& row : rows) check("POST", kConfigMaps, row);
}

TEST_F(BadInputTest, OddQueriesAreRefusedWithParameterAndValue) {
    struct Query {
        const char* text;
        int status;
        const char* message;
    };
    const Query rows[] = {
        {"limit=-1", 400, "limit: Invalid value: \"-1\": must be a number that is not negative"},
        {"limit=99999999999999999999", 400, "limit: Invalid value"},
        {"timeoutSeconds=x", 400, "timeoutSeconds: Invalid value: \"x\""},
        {"watch&timeoutSeconds=x", 400, "timeoutSeconds: Invalid value: \"x\""},
        {"continue=xyz", 400, "continue key is not valid"},
        {"resourceVersion=abc", 400, "invalid resource version \"abc\": it must be a number"},
        {"resourceVersion=99999999999", 504, "Too large resource version: 99999999999"},
        {"resourceVersion=0&resourceVersionMatch=Foo", 422, "resourceVersionMatch: Unsupported value: \"Foo\""},
        {"labelSelector=a%3D%3D%3Db", 400, "found '=', expected: identifier"},
        {"labelSelector=((((", 400, "found '('"},
        {"fieldSelector=a%3Db", 400, "field label not supported: a"},
        {"labelSelector=%zz", 400, "the query cannot be decoded"},
        {"labelSelector=%00", 400, "the query cannot be decoded"},
        {"&&&", 200, ""},
        {"limit=1&limit=x", 200, ""},
    };
    for (const Query& row : rows)
        check("GET", kConfigMaps,
              {row.text, row.status, row.message, "", "application/json", "?" + std::string(row.text)});
    const std::string sound = config_map("x").dump();
    const Query writes[] = {
        {"fieldValidation=Bogus", 422, "fieldValidation: Unsupported value: \"Bogus\""},
        {"dryRun=Some", 422, "dryRun: Unsupported value: [\"Some\"]"},
        {"fieldManager=%07", 422, "fieldManager: Invalid value: \"\\a\": should only contain printable characters"},
    };
    for (const Query& row : writes)
        check("POST", kConfigMaps,
              {row.text, row.status, row.message, sound, "application/json", "?" + std::string(row.text)});
}

TEST_F(BadInputTest, NothingIsDeletedByAMisspeltRequest) {
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    const Row rows[] = {
        {"a dry run that is no list", 400, "DeleteOptions.dryRun of type []string", R"({"dryRun":"All"})"},
        {"a dry run of another name", 422, "dryRun: Unsupported value: [\"all\"]", R"({"dryRun":["all"]})"},
        {"a policy that does not exist", 422, "propagationPolicy: Unsupported value: \"Never\"",
         R"({"propagationPolicy":"Never"})"},
        {"a policy that is a number", 400, "DeleteOptions.propagationPolicy of type string",
         R"({"propagationPolicy":5})"},
        {"a uid that is a number", 400, "DeleteOptions.preconditions.uid of type string",
         R"({"preconditions":{"uid":5}})"},
        {"preconditions that are a list", 400, "DeleteOptions.preconditions of type", R"({"preconditions":[]})"},
        {"an object in the place of options", 400, "the body is of kind ConfigMap: DeleteOptions are wanted",
         config_map("c").dump()},
        {"a list", 400, "the body is no object", "[]"},
        {"half of it", 400, "not JSON", "{"},
    };
    for (const Row& row : rows) {
        check("DELETE", kConfigMaps + "/c", row);
        EXPECT_EQ(call("GET", kConfigMaps + "/c").status, 200) << row.why;
    }
    check("DELETE", kConfigMaps,
          {"all of a selector that cannot be decoded", 400, "cannot be decoded", "", "application/json",
           "?labelSelector=%zz"});
    check("DELETE", kConfigMaps + "/c", {"a dry run in YAML", 200, "", "dryRun: [All]", "application/yaml"});
    EXPECT_EQ(call("GET", kConfigMaps + "/c").status, 200)
        << "a dry run deletes nothing, in whatever form it was asked for";
}

TEST_F(BadInputTest, DefinitionsThatAreFaultyOrTooDeepAreRefused) {
    auto with_rule = [](const std::string& rule) {
        json definition = widget_definition();
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
                  ["x-kubernetes-validations"] = json::array({{{"rule", rule}}});
        return definition.dump();
    };
    auto with_names = [](const char* field, const json& value) {
        json definition = widget_definition();
        definition["spec"]["names"][field] = value;
        return definition.dump();
    };
    json version = widget_definition();
    version["spec"]["versions"][0]["name"] = "V 1";
    json twice = widget_definition();
    twice["spec"]["versions"].push_back(twice["spec"]["versions"][0]);
    const std::string deep = repeat(R"({"type":"object","properties":{"a":)", kDeep) + "{}" + repeat("}}", kDeep);
    const std::string label = "a DNS-1035 label must consist of";
    const Row rows[] = {
        {"a schema of 10,000 levels", 400, "nested deeper than 128",
         R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)" + deep + "}}]}}"},
        {"10,000 parentheses", 422, "x-kubernetes-validations[0].rule",
         with_rule(repeat("(", kDeep) + "true" + repeat(")", kDeep))},
        {"10,000 lists", 422, "x-kubernetes-validations[0].rule",
         with_rule("size(" + repeat("[", kDeep) + repeat("]", kDeep) + ") > 0")},
        {"10,000 members", 422, "x-kubernetes-validations[0].rule", with_rule("self" + repeat(".a", kDeep) + " == 1")},
        {"300,000 terms", 422, "x-kubernetes-validations[0].rule", with_rule("true" + repeat(" && true", 300'000))},
        {"300,000 sums", 422, "x-kubernetes-validations[0].rule", with_rule("1" + repeat("+1", 300'000) + " > 0")},
        {"an open parenthesis", 422, "Syntax error", with_rule("((((")},
        {"a number of 26 digits", 422, "invalid int literal", with_rule("99999999999999999999999999 > 1")},
        {"no Boolean", 422, "cel expression must evaluate to a bool", with_rule("self.size")},
        {"nothing", 422, "rule is not specified", with_rule("  ")},
        {"a version with a space", 422, "spec.versions[0].name: Invalid value: \"V 1\": " + label, version.dump()},
        {"a version twice", 422, "spec.versions[1].name: Duplicate value: \"v1\"", twice.dump()},
        {"a kind with a slash", 422,
         "spec.names.kind: Invalid value: \"Wid/get\": may have mixed case, but should otherwise match: " + label,
         with_names("kind", "Wid/get")},
        {"a short name with a dot", 422, "spec.names.shortNames[0]: Invalid value: \"a.b\"",
         with_names("shortNames", json::array({"a.b"}))},
        {"a kind that is a number", 400, "CustomResourceDefinition.spec.names.kind", with_names("kind", 5)},
    };
    for (const Row& row : rows) check("POST", kCrds, row);
}

TEST_F(BadInputTest, PathsThatNameNothingAreRefused) {
    struct Path {
        const char* target;
        int status;
    };
    const Path rows[] = {{"//", 404},
                         {"/%", 400},
                         {"/api/v1/namespaces/default/configmaps/%00", 400},
                         {"/apis/example.com/v9/widgets", 404},
                         {"/api/v1/namespaces/default/configmaps/x/bogus/deep", 404},
                         {"*", 400}};
    for (const Path& row : rows) EXPECT_EQ(call("GET", row.target).status, row.status) << row.target;
    const std::string deep = "/apis/" + repeat("a/", kDeep);
    EXPECT_EQ(call("GET", deep).status, 404);
    EXPECT_EQ(call("BOGUS", kConfigMaps).status, 405);
}

TEST_F(BadInputTest, ASelectorWithNulSelectsNothing) {
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    for (const char* query :
         {"labelSelector=%00", "labelSelector=a%00b", "labelSelector=a%3D%00", "fieldSelector=%00"}) {
        const Answer listed = call("GET", kConfigMaps + "?" + query);
        EXPECT_EQ(listed.status, 400) << query;
        EXPECT_EQ(call("DELETE", kConfigMaps + "?" + query).status, 400) << query;
    }
    EXPECT_EQ(call("GET", kConfigMaps + "/c").status, 200);
}

TEST_F(BadInputTest, TypesOfMetadataAndTimesAreNamedWithWhatIsWanted) {
    const std::string head = R"(ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal )";
    const std::string field = " into Go struct field ObjectMeta.metadata.";
    const Row rows[] = {
        {"a label of a number", 400, head + "number" + field + "labels of type string",
         with_meta(R"("labels":{"a":1})")},
        {"labels that are a list", 400, head + "array" + field + "labels of type map[string]string",
         with_meta(R"("labels":["a"])")},
        {"a finalizer that is an object", 400, head + "object" + field + "finalizers of type string",
         with_meta(R"("finalizers":[{}])")},
        {"an owner that is a text", 400, head + "string" + field + "ownerReferences of type v1.OwnerReference",
         with_meta(R"("ownerReferences":["x"])")},
        {"a name that is a number", 400, head + "number" + field + "name of type string",
         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":1}})"},
        {"a kind that is a number", 400, "kind must be a string, got number", R"({"apiVersion":"v1","kind":1})"},
    };
    for (const Row& row : rows) check("POST", kConfigMaps, row);
    const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    check(
        "POST", leases,
        {"a time that is none", 400, R"(spec.renewTime: "x" is no time as of RFC 3339)",
         R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"renewTime":"x"}})"});
    EXPECT_EQ(call_text("POST", kConfigMaps, R"({"metadata":{"name":"k"},"kind":null})", "application/json").status,
              201)
        << "typed clients may leave them out";
}

}  // namespace
}  // namespace atl::apiserver
