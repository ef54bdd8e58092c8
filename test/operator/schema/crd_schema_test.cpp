#include "operator/schema/crd_schema.h"

#include <fstream>

#include <gtest/gtest.h>

#include "operator/schema/decode.h"

namespace atl::schema {
namespace {

Json json_of(std::string_view text) {
    Result<Decoded> decoded = decode_json(text);
    EXPECT_TRUE(decoded.ok()) << (decoded.ok() ? "" : decoded.error().message()) << text;
    return decoded.ok() ? decoded->value : Json();
}

Json recorded(const std::string& name) {
    std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/test/data/kubernetes/" + name);
    return json_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

CrdSchema schema_of(const Json& spec_properties) {
    Json schema = {{"type", "object"},
                   {"properties", {{"spec", {{"type", "object"}, {"properties", spec_properties}}}}}};
    CompiledSchema compiled = CrdSchema::compile_all(schema);
    EXPECT_TRUE(compiled.ok()) << aggregate_text(compiled.errors);
    return compiled.schema.at(0);
}

std::string errors_of(const CrdSchema& schema, const Json& spec, const Json* old_spec = nullptr) {
    Json object = {{"spec", spec}};
    Json old = old_spec == nullptr ? Json() : Json{{"spec", *old_spec}};
    FieldErrors errors = schema.validate(object, old_spec == nullptr ? nullptr : &old);
    return errors.empty() ? "" : aggregate_text(errors);
}

std::string refusal(const Json& schema) {
    CompiledSchema compiled = CrdSchema::compile_all(schema);
    return compiled.errors.empty() ? "" : aggregate_text(compiled.errors);
}

/// What the real API server answered to each object, word for word.
TEST(CrdSchema, SaysWhatKubeApiserverSays) {
    Json table = recorded("validation.json");
    CompiledSchema compiled = CrdSchema::compile_all(table["schema"]);
    ASSERT_TRUE(compiled.ok()) << aggregate_text(compiled.errors);
    const CrdSchema& schema = compiled.schema.front();
    for (const Json& row : table["rows"]) {
        Json object = {
            {"apiVersion", "example.dev/v1"}, {"kind", "Probe"}, {"metadata", {{"name", "p"}}}, {"spec", row["spec"]}};
        std::vector<std::string> complaints;
        for (const std::string& path : schema.prune(object)) complaints.push_back(unknown_field_text(path));
        schema.apply_defaults(object);
        std::string message;
        Json causes;
        if (!complaints.empty()) {
            message = "Probe in version \"v1\" cannot be handled as a Probe: " + strict_decoding_text(complaints);
        } else if (FieldErrors errors = schema.validate(object); !errors.empty()) {
            message = invalid_status({"example.dev", "Probe", "p"}, errors)["message"];
            causes = causes_of(errors);
        } else {
            message = "OK " + object["spec"].dump();
        }
        std::string expected = row["message"];
        auto name = expected.find("\"p");
        if (row["code"] == 422)
            expected = expected.substr(0, name) + "\"p\"" + expected.substr(expected.find('"', name + 1) + 1);
        if (expected.starts_with("OK ")) expected = "OK " + json_of(expected.substr(3)).dump();
        EXPECT_EQ(message, expected) << row["spec"];
        if (row["code"] == 422) EXPECT_EQ(causes, row["causes"]) << row["spec"];
    }
}

TEST(CrdSchema, SetsDefaultsDeep) {
    CrdSchema schema = schema_of(json_of(R"~({
        "replicas": {"type": "integer", "default": 1},
        "note": {"type": "string", "nullable": true, "default": "x"},
        "rollout": {"type": "object", "default": {}, "properties": {"surge": {"type": "integer", "default": 2}}},
        "parts": {"type": "array", "items": {"type": "object", "properties": {"count": {"type": "integer", "default": 3}}}},
        "table": {"type": "object", "additionalProperties": {"type": "object", "properties": {"on": {"type": "boolean", "default": true}}}},
        "plain": {"type": "string"}})~"));
    Json object = json_of(
        R"({"spec": {"note": null, "parts": [{}, {"count": 1}], "table": {"a": {}}, "plain": null, "replicas": null}})");
    schema.apply_defaults(object);
    EXPECT_EQ(object["spec"],
              json_of(R"~({"replicas": 1, "note": null, "rollout": {"surge": 2}, "parts": [{"count": 3}, {"count": 1}],
        "table": {"a": {"on": true}}})~"));
}

TEST(CrdSchema, PrunesWhatItDoesNotDeclare) {
    CrdSchema schema = schema_of(json_of(R"~({
        "known": {"type": "string"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"strict": {"type": "object"}}},
        "parts": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}})~"));
    Json object =
        json_of(R"~({"apiVersion": "a/v1", "kind": "B", "metadata": {"name": "c", "colour": "red"}, "extra": 1,
        "spec": {"known": "a", "foo": 1, "free": {"x": {"y": 1}, "strict": {"z": 1}}, "parts": [{"name": "a", "bar": [1]}],
        "template": {"kind": "C", "metadata": {"name": "x"}, "anything": 1}}})~");
    EXPECT_EQ(schema.prune(object), (std::vector<std::string>{"extra", "metadata.colour", "spec.foo",
                                                              "spec.free.strict.z", "spec.parts[0].bar"}));
    EXPECT_EQ(object, json_of(R"~({"apiVersion": "a/v1", "kind": "B", "metadata": {"name": "c"},
        "spec": {"known": "a", "free": {"x": {"y": 1}, "strict": {}}, "parts": [{"name": "a"}],
        "template": {"kind": "C", "metadata": {"name": "x"}, "anything": 1}}})~"));
}

