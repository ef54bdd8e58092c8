#include "operator/schema/openapi.h"

#include <set>

#include <gtest/gtest.h>

#include "operator/schema/built_in.h"

namespace atl::schema {
namespace {

using Json = nlohmann::json;

ServedKind probe() {
    ServedKind kind;
    kind.group = "example.dev";
    kind.version = "v1";
    kind.kind = "Probe";
    kind.list_kind = "ProbeList";
    kind.plural = "probes";
    kind.has_status = true;
    kind.has_scale = true;
    kind.schema = {{"type", "object"}, {"description", "A probe."}, {"properties", {{"spec", {{"type", "object"}}}}}};
    return kind;
}

void collect_references(const Json& value, std::set<std::string>& references) {
    if (value.is_object() && value.contains("$ref")) references.insert(value["$ref"].get<std::string>().substr(21));
    if (!value.is_structured()) return;
    for (const Json& child : value) collect_references(child, references);
}

TEST(OpenApi, HasWhatKubectlExplainLooksFor) {
    Json document = openapi_v3_document({probe()});
    const Json& get = document["paths"]["/apis/example.dev/v1/namespaces/{namespace}/probes/{name}"]["get"];
    EXPECT_EQ(get["x-kubernetes-group-version-kind"],
              (Json{{"group", "example.dev"}, {"version", "v1"}, {"kind", "Probe"}}));
    EXPECT_EQ(get["x-kubernetes-action"], "get");
    const Json& schema = document["components"]["schemas"]["dev.example.v1.Probe"];
    EXPECT_EQ(schema["x-kubernetes-group-version-kind"][0]["kind"], "Probe");
    EXPECT_EQ(schema["description"], "A probe.");
    EXPECT_TRUE(schema["properties"].contains("spec"));
    EXPECT_EQ(schema["properties"]["metadata"]["allOf"][0]["$ref"],
              "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
}

TEST(OpenApi, PatchesNameTheParametersThatKubectlLooksFor) {
    Json document = openapi_v3_document({probe()});
    std::set<std::string> names;
    for (const Json& parameter :
         document["paths"]["/apis/example.dev/v1/namespaces/{namespace}/probes/{name}"]["patch"]["parameters"]) {
        names.insert(parameter["name"]);
    }
    EXPECT_TRUE(names.contains("fieldValidation"));
    EXPECT_TRUE(names.contains("dryRun"));
}

TEST(OpenApi, ServesSubresourcesAndAllNamespaces) {
    Json paths = openapi_v3_document({probe()})["paths"];
    EXPECT_TRUE(paths.contains("/apis/example.dev/v1/probes"));
    EXPECT_TRUE(paths.contains("/apis/example.dev/v1/namespaces/{namespace}/probes/{name}/status"));
    EXPECT_EQ(paths["/apis/example.dev/v1/namespaces/{namespace}/probes/{name}/scale"]["get"]
                   ["x-kubernetes-group-version-kind"]["kind"],
              "Scale");
    ServedKind cluster = probe();
    cluster.namespaced = false;
    EXPECT_TRUE(openapi_v3_document({cluster})["paths"].contains("/apis/example.dev/v1/probes/{name}"));
}

TEST(OpenApi, EveryReferenceHasItsSchemaAndEveryOperationItsOwnId) {
    std::set<std::pair<std::string, std::string>> groups;
    for (const BuiltInKind& kind : built_in_kinds()) groups.emplace(kind.group, kind.version);
    std::vector<Json> documents = {openapi_v3_document({probe()})};
    for (const auto& [group, version] : groups)
        documents.push_back(openapi_v3_document(built_in_served_kinds(group, version)));
    for (const Json& document : documents) {
        std::set<std::string> references, ids;
        collect_references(document, references);
        for (const std::string& name : references)
            EXPECT_TRUE(document["components"]["schemas"].contains(name)) << name;
        for (const auto& [path, item] : document["paths"].items()) {
            for (const auto& [method, operation] : item.items()) {
                if (method != "parameters")
                    EXPECT_TRUE(ids.insert(operation["operationId"]).second) << path << " " << method;
            }
        }
    }
}

TEST(OpenApi, TheIndexNamesEachDocumentWithItsHash) {
    EXPECT_EQ(openapi_v3_index({{"api/v1", "abc"}}).dump(),
              R"({"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=abc"}}})");
}

TEST(BuiltIn, EveryKindHasASchemaThatCompiles) {
    for (const BuiltInKind& kind : built_in_kinds()) {
        const CrdSchema* schema = find_built_in_schema(kind.group, kind.version, kind.kind);
        ASSERT_NE(schema, nullptr) << kind.kind;
    }
    EXPECT_EQ(find_built_in_schema("", "v1", "Pod"), nullptr);
    EXPECT_EQ(find_built_in_schema("apps", "v1", "Secret"), nullptr);
}

TEST(BuiltIn, SchemasPruneDefaultAndCheckTypes) {
    Json secret = Json::parse(
        R"({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "x": 1}, "data": {"k": "dg=="}, "spec": {}})");
    const CrdSchema& schema = *find_built_in_schema("", "v1", "Secret");
    EXPECT_EQ(schema.prune(secret), (std::vector<std::string>{"metadata.x", "spec"}));
    schema.apply_defaults(secret);
    EXPECT_EQ(secret["type"], "Opaque");
    EXPECT_TRUE(schema.validate(secret).empty());
    secret["data"]["k"] = "not base64";
    EXPECT_FALSE(schema.validate(secret).empty());
}

}  // namespace
}  // namespace atl::schema
