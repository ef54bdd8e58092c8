#include "cloud/orchestrator/none/translate.h"

#include <gtest/gtest.h>

#include "cloud/docker/marks.h"
#include "cloud/orchestrator/none/container_spec.h"
#include "cloud/orchestrator/none/kinds.h"

namespace atl::cloud::none {
namespace {

Workload workload(const std::string& name) {
    Workload made;
    made.path = made.name = name;
    made.group = "default-shop";
    made.image = "busybox:local";
    made.replicas = 3;
    return made;
}

Endpoint endpoint_of(const std::vector<std::string>& machines) {
    Endpoint endpoint;
    for (const std::string& name : machines) {
        Endpoint::Engine engine;
        engine.machine = name;
        endpoint.engines.push_back(engine);
    }
    return endpoint;
}

TEST(Translate, MakesAContainerOfEachCopyAndChangesThemOneByOne) {
    const Desired desired = translate({workload("web")}, endpoint_of({"a"})).value();
    ASSERT_EQ(desired.resources.size(), 3U);
    const ResourceKey first{std::string(kContainer), "web/0"};
    const ResourceKey second{std::string(kContainer), "web/1"};
    EXPECT_TRUE(desired.resources.at(first).change_after.empty());
    EXPECT_EQ(desired.resources.at(second).change_after, std::vector<ResourceKey>{first});
}

TEST(Translate, KeepsAGroupOnOneMachine) {
    const Desired desired = translate({workload("web"), workload("store")}, endpoint_of({"a", "b", "c"})).value();
    std::set<std::string> machines;
    for (const auto& [key, resource] : desired.resources) machines.insert(resource.properties["machine"]);
    EXPECT_EQ(machines.size(), 1U);
    Workload elsewhere = workload("web");
    elsewhere.machine = "z";
    EXPECT_EQ(translate({elsewhere}, endpoint_of({"a"})).error().reason(), "UnknownMachine");
}

TEST(Translate, PublishesAPortOnce) {
    Workload web = workload("web");
    web.published = {{8080, 80, "HTTP", "public"}};
    EXPECT_EQ(translate({web}, endpoint_of({"a"})).error().reason(), "PortPublishedTwice");
    web.replicas = 1;
    EXPECT_TRUE(translate({web}, endpoint_of({"a"})).ok());
}

TEST(Translate, PacksFilesApartFromTheProperties) {
    Workload web = workload("web");
    web.files = {{"/run/key", std::string("hun\0ter\xff", 8), true, 0400}};
    const Desired desired = translate({web}, endpoint_of({"a"})).value();
    const Resource& resource = desired.resources.begin()->second;
    EXPECT_EQ(resource.properties.dump().find("hun"), std::string::npos);
    EXPECT_EQ(unpack_files(resource.content).at("/run/key"), web.files[0].content);
    EXPECT_TRUE(unpack_files("nonsense").empty());
}

TEST(Translate, SharesANetworkOnEveryMachine) {
    EXPECT_EQ(shared("g", endpoint_of({"a", "b"})).resources.size(), 2U);
}

TEST(ContainerSpec, ReadsBackAsItWasWritten) {
    Workload web = workload("web");
    web.env = {{"A", "1"}};
    web.volumes = {{"data", "/data", true, VolumeMount::Kind::Persistent, false, {}}};
    const Desired desired = translate({web}, endpoint_of({"a"})).value();
    const Resource& resource = desired.resources.at({std::string(kContainer), "web/0"});
    const Owner owner{"i", "o", "Stack", "default", "shop"};
    const Json spec = container_spec(resource.properties, owner, resource);
    Json inspected = {{"Id", "c1"}, {"Config", {{"Labels", spec["Labels"]}}}, {"State", {{"Status", "running"}}}};
    Observed seen = container_in(inspected, "a", 0);
    EXPECT_EQ(seen.properties, resource.properties);
    EXPECT_EQ(seen.key, resource.key);
    EXPECT_EQ(seen.state, State::Ready);
    inspected["State"]["Status"] = "created";
    EXPECT_EQ(container_in(inspected, "a", 0).properties["state"], "created")
        << "one that was never started is finished";
    EXPECT_EQ(container_in(Json::parse("null"), "a", 0).state, State::Pending);
}

}  // namespace
}  // namespace atl::cloud::none
