#include "cloud/orchestrator/swarm/observe.h"

#include <gtest/gtest.h>

#include "cloud/docker/marks.h"
#include "cloud/orchestrator/swarm/kinds.h"

namespace atl::cloud::swarm {
namespace {

const Owner kOwner{"i-1", "instance-1", "ServiceInstance", "default", "shop-web"};

Json service(const std::string& name, const std::string& id) {
    Json json;
    json["ID"] = id;
    json["Version"]["Index"] = 7;
    json["Spec"]["Name"] = name + "-x";
    json["Spec"]["Labels"] = docker::marks_of(kOwner, name);
    json["Spec"]["Mode"]["Replicated"]["Replicas"] = 1;
    json["Spec"]["TaskTemplate"]["ContainerSpec"]["Image"] = "busybox:local";
    return json;
}

Json copy(const std::string& name, const std::string& service_id) {
    Json json;
    json["ID"] = "t-" + service_id;
    json["ServiceID"] = service_id;
    json["Slot"] = 1;
    json["DesiredState"] = "running";
    json["Status"]["State"] = "running";
    json["Spec"]["ContainerSpec"]["Labels"] = docker::marks_of(kOwner, name);
    json["Spec"]["ContainerSpec"]["Mounts"] = {{{"Type", "volume"}, {"Source", "v1"}}};
    return json;
}

struct Swarm {
    Json services = Json::array(), copies = Json::array(), networks = Json::array(), configs = Json::array(),
         secrets = Json::array();
    World world() const { return world_of({services, copies, networks, configs, secrets, {}}, kOwner); }
};

TEST(Observe, AServiceThatIsGoneIsDeletingWhileACopyOfItStops) {
    Swarm swarm;
    swarm.copies = {copy("web", "s1"), copy("web", "s1")};
    const World world = swarm.world();
    ASSERT_EQ(world.resources.size(), 1U);
    EXPECT_EQ(world.resources[0].state, State::Deleting);
    EXPECT_EQ(world.resources[0].uses, std::vector<std::string>{"v1"}) << "it still holds its volume";
}

TEST(Observe, RecordsOfAJobThatIsGoneHoldNothing) {
    Swarm swarm;
    swarm.copies.push_back(copy("web", "s1"));
    swarm.copies[0]["JobIteration"] = Json::object();
    EXPECT_TRUE(swarm.world().resources.empty());
}

TEST(Observe, OneThatIsMadeAgainIsApartFromTheCopiesOfTheOldOne) {
    Swarm swarm;
    swarm.services.push_back(service("web", "s2"));
    swarm.copies = {copy("web", "s1"), copy("web", "s2")};
    const World world = swarm.world();
    ASSERT_EQ(world.resources.size(), 2U);
    EXPECT_EQ(world.resources[0].id, "s2");
    EXPECT_EQ(world.resources[0].detail["copies"].size(), 1U);
    EXPECT_EQ(world.resources[1].state, State::Deleting);
}

TEST(Observe, ThingsOfOthersAreNotSeenThoughTheyAreListed) {
    Owner other = kOwner;
    other.id = "instance-2";
    Swarm swarm;
    swarm.services.push_back(service("web", "s1"));
    swarm.services[0]["Spec"]["Labels"] = docker::marks_of(other, "web");
    swarm.copies.push_back(copy("web", "s1"));
    swarm.copies[0]["Spec"]["ContainerSpec"]["Labels"] = docker::marks_of(other, "web");
    swarm.secrets.push_back({{"ID", "x"}, {"Spec", {{"Labels", docker::marks_of(other, "key")}}}});
    swarm.networks.push_back({{"Id", "n"}, {"Labels", nullptr}});
    EXPECT_TRUE(swarm.world().resources.empty());
}

TEST(Observe, SurvivesListsThatAreNone) {
    for (const char* text : {"null", "{}", "\"a\"", "[null, 7, [], {}, {\"Spec\": 5}]"}) {
        Swarm swarm;
        swarm.services = swarm.copies = swarm.networks = swarm.configs = swarm.secrets = Json::parse(text);
        EXPECT_TRUE(swarm.world().resources.empty()) << text;
    }
}

TEST(Observe, TheVersionHasTheIndexAndTheCounterOfForcedUpdates) {
    Swarm swarm;
    swarm.services.push_back(service("web", "s1"));
    swarm.services[0]["Spec"]["TaskTemplate"]["ForceUpdate"] = 3;
    EXPECT_EQ(swarm.world().resources[0].version, "7/3");
}

}  // namespace
}  // namespace atl::cloud::swarm
