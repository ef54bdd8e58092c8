#include "crds/definitions.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/base/manifest.h"

namespace atl::crds {
namespace {

using nlohmann::json;

const json& version_of(const json& definition) {
    return definition["spec"]["versions"][0];
}

/// Calls back for each field of a schema, with its path.
template <class F>
void each_field(const json& schema, const std::string& path, const F& visit) {
    if (schema.contains("items")) each_field(schema["items"], path + "[]", visit);
    if (!schema.contains("properties")) return;
    for (const auto& [name, field] : schema["properties"].items()) {
        visit(path + "." + name, field);
        each_field(field, path + "." + name, visit);
    }
}

TEST(Definitions, AreTheFilesOfTheRepository) {
    ASSERT_EQ(definitions().size(), 4u);
    ASSERT_EQ(policies().size(), 4u);
    const char* files[] = {"cluster", "stack", "service_instance", "machine"};
    for (std::size_t i = 0; i < 4; ++i) {
        std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/crds/" + files[i] + ".yaml");
        std::stringstream text;
        text << file.rdbuf();
        Result<std::vector<ManifestDocument>> documents = parse_manifests(text.str());
        ASSERT_TRUE(documents.ok()) << files[i] << ": " << documents.error().message();
        ASSERT_EQ(documents->size(), 1u);
        EXPECT_EQ(documents->at(0).object, definitions()[i]) << files[i];
    }
    EXPECT_EQ(parse_manifests(manifest_text())->size(), 8u);
}

TEST(Definitions, DescribeEveryField) {
    std::size_t fields = 0;
    std::vector<std::string> missing;
    for (const json& definition : definitions()) {
        std::string kind = definition["spec"]["names"]["kind"];
        const json& schema = version_of(definition)["schema"]["openAPIV3Schema"];
        if (!schema.contains("description")) missing.push_back(kind);
        each_field(schema, kind, [&](const std::string& path, const json& field) {
            ++fields;
            if (path != kind + ".metadata" && field.value("description", "").size() < 10) missing.push_back(path);
        });
    }
    EXPECT_TRUE(missing.empty()) << missing.size() << " of " << fields
                                 << " fields have no description: " << json(missing).dump();
    EXPECT_GT(fields, 150u);
}

TEST(Definitions, SayTheDefaultOrThatThereIsNoneForEveryFieldOfASpec) {
    std::vector<std::string> silent;
    for (const json& definition : definitions()) {
        const json& schema = version_of(definition)["schema"]["openAPIV3Schema"]["properties"]["spec"];
        each_field(schema, definition["spec"]["names"]["kind"], [&](const std::string& path, const json& field) {
            // Objects and lists of objects are described by their fields, booleans and scalars must say it.
            if (field.contains("properties") || field.value("type", "") == "object") return;
            std::string text = field.value("description", "");
            bool says = text.find("efault") != std::string::npos || text.find("at least one") != std::string::npos ||
                        text.find("exactly one") != std::string::npos || text.find("Immutable") != std::string::npos;
            if (!says) silent.push_back(path);
        });
    }
    EXPECT_TRUE(silent.empty()) << json(silent).dump(1);
}

TEST(Definitions, BoundEverythingThatARuleOrAClientCouldGrow) {
    std::vector<std::string> unbounded;
    for (const json& definition : definitions()) {
        const json& schema = version_of(definition)["schema"]["openAPIV3Schema"]["properties"]["spec"];
        each_field(schema, definition["spec"]["names"]["kind"], [&](const std::string& path, const json& field) {
            bool text = field.value("type", "") == "string" && !field.contains("enum") && !field.contains("maxLength");
            bool list = field.value("type", "") == "array" && !field.contains("maxItems");
            bool number =
                field.value("type", "") == "integer" && !(field.contains("minimum") && field.contains("maximum"));
            if (text || list || number) unbounded.push_back(path);
        });
    }
    EXPECT_TRUE(unbounded.empty()) << json(unbounded).dump(1);
}

TEST(Definitions, KeyListsOfNamedThings) {
    for (const json& definition : definitions())
        each_field(version_of(definition)["schema"]["openAPIV3Schema"], definition["spec"]["names"]["kind"],
                   [&](const std::string& path, const json& field) {
                       if (field.value("type", "") != "array") return;
                       EXPECT_TRUE(field.contains("x-kubernetes-list-type")) << path;
                       bool named =
                           field["items"].contains("properties") && field["items"]["properties"].contains("name") &&
                           field["items"].value("required", json::array()).dump().find("\"name\"") != std::string::npos;
                       if (named && path.find(".plan.") == std::string::npos) {
                           EXPECT_EQ(field["x-kubernetes-list-type"], "map") << path;
                       }
                   });
}

TEST(Definitions, HaveWhatToolsExpectOfAKind) {
    for (const json& definition : definitions()) {
        const json& names = definition["spec"]["names"];
        const json& version = version_of(definition);
        EXPECT_EQ(names["categories"], json::array({"atoll"}));
        EXPECT_EQ(definition["spec"]["scope"], "Namespaced");
        EXPECT_TRUE(version["subresources"].contains("status"));
        EXPECT_EQ(version["schema"]["openAPIV3Schema"]["properties"]["status"]["default"],
                  (json{{"observedGeneration", -1}}))
            << "else a new object is read as done";
        const json& columns = version["additionalPrinterColumns"];
        std::size_t narrow = 1;  // NAME
        for (const json& column : columns) narrow += column.value("priority", 0) == 0 ? 1 : 0;
        EXPECT_LE(narrow, 8u) << names["kind"];
        EXPECT_EQ(columns.front()["name"], "Ready");
        EXPECT_EQ(columns[1]["name"], "Reason");
        EXPECT_EQ(columns.back()["name"], "Age");
    }
    EXPECT_EQ(definitions()[0]["spec"]["names"]["shortNames"][0], "acl");
    EXPECT_EQ(definitions()[1]["spec"]["names"]["shortNames"][0], "astk");
    EXPECT_EQ(definitions()[2]["spec"]["names"]["shortNames"][0], "asvc");
    EXPECT_EQ(definitions()[3]["spec"]["names"]["shortNames"][0], "amach");
    EXPECT_EQ(version_of(definitions()[2])["subresources"]["scale"], (json{{"specReplicasPath", ".spec.replicas"},
                                                                           {"statusReplicasPath", ".status.replicas"},
                                                                           {"labelSelectorPath", ".status.selector"}}));
}

}  // namespace
}  // namespace atl::crds