TEST(CrdSchema, TransitionRulesRunOnlyOnUpdatesOfTheSameThing) {
    CrdSchema schema = schema_of(json_of(R"~({
        "fixed": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "is immutable"}]},
        "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {
            "type": "object", "required": ["name"], "properties": {"name": {"type": "string"},
            "count": {"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "may not fall"}]}}}},
        "table": {"type": "object", "additionalProperties": {"type": "integer", "x-kubernetes-validations":
            [{"rule": "self >= oldSelf", "message": "may not fall"}]}},
        "maybe": {"type": "integer", "x-kubernetes-validations": [{"rule": "oldSelf.orValue(0) <= self", "optionalOldSelf": true,
            "message": "may not fall below what it was"}]}})~"));
    Json old = json_of(
        R"({"fixed": "a", "parts": [{"name": "x", "count": 5}, {"name": "y", "count": 1}], "table": {"k": 3}, "maybe": 3})");
    EXPECT_EQ(errors_of(schema, json_of(R"~({"fixed": "b", "maybe": 0})~")), "");
    EXPECT_EQ(errors_of(schema, json_of(R"~({"maybe": -1})~")),
              R"(spec.maybe: Invalid value: -1: may not fall below what it was)");
    EXPECT_EQ(errors_of(schema, json_of(R"~({"fixed": "b"})~"), &old),
              R"(spec.fixed: Invalid value: "b": is immutable)");
    EXPECT_EQ(
        errors_of(
            schema,
            json_of(
                R"~({"parts": [{"name": "y", "count": 0}, {"name": "x", "count": 6}, {"name": "z", "count": -9}]})~"),
            &old),
        "spec.parts[0].count: Invalid value: 0: may not fall");
    EXPECT_EQ(errors_of(schema, json_of(R"~({"table": {"k": 2, "l": 0}})~"), &old),
              "spec.table[k]: Invalid value: 2: may not fall");
    EXPECT_EQ(errors_of(schema, json_of(R"~({"maybe": 2})~"), &old),
              "spec.maybe: Invalid value: 2: may not fall below what it was");
}

TEST(CrdSchema, UnchangedErrorsAreLetThroughOnUpdate) {
    CrdSchema schema = schema_of(json_of(R"~({"a": {"type": "integer", "minimum": 5}, "b": {"type": "integer"},
        "c": {"type": "string", "x-kubernetes-validations": [{"rule": "self == 'x'"}]}})~"));
    Json old = json_of(R"~({"a": 1, "b": 1, "c": "y"})~");
    EXPECT_EQ(errors_of(schema, json_of(R"~({"a": 1, "b": 2, "c": "y"})~"), &old), "");
    EXPECT_NE(errors_of(schema, json_of(R"~({"a": 2, "b": 2, "c": "y"})~"), &old), "");
    EXPECT_NE(errors_of(schema, json_of(R"~({"a": 1, "b": 2, "c": "z"})~"), &old), "");
}

