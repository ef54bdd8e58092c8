#include "cloud/docker/removal_order.h"

#include <gtest/gtest.h>

namespace atl::cloud::docker {
namespace {

Workload consumer(const std::string& name, const std::vector<std::string>& providers) {
    Workload workload;
    workload.name = name;
    for (const std::string& provider : providers) workload.links.push_back({provider, 1, provider, provider, 1});
    return workload;
}

TEST(RemovalOrder, ConsumersGoBeforeTheirProviders) {
    RemovalOrder order({consumer("web", {"db", "elsewhere"}), consumer("db", {})});
    EXPECT_EQ(order.providers_of("web"), std::set<std::string>{"db"});
    EXPECT_TRUE(order.providers_of("db").empty());
}

TEST(RemovalOrder, ACircleIsCutOnce) {
    RemovalOrder order({consumer("a", {"b", "a"}), consumer("b", {"c"}), consumer("c", {"a"})});
    const auto edges = order.providers_of("a").size() + order.providers_of("b").size() + order.providers_of("c").size();
    EXPECT_EQ(edges, 2U);
}

}  // namespace
}  // namespace atl::cloud::docker
