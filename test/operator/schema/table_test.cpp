#include "operator/schema/table.h"

#include <gtest/gtest.h>

#include "operator/base/time.h"

namespace atl::schema {
namespace {

std::string found(const char* path, const char* object) {
    Result<JsonPath> compiled = JsonPath::compile(path);
    if (!compiled) return "! " + compiled.error().message();
    Json document = Json::parse(object);
    std::string all;
    for (const Json* value : compiled->find(document)) all += (all.empty() ? "" : " ") + value->dump();
    return all;
}

TEST(JsonPath, FindsWhatPrinterColumnsNeed) {
    const char* object = R"({"spec": {"a": 1, "list": [{"n": "x", "v": 1}, {"n": "y", "v": 2}], "a.b": 3},
        "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Other", "status": "False"}]}})";
    EXPECT_EQ(found(".spec.a", object), "1");
    EXPECT_EQ(found("{.spec.a}", object), "1");
    EXPECT_EQ(found(".spec['a.b']", object), "3");
    EXPECT_EQ(found(".spec.a\\.b", object), "3");
    EXPECT_EQ(found(".spec.list[0].n", object), "\"x\"");
    EXPECT_EQ(found(".spec.list[-1].n", object), "\"y\"");
    EXPECT_EQ(found(".spec.list[*].v", object), "1 2");
    EXPECT_EQ(found(".spec.list[0:1].v", object), "1");
    EXPECT_EQ(found(".spec.list[?(@.v>1)].n", object), "\"y\"");
    EXPECT_EQ(found(R"(.status.conditions[?(@.type=="Ready")].status)", object), "\"True\"");
    EXPECT_EQ(found(".status.conditions[?(@.type=='Other')].status", object), "\"False\"");
    EXPECT_EQ(found(".status.conditions[?(@.missing)].status", object), "");
    EXPECT_EQ(found("..status", object).find("\"True\"") != std::string::npos, true);
    EXPECT_EQ(found(".spec.missing.more", object), "");
    EXPECT_EQ(found(".spec.a.b", object), "");
    for (const char* bad : {"spec", ".spec[", ".spec[x]", ".spec..", ".a[?(x==1)]", ".a[?(@.b=1)]", ".spec."}) {
        EXPECT_TRUE(found(bad, object).starts_with("! ")) << bad;
    }
}

TEST(Table, MakesCellsOfTheColumnsTypes) {
    Json columns =
        Json::parse(R"([{"name": "Size", "type": "integer", "jsonPath": ".spec.size", "description": "How big."},
        {"name": "Weight", "type": "number", "jsonPath": ".spec.weight"},
        {"name": "On", "type": "boolean", "jsonPath": ".spec.on"},
        {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status", "priority": 1},
        {"name": "Map", "type": "string", "jsonPath": ".spec.map"},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}])");
    Result<TableColumns> table = TableColumns::compile(columns);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->definitions()[1].dump(),
              R"({"description":"How big.","format":"","name":"Size","priority":0,"type":"integer"})");
    EXPECT_EQ(table->definitions()[4]["priority"], 1);
    WallTime now = *parse_rfc3339("2026-01-01T00:10:00Z");
    Json object = Json::parse(R"({"metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"size": 3, "weight": 2, "on": true, "map": {"k": "v"}}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}})");
    EXPECT_EQ(table->cells(object, now).dump(), R"(["a",3,2.0,true,"True","{\"k\":\"v\"}","10m"])");
    EXPECT_EQ(table->cells(Json::object(), now).dump(), R"(["",null,null,null,null,null,null])");
    EXPECT_EQ(table->cells(Json::parse(R"({"spec": {"size": "x", "on": 1}})"), now)[1], nullptr);
}

TEST(Table, HasAnAgeWithoutColumns) {
    Result<TableColumns> table = TableColumns::compile(Json());
    ASSERT_TRUE(table.ok());
    ASSERT_EQ(table->definitions().size(), 2u);
    EXPECT_EQ(table->definitions()[1]["name"], "Age");
    EXPECT_FALSE(TableColumns::compile(Json::array({{{"name", "X"}, {"jsonPath", "spec"}}})).ok());
}

TEST(HumanDuration, ReadsAsInKubectl) {
    const std::pair<std::int64_t, const char*> rows[] = {
        {-5, "<invalid>"}, {0, "0s"},      {119, "119s"},      {120, "2m"},      {125, "2m5s"},      {600, "10m"},
        {10799, "179m"},   {10800, "3h"},  {11100, "3h5m"},    {28800, "8h"},    {172799, "47h"},    {172800, "2d"},
        {180000, "2d2h"},  {691200, "8d"}, {63071999, "729d"}, {63072000, "2y"}, {63158400, "2y1d"}, {252288000, "8y"}};
    for (const auto& [seconds, text] : rows) EXPECT_EQ(human_duration(std::chrono::seconds(seconds)), text) << seconds;
}

}  // namespace
}  // namespace atl::schema
