#include "controllers/workloads.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace atl::controllers {
namespace {

crds::Stack stack(const char* spec) {
    nlohmann::json object{{"metadata", {{"name", "shop"}, {"namespace", "prod"}, {"uid", "u"}}}};
    object["spec"] = nlohmann::json::parse(spec);
    return crds::decode_stack(object).value();
}

crds::ServiceInstance instance(const std::string& name, const std::string& service) {
    nlohmann::json object{{"metadata", {{"name", name}, {"namespace", "prod"}, {"uid", "i"}}}};
    object["spec"] = {{"stackRef", {{"name", "shop"}}}, {"service", service}, {"replicas", 2}};
    return crds::decode_service_instance(object).value();
}

constexpr const char* kShop = R"({
  "clusterRef": {"name": "local"},
  "services": [
    {"name": "web", "container": {"image": "web:1", "ports": [{"name": "http", "containerPort": 80}],
      "resources": {"limits": {"cpu": "500m", "memory": "64Mi"}}},
     "provides": [{"name": "http", "port": "http"}], "consumes": [{"name": "store", "port": 8080}]},
    {"name": "store", "container": {"image": "store:1", "ports": [{"name": "http", "containerPort": 8080}]},
     "provides": [{"name": "http", "port": "http"}]}],
  "links": [{"name": "store", "from": {"service": "web", "consumes": "store"}, "to": {"service": "store", "provides": "http"}}],
  "gateways": [{"name": "public", "listeners": [{"port": 8000, "protocol": "HTTP"}], "routes": [{"to": {"service": "web", "provides": "http"}}]}]
})";

TEST(Workloads, APlainServiceIsOneWorkloadNamedForItsInstance) {
    const auto workloads = workloads_of(stack(kShop), instance("shop-web", "web"), {}).value();
    ASSERT_EQ(workloads.size(), 1U);
    EXPECT_EQ(workloads[0].name, "shop-web");
    EXPECT_EQ(workloads[0].path, "web");
    EXPECT_EQ(workloads[0].group, "prod-shop");
    EXPECT_EQ(workloads[0].replicas, 2);
    EXPECT_EQ(workloads[0].cpu_limit_nano, 500'000'000);
    EXPECT_EQ(workloads[0].memory_limit_bytes, 64 * 1024 * 1024);
}

TEST(Workloads, ALinkLeadsToTheStacksInstanceOfTheProvider) {
    const auto workloads = workloads_of(stack(kShop), instance("shop-web", "web"), {}).value();
    ASSERT_EQ(workloads[0].links.size(), 1U);
    EXPECT_EQ(workloads[0].links[0].name, "store");
    EXPECT_EQ(workloads[0].links[0].provider_host, "shop-store");
    EXPECT_EQ(workloads[0].links[0].provider_port, 8080);
}

TEST(Workloads, OnlyTheStacksOwnInstanceHoldsTheGatewaysPorts) {
    const auto own = workloads_of(stack(kShop), instance("shop-web", "web"), {}).value();
    ASSERT_EQ(own[0].published.size(), 1U);
    EXPECT_EQ(own[0].published[0].listen, 8000);
    EXPECT_EQ(own[0].published[0].container_port, 80);
    const auto copy = workloads_of(stack(kShop), instance("customer-7", "web"), {}).value();
    EXPECT_TRUE(copy[0].published.empty());
    EXPECT_EQ(copy[0].name, "customer-7");
}

constexpr const char* kForum = R"({
  "clusterRef": {"name": "local"},
  "services": [
    {"name": "php", "container": {"image": "php:1"}, "consumes": [{"name": "db", "port": 5432}]},
    {"name": "pg", "container": {"image": "pg:1", "ports": [{"name": "sql", "containerPort": 5432}]},
     "provides": [{"name": "pg", "port": "sql"}]},
    {"name": "forum", "composite": {"services": [{"name": "app", "service": "php"}, {"name": "store", "service": "pg"}],
      "links": [{"name": "db", "from": {"service": "app", "consumes": "db"}, "to": {"service": "store", "provides": "pg"}}],
      "provides": []}}]
})";

TEST(Workloads, ACompositesPartsAreNamedByTheirPathsAndLinkedInside) {
    const auto workloads = workloads_of(stack(kForum), instance("shop-forum", "forum"), {}).value();
    ASSERT_EQ(workloads.size(), 2U);
    EXPECT_EQ(workloads[0].name, "shop-forum-app");
    EXPECT_EQ(workloads[1].name, "shop-forum-store");
    ASSERT_EQ(workloads[0].links.size(), 1U);
    EXPECT_EQ(workloads[0].links[0].provider, "shop-forum-store");
}

TEST(Workloads, TwoInstancesOfACompositeDoNotMeet) {
    const auto one = workloads_of(stack(kForum), instance("a", "forum"), {}).value();
    const auto other = workloads_of(stack(kForum), instance("b", "forum"), {}).value();
    EXPECT_EQ(one[0].links[0].provider, "a-store");
    EXPECT_EQ(other[0].links[0].provider, "b-store");
}

TEST(WorkloadName, StaysALabelHoweverLongThePath) {
    const std::string name = workload_name(std::string(63, 'a'), "s", "x/y");
    EXPECT_LE(name.size(), 63U);
    EXPECT_NE(name, workload_name(std::string(63, 'a'), "s", "x/z"));
}

}  // namespace
}  // namespace atl::controllers
