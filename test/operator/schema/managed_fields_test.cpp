#include "operator/schema/managed_fields.h"

#include <fstream>

#include <gtest/gtest.h>

#include "operator/schema/built_in.h"
#include "operator/schema/field_set.h"
#include "operator/schema/patch.h"

namespace atl::schema {
namespace {

Json recorded(const std::string& name) {
    std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/test/data/kubernetes/" + name);
    return Json::parse(file);
}

const CrdSchema& probe_schema() {
    static const CrdSchema schema = CrdSchema::compile_all(recorded("validation.json")["schema"]).schema.at(0);
    return schema;
}

/// Times are not of the recording's concern, but for whether there is one.
Json comparable(Json object) {
    for (Json& entry : object["metadata"]["managedFields"]) {
        bool has_time = entry.contains("time") && !entry["time"].is_null();
        entry["time"] = has_time ? Json("T") : Json();
    }
    if (object["metadata"]["managedFields"].is_null()) object["metadata"].erase("managedFields");
    object["metadata"].erase("namespace");
    return object;
}

/// The write path of a server, as far as it touches ownership.
class Server {
public:
    Json live;

    Json write(const Json& step) {
        FieldManager manager;
        manager.name = step["manager"];
        manager.api_version = "example.dev/v1";
        manager.subresource = step["subresource"];
        manager.time = "2026-01-02T03:04:0" + std::to_string(clock_++ % 10) + "Z";
        return step["op"] == "apply" ? apply(step, manager) : put(step, manager);
    }

private:
    Json put(const Json& step, const FieldManager& manager) {
        Json wanted = step["op"] == "merge" ? merge_patch(live, step["body"]) : step["body"];
        bool is_status = manager.subresource == "status";
        Json result = is_status ? live : wanted;
        if (wanted.contains("status") && is_status) result["status"] = wanted["status"];
        if (!is_status) {
            result.erase("status");
            if (live.contains("status")) result["status"] = live["status"];
        }
        probe_schema().apply_defaults(result);
        live = update_managed_fields(live, result, probe_schema(), manager);
        return live;
    }

    Json apply(const Json& step, const FieldManager& manager) {
        Force force = step["force"] == true ? Force::Yes : Force::No;
        Result<Applied> applied = apply_patch({live, step["body"], probe_schema(), manager, force});
        if (!applied) return {{"message", applied.error().message()}, {"causes", nullptr}};
        if (!applied->conflicts.empty()) {
            Json status = apply_conflict_status(applied->conflicts);
            return {{"message", status["message"]}, {"causes", status["details"]["causes"]}};
        }
        live = applied->object;
        // As kube-apiserver, whose library drops what is below metadata, with the name, when nobody owns it any more.
        live["metadata"]["name"] = step["body"]["metadata"]["name"];
        probe_schema().apply_defaults(live);
        return live;
    }