TEST(CrdSchema, RulesSeeEscapedNamesTypesAndMetadata) {
    Json schema =
        json_of(R"~({"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.name.startsWith('a')"}],
        "properties": {
    "spec" : {
        "type": "object", "x-kubernetes-validations": [
            {"rule": "self.__namespace__ == 'x'"}, {"rule": "self.a__dash__b > 1"}, {"rule": "self.since > timestamp('2026-01-01T00:00:00Z')"},
            {"rule": "type(self.port) == int ? self.port > 1 : self.port == 'http'"}],
        "properties": {
            "namespace" : {"type" : "string"},
                          "a-b" : {"type" : "integer"},
                                  "since" : {"type" : "string", "format" : "date-time"},
                                            "port" : {
                "x-kubernetes-int-or-string" : true
            }
        }
    }
}
})~");
    CompiledSchema compiled = CrdSchema::compile_all(schema);
    ASSERT_TRUE(compiled.ok()) << aggregate_text(compiled.errors);
    Json good = json_of(
        R"({"metadata": {"name": "abc"}, "spec": {"namespace": "x", "a-b": 2, "since": "2026-05-01T00:00:00Z", "port": "http"}})");
    EXPECT_EQ(compiled.schema[0].validate(good).size(), 0u);
    Json bad = json_of(
        R"({"metadata": {"name": "xbc"}, "spec": {"namespace": "y", "a-b": 1, "since": "2025-05-01T00:00:00Z", "port": "x"}})");
    EXPECT_EQ(compiled.schema[0].validate(bad).size(), 5u);
}

TEST(CrdSchema, RefusesARuleThatItCannotEvaluateWithItsPath) {
    auto with_rule = [](const char* rule) {
        return Json{{"type", "object"},
                    {"properties",
                     {{"spec",
                       {{"type", "object"},
                        {"x-kubernetes-validations", {{{"rule", rule}}}},
                        {"properties", {{"a", {{"type", "integer"}}}}}}}}}};
    };
    const std::string path =
        "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: ";
    for (const char* rule : {"self.b > 1", "self.a == 'x'", "shake(self.a)", "self.a +", "self.a", "semver(self.a)"}) {
        EXPECT_TRUE(refusal(with_rule(rule)).starts_with(path)) << refusal(with_rule(rule));
    }
    EXPECT_EQ(refusal(with_rule("self.a > 1")), "");
}

TEST(CrdSchema, RefusesWhatIsNotStructural) {
    struct Row {
        const char* schema;
        const char* error;
    };
    const std::string root = "spec.validation.openAPIV3Schema";
    const Row rows[] = {
        {R"({})", ".type: Required value: must not be empty at the root"},
        {R"({"type": "string"})", ".type: Invalid value: \"string\": must be object at the root"},
        {R"({"type": "object", "properties": {"a": {}}})",
         ".properties[a].type: Required value: must not be empty for specified object fields"},
        {R"({"type": "object", "properties": {"a": {"type": "array"}}})",
         ".properties[a].items: Required value: must be specified"},
        {R"({"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}, "properties": {"b": {"type": "string"}}}}})",
         ".properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"},
        {R"({"type": "object", "$ref": "#/x"})", ".$ref: Forbidden: $ref is not supported"},
        {R"({"type": "object", "properties": {"a": {"type": "strin"}}})",
         R"(.properties[a].type: Unsupported value: "strin": supported values: "array", "boolean", "integer", "number", "object", "string")"},
        {R"({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}})",
         ".properties[a].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing "
         "regexp: missing closing ): `(`"},
        {R"({"type": "object", "properties": {"a": {"type": "string", "default": 5}}})",
         R"(.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer")"},
        {R"({"type": "object", "anyOf": [{"required": ["x"], "properties": {"x": {"minimum": 1}}}]})",
         ".properties[x]: Required value: because it is defined in "
         "spec.validation.openAPIV3Schema.anyOf[0].properties[x]"},
        {R"({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "map"}}})",
         ".properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is "
         "map"},
        {R"({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}}})",
         ".properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
         "becomes quadratic"},
    };
    for (const Row& row : rows) EXPECT_EQ(refusal(json_of(row.schema)), root + row.error) << row.schema;
    EXPECT_NE(refusal(json_of(
                  R"({"type": "object", "properties": {"a": {"type": "object", "oneOf": [{"type": "object"}]}}})")),
              "");
    EXPECT_NE(refusal(json_of(R"~([])~")), "");
    EXPECT_NE(refusal(json_of(R"~({"type": 5, "properties": [], "required": "x", "minimum": "y", "enum": {}})~")), "");
}

