// A changed Secret or ConfigMap acts at once on those who refer to it, and on nobody else: the whole operator in
// simulation.
#include <algorithm>

#include <gtest/gtest.h>

#include "controllers/instance_summary.h"
#include "controllers/types.h"
#include "test/sweep/world.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;
using nlohmann::json;

json secret(const std::string& name, const std::string& value) {
    return {{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", {{"name", name}}}, {"stringData", {{"key", value}}}};
}

json config_map(const std::string& name, const std::string& value) {
    return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", {{"key", value}}}};
}

json cluster(const json& engine) {
    return {{"apiVersion", "atoll.dev/v1alpha1"},
            {"kind", "Cluster"},
            {"metadata", {{"name", "local"}}},
            {"spec",
             {{"infrastructure", {{"local", {{"engine", engine}}}}}, {"orchestrator", {{"swarm", json::object()}}}}}};
}

json local_cluster() {
    return cluster({{"host", "unix:///var/run/docker.sock"}});
}

/// One service whose environment comes from a Secret and a ConfigMap.
json stack() {
    auto from = [](const char* kind, const char* name) { return json{{kind, {{"name", name}, {"key", "key"}}}}; };
    const json env = {{{"name", "PASSWORD"}, {"valueFrom", from("secretKeyRef", "password")}},
                      {{"name", "COLOR"}, {"valueFrom", from("configMapKeyRef", "color")}}};
    const json service = {
        {"name", "web"},
        {"container", {{"image", "atoll-demo:1"}, {"command", {"sleep", "1000"}}, {"env", env}}},
    };
    return {{"apiVersion", "atoll.dev/v1alpha1"},
            {"kind", "Stack"},
            {"metadata", {{"name", "shop"}}},
            {"spec", {{"clusterRef", {{"name", "local"}}}, {"services", {service}}}}};
}

struct ContentWatch : testing::Test {
    World world{1};

    bool is_ready(const kube::ResourceType& type, const std::string& name) {
        const auto found = world.find(type, name);
        return found && controllers::is_ready(kube::Object::from_json(*found).value());
    }
    std::string reason_of(const kube::ResourceType& type, const std::string& name) {
        const auto found = world.find(type, name);
        if (!found || !found->contains("status") || !(*found)["status"].contains("conditions")) return "";
        for (const json& condition : (*found)["status"]["conditions"]) {
            if (condition["type"] == "Ready") return condition.value("reason", "");
        }
        return "";
    }
    void boot_with(const std::vector<json>& objects) {
        world.boot();
        for (const json& object : objects) world.apply(object);
    }
    void until_rest() {
        ASSERT_TRUE(world.until([this] { return is_ready(kStack, "shop"); }, 5min));
        world.run_for(20s);
    }
    bool runs_with(const std::string& text) {
        return std::ranges::any_of(world.engine().describe_marked(),
                                   [&](const std::string& line) { return line.find(text) != std::string::npos; });
    }
};

TEST_F(ContentWatch, AMissingSecretThatAppearsLetsTheInstanceGoOnWithinASecond) {
    boot_with({local_cluster(), config_map("color", "red"), stack()});
    ASSERT_TRUE(world.until([this] { return reason_of(kServiceInstance, "shop-web") == "ContentMissing"; }, 1min));
    world.run_for(10s);
    ASSERT_FALSE(runs_with("COLOR=red"));
    world.apply(secret("password", "one"));
    EXPECT_TRUE(world.until([this] { return runs_with("COLOR=red"); }, 1s));
}

TEST_F(ContentWatch, ARotatedSecretAndAChangedConfigMapRollOutAtOnce) {
    boot_with({local_cluster(), config_map("color", "red"), secret("password", "one"), stack()});
    until_rest();
    const auto before = world.engine().describe_marked();
    world.apply(secret("password", "two"));
    EXPECT_TRUE(world.until([&] { return world.engine().describe_marked() != before; }, 1s));
    until_rest();
    world.apply(config_map("color", "green"));
    EXPECT_TRUE(world.until([this] { return runs_with("COLOR=green"); }, 1s));
}

TEST_F(ContentWatch, WhatNobodyRefersToWakesNobody) {
    boot_with({local_cluster(), config_map("color", "red"), secret("password", "one"), stack()});
    until_rest();
    const std::uint64_t calls = world.operator_transport().calls();
    world.apply(secret("stranger", "one"));
    world.apply(config_map("stranger", "one"));
    world.apply(config_map("password", "a ConfigMap of a Secret's name"));
    world.run_for(3s);
    EXPECT_EQ(world.operator_transport().calls(), calls);
    world.apply(secret("password", "two"));
    world.run_for(1s);
    EXPECT_GT(world.operator_transport().calls(), calls) << "the count must see a pass";
}

TEST_F(ContentWatch, ASecretThatAClusterWaitsForWakesIt) {
    boot_with({cluster({{"host", "tcp://127.0.0.1:2376"}, {"tlsSecretRef", {{"name", "engine-tls"}}}})});
    ASSERT_TRUE(world.until([this] { return reason_of(kCluster, "local") == "SecretMissing"; }, 1min));
    world.run_for(5s);
    world.apply(secret("engine-tls", "one"));
    EXPECT_TRUE(world.until([this] { return reason_of(kCluster, "local") != "SecretMissing"; }, 1s));
}

TEST_F(ContentWatch, ASecretThatAClusterNeedsToEndWakesIt) {
    boot_with({cluster({{"host", "tcp://127.0.0.1:2376"}, {"tlsSecretRef", {{"name", "engine-tls"}}}})});
    ASSERT_TRUE(world.until([this] { return reason_of(kCluster, "local") == "SecretMissing"; }, 1min));
    world.remove(kCluster, "local");
    world.run_for(20s);
    ASSERT_EQ(reason_of(kCluster, "local"), "SecretMissing") << "it has not ended, and waits";
    world.apply(secret("engine-tls", "one"));
    EXPECT_TRUE(world.until([this] { return reason_of(kCluster, "local") != "SecretMissing"; }, 1s));
}

}  // namespace
}  // namespace atl::sweep