    int clock_ = 0;
};

/// Problems of several fields come in one of many orders there.
std::string sorted_lines(const std::string& text) {
    std::vector<std::string> lines(1);
    for (char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

/// Sequences of writes, recorded with their outcomes from kube-apiserver 1.37.2.
TEST(ManagedFields, GoTheWayOfKubeApiserver) {
    const Json scenarios = recorded("apply.json");
    ASSERT_EQ(scenarios.size(), 6u);
    for (const auto& [scenario, steps] : scenarios.items()) {
        Server server;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            std::string where = scenario + ", step " + std::to_string(i);
            Json result = server.write(steps[i]);
            if (steps[i]["code"] >= 300) {
                EXPECT_EQ(sorted_lines(result.value("message", "")), sorted_lines(steps[i]["result"]["message"]))
                    << where;
                EXPECT_EQ(result.value("causes", Json()), steps[i]["result"]["causes"]) << where;
                continue;
            }
            Json expected = comparable(steps[i]["result"]), got = comparable(result);
            // Equal times are sorted by name, and the recording's clock is not ours.
            auto sort_entries = [](Json& object) {
                if (object["metadata"].contains("managedFields")) {
                    std::sort(object["metadata"]["managedFields"].begin(), object["metadata"]["managedFields"].end());
                }
            };
            sort_entries(expected);
            sort_entries(got);
            EXPECT_EQ(got, expected) << where << "\n" << Json::diff(expected, got).dump(1);
        }
    }
}

FieldManager by(const std::string& name, const std::string& time = "2026-01-01T00:00:00Z") {
    FieldManager manager;
    manager.name = name;
    manager.api_version = "v1";
    manager.time = time;
    return manager;
}

TEST(ManagedFields, EntriesAreSortedByOperationTimeAndName) {
    const CrdSchema& schema = *find_built_in_schema("", "v1", "ConfigMap");
    Json object = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}, {"data", {{"a", "1"}}}};
    object = update_managed_fields(Json(), object, schema, by("zed", "2026-01-01T00:00:01Z"));
    Json next = object;
    next["data"]["b"] = "2";
    object = update_managed_fields(object, next, schema, by("abe", "2026-01-01T00:00:02Z"));
    Json config = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}, {"data", {{"c", "3"}}}};
    Result<Applied> applied = apply_patch({object, config, schema, by("mid", "2026-01-01T00:00:03Z")});
    ASSERT_TRUE(applied.ok());
    std::vector<std::string> names;
    for (const Json& entry : applied->object["metadata"]["managedFields"]) names.push_back(entry["manager"]);
    EXPECT_EQ(names, (std::vector<std::string>{"mid", "zed", "abe"}));
}

TEST(ManagedFields, ANoOpUpdateKeepsItsTime) {
    const CrdSchema& schema = *find_built_in_schema("", "v1", "ConfigMap");
    Json object = {{"metadata", {{"name", "a"}}}, {"data", {{"a", "1"}}}};
    Json once = update_managed_fields(Json(), object, schema, by("x", "2026-01-01T00:00:01Z"));
    EXPECT_EQ(update_managed_fields(once, once, schema, by("x", "2026-01-01T00:00:09Z")), once);
}

TEST(ManagedFields, ANoOpApplyIsNotAChange) {
    const CrdSchema& schema = *find_built_in_schema("", "v1", "ConfigMap");
    Json config = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}, {"data", {{"a", "1"}}}};
    Result<Applied> first = apply_patch({Json(), config, schema, by("x", "2026-01-01T00:00:01Z")});
    ASSERT_TRUE(first.ok());
    EXPECT_TRUE(first->changed);
    Result<Applied> again = apply_patch({first->object, config, schema, by("x", "2026-01-01T00:00:09Z")});
    EXPECT_FALSE(again->changed);
    EXPECT_EQ(again->object, first->object);
    Result<Applied> other = apply_patch({first->object, config, schema, by("y", "2026-01-01T00:00:09Z")});
    EXPECT_TRUE(other->changed);
}

TEST(ManagedFields, AnApplyThatNamesTheStatusInVainTwiceIsAChangeOnce) {
    Json live = {{"metadata", {{"name", "a"}}}, {"spec", {{"size", 1}}}};
    Json config = {{"metadata", {{"name", "a"}}}, {"spec", {{"size", 1}}}, {"status", {{"replicas", 9}}}};
    Result<Applied> first = apply_patch({live, config, probe_schema(), by("x", "2026-01-01T00:00:01Z")});
    ASSERT_TRUE(first.ok());
    EXPECT_TRUE(first->changed);
    EXPECT_FALSE(first->object.contains("status"));
    Result<Applied> again = apply_patch({first->object, config, probe_schema(), by("x", "2026-01-01T00:00:09Z")});
    EXPECT_FALSE(again->changed);
}

