#include "controllers/orphans.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/instance_summary.h"
#include "controllers/types.h"
#include "test/sweep/world.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;
using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kHost = "unix:///var/run/docker.sock";

json object_of(const char* kind, const char* name, json spec) {
    return {{"apiVersion", "atoll.dev/v1alpha1"}, {"kind", kind}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

json cluster() {
    return object_of("Cluster", "local",
                     {{"infrastructure", {{"local", {{"engine", {{"host", kHost}}}}}}},
                      {"orchestrator", {{"swarm", json::object()}}}});
}

json stack(const char* policy) {
    const json service = {{"name", "web"}, {"container", {{"image", "atoll-demo:1"}, {"command", {"sleep", "1000"}}}}};
    return object_of("Stack", "shop",
                     {{"deletionPolicy", policy}, {"clusterRef", {{"name", "local"}}}, {"services", {service}}});
}

struct Orphaned : testing::Test {
    World world{1};

    void boot_with_shop(const char* policy = "Delete") {
        world.boot();
        world.apply(cluster());
        world.apply(stack(policy));
        ASSERT_TRUE(world.until(
            [&] {
                const auto found = world.find(kStack, "shop");
                return found && controllers::is_ready(kube::Object::from_json(*found).value());
            },
            5min));
    }
    void abandon(const kube::ResourceType& type, const std::string& name) {
        world.merge(type, name, {{"metadata", {{"annotations", {{"atoll.dev/abandon", name}}}}}});
    }
    void remove(const kube::ResourceType& type, const std::string& name) {
        world.remove(type, name);
        ASSERT_TRUE(world.until([&] { return !world.find(type, name); }, 5min)) << type.kind << " " << name;
    }
    controllers::Orphans search(std::vector<std::string> hosts = {}) {
        return controllers::Orphans({world.client(), world.registry(), world.surroundings(), "atoll-system", hosts});
    }
    controllers::OrphanReport find(const std::vector<std::string>& hosts = {}) {
        controllers::Orphans orphans = search(hosts);
        const auto report = sim::run(world.loop(), orphans.find(world.loop().now() + 30s));
        EXPECT_TRUE(report.ok()) << report.error().message();
        return report.ok() ? *report : controllers::OrphanReport{};
    }
    static std::vector<std::string> ids(const controllers::OrphanReport& report) {
        std::vector<std::string> ids;
        for (const controllers::Orphan& orphan : report.orphans) ids.push_back(orphan.id);
        return ids;
    }
    Result<Unit> remove_orphans(const std::vector<std::string>& which) {
        controllers::Orphans orphans = search();
        return sim::run(world.loop(), orphans.remove(which, world.loop().now() + 30s));
    }
};

TEST_F(Orphaned, NothingIsThatHasItsOwner) {
    boot_with_shop();
    const auto report = find({kHost});
    EXPECT_TRUE(report.orphans.empty()) << controllers::orphans_text(report);
    EXPECT_TRUE(report.failures.empty());
}

TEST_F(Orphaned, WhatWasAbandonedIsListedWithItsOwnerAndRemovedOnlyByName) {
    boot_with_shop();
    const std::size_t services = world.engine().ask("GET", "/services").size();
    abandon(kServiceInstance, "shop-web");
    abandon(kStack, "shop");
    remove(kStack, "shop");
    ASSERT_TRUE(world.until([&] { return !world.find(kServiceInstance, "shop-web"); }, 5min));
    const auto report = find();
    const std::string text = controllers::orphans_text(report);
    ASSERT_THAT(ids(report), Contains(StartsWith("default/local:local/service/shop-web-"))) << text;
    EXPECT_THAT(ids(report), Contains(StartsWith("default/local:local/network/")));
    EXPECT_THAT(text, HasSubstr("of ServiceInstance default/shop-web (owner id "));
    EXPECT_EQ(remove_orphans({ids(report)[0], "default/local:local/volume/foreign"}).error().reason(), "NoOrphan");
    EXPECT_EQ(world.engine().ask("GET", "/services").size(), services) << "all or nothing";
    ASSERT_TRUE(remove_orphans({ids(report)[0]}).ok());
    EXPECT_EQ(world.engine().ask("GET", "/services").size(), services - 1);
    EXPECT_EQ(find().orphans.size(), report.orphans.size() - 1) << "the network was not named";
    EXPECT_TRUE(world.engine().missing_strangers().empty());
}

TEST_F(Orphaned, WhatWasLetGoOfIsNotExceptWhereMarksStay) {
    boot_with_shop("Retain");
    remove(kStack, "shop");
    ASSERT_FALSE(world.engine().ask("GET", "/services").empty());
    const auto report = find();
    for (const std::string& id : ids(report)) EXPECT_THAT(id, HasSubstr("/network/"));
    EXPECT_EQ(report.orphans.size(), 1U) << controllers::orphans_text(report);
}

TEST_F(Orphaned, AClusterThatIsGoneIsFoundThroughItsEngine) {
    boot_with_shop();
    remove(kStack, "shop");
    abandon(kCluster, "local");
    remove(kCluster, "local");
    EXPECT_TRUE(find().orphans.empty()) << "no Cluster leads there";
    const auto found = ids(find({kHost}));
    EXPECT_THAT(found, Contains(HasSubstr("/volume/atoll-engine")));
    EXPECT_THAT(found, Contains(HasSubstr("/swarm/")));
}

TEST_F(Orphaned, AnEngineThatDoesNotAnswerIsSaid) {
    boot_with_shop();
    const auto report = find({"unix:///nowhere.sock"});
    ASSERT_EQ(report.failures.size(), 1U);
    EXPECT_THAT(report.failures[0], StartsWith("unix:///nowhere.sock: "));
}

}  // namespace
}  // namespace atl::sweep
