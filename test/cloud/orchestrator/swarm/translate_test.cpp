#include "cloud/orchestrator/swarm/translate.h"

#include <gtest/gtest.h>

#include "cloud/orchestrator/swarm/kinds.h"

namespace atl::cloud::swarm {
namespace {

Workload workload(const std::string& name) {
    Workload made;
    made.path = made.name = name;
    made.group = "default-shop";
    made.image = "busybox:local";
    made.hash_key = "key";
    return made;
}

Endpoint endpoint_of(const std::vector<std::string>& machines) {
    Endpoint endpoint;
    for (const std::string& name : machines) {
        Endpoint::Engine engine;
        engine.machine = name;
        engine.hostname = "host-" + name;
        endpoint.engines.push_back(engine);
    }
    return endpoint;
}

Properties service(const Workload& given, const Endpoint& endpoint) {
    return translate({given}, endpoint).value().resources.at({std::string(kService), given.name}).properties;
}

TEST(Translate, PublishesOnTheMachineUnlessIpvsIsKnown) {
    Workload web = workload("web");
    web.published = {{8080, 80, "HTTP", "public"}};
    Endpoint endpoint = endpoint_of({"a"});
    EXPECT_EQ(service(web, endpoint)["endpointMode"], "dnsrr");
    EXPECT_EQ(service(web, endpoint)["ports"][0]["mode"], "host");
    endpoint.facts["ipvs"] = "true";
    EXPECT_EQ(service(web, endpoint)["endpointMode"], "vip");
    EXPECT_EQ(service(web, endpoint)["ports"][0]["mode"], "ingress");
    web.replicas = 5;
    EXPECT_TRUE(translate({web}, endpoint).ok());
}

TEST(Translate, RefusesAPullPolicyThatASwarmCannotKeep) {
    Workload web = workload("web");
    web.image_pull_policy = "Never";
    const auto refused = translate({web}, endpoint_of({"a"}));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().error_class(), ErrorClass::Unsupported);
    EXPECT_EQ(refused.error().field(), "spec.services[web].container.imagePullPolicy");
    web.image_pull_policy = "Always";
    EXPECT_TRUE(translate({web}, endpoint_of({"a"})).ok());
}

TEST(Translate, RefusesMoreCopiesWithAPortThanMachines) {
    Workload web = workload("web");
    web.published = {{8080, 80, "HTTP", "public"}};
    web.replicas = 2;
    EXPECT_TRUE(translate({web}, endpoint_of({"a", "b"})).ok());
    const auto refused = translate({web}, endpoint_of({"a"}));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().error_class(), ErrorClass::Unsupported);
    EXPECT_EQ(refused.error().field(), "spec.services[web].replicas");
}

TEST(Translate, NeverStartsFirstWhereAPortOfTheMachineIsHeld) {
    Workload web = workload("web");
    web.rollout.max_surge = 2;
    EXPECT_EQ(service(web, endpoint_of({"a"}))["rollout"]["order"], "start-first");
    EXPECT_EQ(service(web, endpoint_of({"a"}))["rollout"]["parallelism"], 2);
    web.published = {{8080, 80, "HTTP", "public"}};
    EXPECT_EQ(service(web, endpoint_of({"a"}))["rollout"]["order"], "stop-first");
}

TEST(Translate, NamesFilesByTheirContentAndKeepsItApart) {
    Workload web = workload("web");
    web.files = {{"/run/key", "hunter2", true, 0400}, {"/etc/app", "a=1", false, 0444}};
    const Desired first = translate({web}, endpoint_of({"a"})).value();
    EXPECT_EQ(first.resources.size(), 3U);
    for (const auto& [key, resource] : first.resources) {
        EXPECT_EQ(resource.properties.dump().find("hunter2"), std::string::npos);
        EXPECT_EQ(key.name.find("hunter2"), std::string::npos);
    }
    const auto hash_of_secret = [&] {
        const Desired made = translate({web}, endpoint_of({"a"})).value();
        for (const auto& [key, resource] : made.resources) {
            if (key.kind == kSecret) return resource.content_hash;
        }
        return std::string();
    };
    const std::string hash = hash_of_secret();
    web.hash_key = "other";
    EXPECT_NE(hash_of_secret(), hash) << "the hash is keyed";
    web.hash_key = "key";
    web.files[0].content = "hunter3";
    EXPECT_NE(hash_of_secret(), hash);
}

TEST(Translate, KeepsWhatHasAVolumeOnItsMachine) {
    Workload web = workload("web");
    web.volumes = {{"data", "/data", false, VolumeMount::Kind::Persistent, false, {}}};
    EXPECT_TRUE(service(web, endpoint_of({"a"}))["constraints"].empty());
    EXPECT_EQ(service(web, endpoint_of({"a", "b"}))["constraints"][0], "node.hostname==host-a");
    web.machine = "b";
    EXPECT_EQ(service(web, endpoint_of({"a", "b"}))["constraints"][0], "node.hostname==host-b");
    web.machine = "c";
    EXPECT_EQ(translate({web}, endpoint_of({"a", "b"})).error().reason(), "UnknownMachine");
}

TEST(Translate, MakesNoResourceOfAVolumeThatOutlivesItsOwner) {
    Workload web = workload("web");
    web.volumes = {{"data", "/data", false, VolumeMount::Kind::Persistent, true, {}}};
    EXPECT_EQ(translate({web}, endpoint_of({"a"})).value().resources.size(), 1U);
}

TEST(Translate, RemovesConsumersFirst) {
    Workload web = workload("web");
    web.links = {{"db", 80, "store", "store", 80}};
    const Desired desired = translate({web, workload("store")}, endpoint_of({"a"})).value();
    EXPECT_EQ(desired.resources.at({std::string(kService), "web"}).properties["removeBefore"][0], "store");
}

}  // namespace
}  // namespace atl::cloud::swarm