TEST(ManagedFields, KubectlTakesOverWhatItAppliedBefore) {
    const CrdSchema& schema = *find_built_in_schema("", "v1", "ConfigMap");
    Json config = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}, {"data", {{"a", "1"}}}};
    Json object = config;
    object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = config.dump();
    object = update_managed_fields(Json(), object, schema, by("kubectl-client-side-apply"));
    config["data"]["a"] = "2";
    EXPECT_TRUE(apply_patch({object, config, schema, by("kubectl")})->conflicts.empty());
    EXPECT_EQ(apply_patch({object, config, schema, by("other")})->conflicts.size(), 1u);
}

TEST(ManagedFields, ManyUpdatersBecomeAncientChanges) {
    const CrdSchema& schema = *find_built_in_schema("", "v1", "ConfigMap");
    Json object = {{"metadata", {{"name", "a"}}}, {"data", Json::object()}};
    for (int i = 0; i < 15; ++i) {
        Json next = object;
        next["data"]["k" + std::to_string(i)] = "v";
        object = update_managed_fields(object, next, schema,
                                       by("m" + std::to_string(i), "2026-01-01T00:00:" + std::to_string(10 + i) + "Z"));
    }
    const Json& entries = object["metadata"]["managedFields"];
    EXPECT_EQ(entries.size(), 10u);
    EXPECT_EQ(entries[0]["manager"], "ancient-changes");
}

TEST(ManagedFields, TheOrderOfListItemsFollowsThePatch) {
    Json live = {{"spec", {{"size", 1}, {"parts", Json::array({{{"name", "a"}}, {{"name", "b"}}, {{"name", "c"}}})}}}};
    Json config = {
        {"spec", {{"size", 1}, {"parts", Json::array({{{"name", "c"}}, {{"name", "x"}}, {{"name", "a"}}})}}}};
    Result<Applied> applied = apply_patch({live, config, probe_schema(), by("x"), Force::Yes});
    std::string order;
    for (const Json& part : applied->object["spec"]["parts"]) order += part["name"].get<std::string>();
    EXPECT_EQ(order, "cxab");
}

TEST(FieldSet, ReadsBackWhatItWrites) {
    Json fields = Json::parse(
        R"({"f:spec": {".": {}, "f:a": {}, "f:parts": {"k:{\"name\":\"x\"}": {".": {}, "f:n": {}}}, "f:tags": {"v:\"t\"": {}}}})");
    Result<FieldSet> set = FieldSet::from_json(fields);
    ASSERT_TRUE(set.ok());
    EXPECT_EQ(set->to_json(), fields);
    EXPECT_EQ(set->paths(), (std::vector<std::string>{".spec", ".spec.a", ".spec.parts[name=\"x\"]",
                                                      ".spec.parts[name=\"x\"].n", ".spec.tags[=\"t\"]"}));
    for (const char* bad : {R"([])", R"({"x": {}})", R"({"f:a": 1})", R"({"k:{": {}})", R"({"k:1": {}})"}) {
        EXPECT_FALSE(FieldSet::from_json(Json::parse(bad)).ok()) << bad;
    }
}

TEST(ManagedFields, BrokenEntriesAreDroppedNotFatal) {
    Json object = Json::parse(
        R"({"metadata": {"name": "a", "managedFields": [5, {"manager": "x"}, {"manager": 3, "operation": "Update",
        "fieldsV1": {"f:data": {}}}, {"operation": "Update", "fieldsV1": {"q": 1}}, {"operation": "Jump", "fieldsV1": {}}]}, "data": {"a": "b"}})");
    const CrdSchema& schema = *find_built_in_schema("", "v1", "ConfigMap");
    Json next = object;
    next["data"]["c"] = "d";
    Json updated = update_managed_fields(object, next, schema, by("m"));
    EXPECT_EQ(updated["metadata"]["managedFields"].size(), 2u);
    EXPECT_TRUE(apply_patch({object, Json::object(), schema, by("m")}).ok());
    EXPECT_FALSE(apply_patch({object, Json("x"), schema, by("m")}).ok());
}

}  // namespace
}  // namespace atl::schema
