// deletionPolicy Retain: what was made stays, without our marks, and nothing of ours touches it again: the whole
// operator in simulation.
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

json object_of(const char* kind, const char* name, json spec) {
    return {{"apiVersion", "atoll.dev/v1alpha1"}, {"kind", kind}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

json cluster(const char* policy) {
    return object_of("Cluster", "local",
                     {{"deletionPolicy", policy},
                      {"infrastructure", {{"local", {{"engine", {{"host", "unix:///var/run/docker.sock"}}}}}}},
                      {"orchestrator", {{"swarm", json::object()}}}});
}

json stack(const char* policy) {
    const json service = {{"name", "web"}, {"container", {{"image", "atoll-demo:1"}, {"command", {"sleep", "1000"}}}}};
    return object_of("Stack", "shop",
                     {{"deletionPolicy", policy}, {"clusterRef", {{"name", "local"}}}, {"services", {service}}});
}

json copy_of_web(const char* policy) {
    return object_of("ServiceInstance", "mine",
                     {{"deletionPolicy", policy}, {"stackRef", {{"name", "shop"}}}, {"service", "web"}});
}

struct Retain : testing::Test {
    World world{1};

    bool is_ready(const kube::ResourceType& type, const std::string& name) {
        const auto found = world.find(type, name);
        return found && controllers::is_ready(kube::Object::from_json(*found).value());
    }
    void until_ready(const kube::ResourceType& type, const std::string& name) {
        ASSERT_TRUE(world.until([&] { return is_ready(type, name); }, 5min)) << type.kind << " " << name;
    }
    void remove(const kube::ResourceType& type, const std::string& name) {
        world.remove(type, name);
        ASSERT_TRUE(world.until([&] { return !world.find(type, name); }, 5min)) << type.kind << " " << name;
    }
    void boot_with(const std::vector<json>& objects) {
        world.boot();
        for (const json& object : objects) world.apply(object);
    }
    std::size_t marked(const std::string& begin) {
        const auto lines = world.engine().describe_marked();
        return static_cast<std::size_t>(
            std::ranges::count_if(lines, [&](const std::string& line) { return line.starts_with(begin); }));
    }
};

TEST_F(Retain, AnInstanceThatIsMadeAgainAndDeletedLeavesTheRetainedServiceAlone) {
    boot_with({cluster("Delete"), stack("Delete"), copy_of_web("Retain")});
    until_ready(kServiceInstance, "mine");
    const std::size_t services = world.engine().services().size();
    remove(kServiceInstance, "mine");
    EXPECT_EQ(world.engine().services().size(), services);
    EXPECT_EQ(marked("service mine"), 0U) << "its mark is off";
    world.apply(copy_of_web("Delete"));
    until_ready(kServiceInstance, "mine");
    EXPECT_EQ(world.engine().services().size(), services + 1) << "nothing is adopted";
    remove(kServiceInstance, "mine");
    world.run_for(1min);
    EXPECT_EQ(world.engine().services().size(), services);
}

TEST_F(Retain, AStackThatRetainsDoesSoForItsInstancesToo) {
    boot_with({cluster("Delete"), stack("Retain")});
    until_ready(kStack, "shop");
    const auto before = world.engine().services();
    ASSERT_FALSE(before.empty());
    remove(kStack, "shop");
    EXPECT_EQ(world.engine().services(), before);
    EXPECT_EQ(marked("service "), 0U);
    world.run_for(5min);
    EXPECT_EQ(world.engine().services(), before);
}

TEST_F(Retain, AClusterThatRetainsLeavesItsSwarmUnmarkedAndANewOneDoesNotTakeIt) {
    boot_with({cluster("Retain")});
    until_ready(kCluster, "local");
    ASSERT_EQ(marked("swarm"), 1U);
    remove(kCluster, "local");
    EXPECT_EQ(marked("swarm"), 0U);
    EXPECT_EQ(marked("volume"), 0U) << "the claim of the engine is given back";
    world.apply(cluster("Delete"));
    world.run_for(3min);
    const json found = world.find(kCluster, "local").value();
    EXPECT_NE(found["status"].dump().find("EngineInUse"), std::string::npos) << found["status"].dump(1);
    remove(kCluster, "local");
    EXPECT_TRUE(world.engine().has_swarm()) << "it was let go of, so it is not ours to leave";
}

}  // namespace
}  // namespace atl::sweep
