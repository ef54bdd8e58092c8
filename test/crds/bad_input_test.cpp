// Bad input to our kinds, as tables: admission/cases.yaml is what the schemas refuse (the same rows run against API
// servers by kubectl), conditions.yaml what only the controllers can see.
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "crds/cluster.h"
#include "crds/definitions.h"
#include "crds/service_instance.h"
#include "crds/stack.h"
#include "operator/base/manifest.h"
#include "operator/schema/crd_schema.h"
#include "operator/schema/field_error.h"
#include "operator/schema/go_text.h"

namespace atl::crds {
namespace {

using nlohmann::json;

/// The rows of a table, which is one YAML list.
json rows_of(const std::string& name) {
    std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/test/crds/" + name);
    std::stringstream text;
    text << "rows:\n" << file.rdbuf();
    const auto documents = parse_manifests(text.str());
    EXPECT_TRUE(documents.ok()) << documents.error().message();
    return documents.ok() ? documents->front().object["rows"] : json::array();
}

/// The sound object of a kind, of which each row breaks something.
json sound(const std::string& kind) {
    const json specs = {
        {"Cluster", {{"infrastructure", {{"local", json::object()}}}, {"orchestrator", {{"swarm", json::object()}}}}},
        {"Stack",
         {{"clusterRef", {{"name", "c"}}},
          {"services", json::array({{{"name", "web"},
                                     {"container",
                                      {{"image", "web"},
                                       {"ports", json::array({{{"name", "http"}, {"containerPort", 80}}})}}}}})}}},
        {"ServiceInstance", {{"stackRef", {{"name", "s"}}}, {"service", "web"}}}};
    return {{"apiVersion", "atoll.dev/v1alpha1"}, {"kind", kind}, {"metadata", {{"name", "x"}}}, {"spec", specs[kind]}};
}

json broken(const json& row) {
    json object = sound(row["kind"]);
    object.merge_patch(row.value("patch", json::object()));
    if (row.contains("service")) object["spec"]["services"][0].merge_patch(row["service"]);
    return object;
}

schema::CrdSchema schema_of(const std::string& kind) {
    for (const json& definition : definitions()) {
        if (definition["spec"]["names"]["kind"] != kind) continue;
        return schema::CrdSchema::compile(definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]).value();
    }
    throw std::runtime_error("no definition of " + kind);
}

/// What strict admission says; empty if it takes the object.
std::string refusal(json object, const json* old) {
    const schema::CrdSchema known = schema_of(object["kind"]);
    std::string text;
    for (const std::string& path : known.prune(object)) text += schema::unknown_field_text(path) + "\n";
    known.apply_defaults(object);
    const schema::FieldErrors errors = known.validate(object, old);
    return errors.empty() ? text : text + schema::aggregate_text(errors);
}

template <class T>
std::string text_of(const Result<T>& decoded, const FieldErrors& errors) {
    if (!decoded.ok()) return decoded.error().message();
    return errors.empty() ? "" : to_error(errors).message();
}

/// What the controllers put into the condition Stalled; empty if the spec is sound.
std::string condition(json object) {
    schema_of(object["kind"]).apply_defaults(object);
    if (object["kind"] == "Cluster") {
        const auto cluster = decode_cluster(object);
        return text_of(cluster, cluster.ok() ? check(cluster->spec) : FieldErrors());
    }
    if (object["kind"] == "Stack") {
        const auto stack = decode_stack(object);
        return text_of(stack, stack.ok() ? check(stack->spec) : FieldErrors());
    }
    json stack = sound("Stack");
    schema_of("Stack").apply_defaults(stack);
    const auto instance = decode_service_instance(object);
    return text_of(instance, instance.ok() ? check(instance->spec, decode_stack(stack)->spec) : FieldErrors());
}

bool says(const std::string& text, const json& row) {
    return std::regex_search(text, std::regex(row["message"].get<std::string>()));
}

TEST(BadInput, SoundObjectsPassBoth) {
    for (const char* kind : {"Cluster", "Stack", "ServiceInstance"}) {
        EXPECT_EQ(refusal(sound(kind), nullptr), "") << kind;
        EXPECT_EQ(condition(sound(kind)), "") << kind;
    }
}

TEST(BadInput, AdmissionRefusesWhatTheSchemaCanSay) {
    const json rows = rows_of("admission/cases.yaml");
    EXPECT_GT(rows.size(), 50U);
    for (const json& row : rows) {
        std::string answer;
        if (row.contains("change")) {
            json old = sound(row["kind"]);
            schema_of(row["kind"]).apply_defaults(old);
            json changed = old;
            changed.merge_patch(row["change"]);
            answer = refusal(changed, &old);
        } else {
            answer = refusal(broken(row), nullptr);
        }
        EXPECT_TRUE(says(answer, row)) << row["why"] << "\n  wanted: " << row["message"] << "\n  got: " << answer;
    }
}

TEST(BadInput, ConditionsSayWhatOnlyTheControllersSee) {
    const json rows = rows_of("conditions.yaml");
    EXPECT_GT(rows.size(), 20U);
    for (const json& row : rows) {
        const json object = broken(row);
        EXPECT_EQ(refusal(object, nullptr), "") << row["why"] << ": the schema could say it; the row belongs there";
        const std::string answer = condition(object);
        EXPECT_TRUE(says(answer, row)) << row["why"] << "\n  wanted: " << row["message"] << "\n  got: " << answer;
        EXPECT_EQ(answer.find('\0'), std::string::npos) << row["why"];
    }
}

TEST(BadInput, TheControllersCheckAgainWhatAdmissionRefuses) {
    std::size_t checked = 0;
    for (const json& row : rows_of("admission/cases.yaml")) {
        if (!row.contains("condition")) continue;
        ++checked;
        const std::string answer = condition(broken(row));
        const std::regex wanted(row["condition"].get<std::string>());
        EXPECT_TRUE(std::regex_search(answer, wanted))
            << row["why"] << "\n  wanted: " << row["condition"] << "\n  got: " << answer;
    }
    EXPECT_GT(checked, 30U);
}

TEST(BadInput, WhatIsJustAllowedIsTaken) {
    json stack = sound("Stack");
    json& service = stack["spec"]["services"][0];
    service["rollout"] = {
        {"progressDeadline", "1s"}, {"monitor", "0s"}, {"maxSurge", "100%"}, {"maxUnavailable", 1000}};
    service["container"]["workingDir"] = "/";
    service["container"]["resources"] = {{"requests", {{"cpu", 1}, {"memory", "1Gi"}}},
                                         {"limits", {{"cpu", "1000m"}, {"memory", "7.99Ei"}}}};
    service["container"]["volumeMounts"] = json::array({{{"name", "v"}, {"mountPath", "/..a/.b/c..d/..."}}});
    stack["spec"]["volumes"] = json::array({{{"name", "v"}, {"persistent", {{"size", "1"}}}}});
    EXPECT_EQ(refusal(stack, nullptr), "");
    EXPECT_EQ(condition(stack), "");
}

TEST(BadInput, NamesAtTheLimitAreTaken) {
    json stack = sound("Stack");
    stack["metadata"]["name"] = std::string(63, 'a');
    stack["spec"]["services"][0]["name"] = std::string(63, 'b');
    stack["spec"]["clusterRef"]["name"] = std::string(253, 'c');
    EXPECT_EQ(refusal(stack, nullptr), "");
    EXPECT_EQ(condition(stack), "");
}

}  // namespace
}  // namespace atl::crds