TEST(CrdSchema, ShowsARefusedRuleAsKubeApiserverDoes) {
    Json schema =
        json_of(R"~({"type": "object", "x-kubernetes-validations": [{"rule": "self.zz > 1", "message": "m"}]})~");
    EXPECT_EQ(
        refusal(schema),
        "spec.validation.openAPIV3Schema.x-kubernetes-validations[0].rule: Invalid value: {\"Rule\":\"self.zz \\u003e "
        "1\",\"Message\":\"m\",\"MessageExpression\":\"\",\"Reason\":null,\"FieldPath\":\"\",\"OptionalOldSelf\":null}:"
        " "
        "compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz > 1\n | ....^");
}

TEST(CrdSchema, TooDeepIsRefusedNotOverflowed) {
    std::string schema_text = R"({"type": "object")";
    for (int i = 0; i < 60; ++i) schema_text += R"(, "properties": {"a": {"type": "object")";
    schema_text += std::string(121, '}');
    EXPECT_EQ(refusal(json_of(schema_text)), "");
    Json object = Json::object();
    for (int i = 0; i < 300; ++i) object = Json{{"a", std::move(object)}};
    FieldErrors errors = CrdSchema::preserving().validate(object);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].text().find("nested deeper than"), std::string::npos);
}

/// Any JSON at all.
Json random_json(std::uint32_t& state, int depth) {
    auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 16; };
    static const char* names[] = {"type",
                                  "properties",
                                  "items",
                                  "enum",
                                  "a",
                                  "spec",
                                  "default",
                                  "pattern",
                                  "required",
                                  "minimum",
                                  "anyOf",
                                  "not",
                                  "x-kubernetes-validations",
                                  "rule",
                                  "x-kubernetes-list-type",
                                  "x-kubernetes-list-map-keys",
                                  "additionalProperties",
                                  "format",
                                  "nullable",
                                  "x-kubernetes-int-or-string",
                                  "metadata",
                                  "x-kubernetes-preserve-unknown-fields"};
    static const char* words[] = {"object", "array",       "string", "integer",   "map",   "set",
                                  "a",      "self.a == 1", "^(",     "date-time", "int32", ""};
    switch (next() % (depth > 6 ? 5 : 8)) {
        case 0:
            return nullptr;
        case 1:
            return next() % 2 == 0;
        case 2:
            return static_cast<std::int64_t>(next()) - 30000;
        case 3:
            return 0.5 * next();
        case 4:
            return words[next() % std::size(words)];
        case 5: {
            Json list = Json::array();
            for (auto n = next() % 4; n > 0; --n) list.push_back(random_json(state, depth + 1));
            return list;
        }
        default: {
            Json object = Json::object();
            for (auto n = next() % 6; n > 0; --n)
                object[names[next() % std::size(names)]] = random_json(state, depth + 1);
            if (next() % 2 == 0) object["type"] = words[next() % 4];
            return object;
        }
    }
}

TEST(CrdSchema, RandomSchemasAndObjectsNeverCrash) {
    std::uint32_t state = 1;
    CrdSchema probe = CrdSchema::compile_all(recorded("validation.json")["schema"]).schema.at(0);
    int compiled = 0;
    for (int round = 0; round < 20000; ++round) {
        CompiledSchema outcome = CrdSchema::compile_all(random_json(state, 0));
        if (outcome.ok()) ++compiled;
        Json object = random_json(state, 0);
        Json old = random_json(state, 0);
        Json probe_object = {{"spec", object}};
        for (const CrdSchema& schema : outcome.schema) {
            Json copy = object;
            schema.prune(copy);
            schema.apply_defaults(copy);
            schema.validate(copy, &old);
        }
        probe.apply_defaults(probe_object);
        probe.validate(probe_object, &old);
        probe.prune(probe_object);
    }
    EXPECT_GT(compiled, 10);
}

}  // namespace
}  // namespace atl::schema
