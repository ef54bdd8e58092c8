// What people do to our marks by hand, at the engine and in the API: the whole operator in simulation.
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
using testing::HasSubstr;

json object_of(const char* kind, const char* name, json spec) {
    return {{"apiVersion", "atoll.dev/v1alpha1"}, {"kind", kind}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

json cluster() {
    return object_of("Cluster", "local",
                     {{"infrastructure", {{"local", {{"engine", {{"host", "unix:///var/run/docker.sock"}}}}}}},
                      {"orchestrator", {{"swarm", json::object()}}}});
}

json stack(json more = json::object()) {
    json service = {{"name", "web"}, {"container", {{"image", "atoll-demo:1"}, {"command", {"sleep", "1000"}}}}};
    service.update(more);
    return object_of("Stack", "shop", {{"clusterRef", {{"name", "local"}}}, {"services", {service}}});
}

const kube::ResourceType kEvent{"", "v1", "events", "Event", true};

struct Marks : testing::Test {
    World world{1};

    bool is_ready(const kube::ResourceType& type, const std::string& name) {
        const auto found = world.find(type, name);
        return found && controllers::is_ready(kube::Object::from_json(*found).value());
    }
    void boot_with_shop(json more = json::object()) {
        world.boot();
        world.apply(cluster());
        world.apply(stack(std::move(more)));
        ASSERT_TRUE(world.until([&] { return is_ready(kStack, "shop"); }, 5min));
    }
    /// "reason: message" of a condition that is True; empty if it is not.
    std::string condition(const kube::ResourceType& type, const std::string& name, const std::string& condition) {
        const auto found = world.find(type, name);
        if (!found || !found->contains("status") || !(*found)["status"].contains("conditions")) return "";
        for (const json& one : (*found)["status"]["conditions"]) {
            if (one["type"] == condition && one["status"] == "True")
                return one["reason"].get<std::string>() + ": " + one["message"].get<std::string>();
        }
        return "";
    }
    bool shows(const kube::ResourceType& type, const std::string& name, const std::string& type_and_reason) {
        const auto colon = type_and_reason.find(' ');
        return condition(type, name, type_and_reason.substr(0, colon))
            .starts_with(type_and_reason.substr(colon + 1) + ":");
    }
    bool is_gone(const kube::ResourceType& type, const std::string& name) {
        return world.until([&] { return !world.find(type, name); }, 5min);
    }
    json service_now() { return world.engine().ask("GET", "/services").at(0); }
    void set_labels(const json& labels) {
        const json live = service_now();
        json spec = live["Spec"];
        spec["Labels"] = labels;
        const std::string path = "/services/" + live["ID"].get<std::string>();
        ASSERT_FALSE(
            world.engine().ask("POST", path + "/update?version=" + live["Version"]["Index"].dump(), spec).is_null());
    }
    void annotate(const kube::ResourceType& type, const char* name, const char* annotation, const json& value) {
        world.merge(type, name, {{"metadata", {{"annotations", {{annotation, value}}}}}});
    }
};

TEST_F(Marks, AServiceThatLostItsOwnerLabelIsNamedAndLeftAloneUntilALabelIsBack) {
    boot_with_shop();
    const json labels = service_now()["Spec"]["Labels"];
    json fewer = labels;
    fewer.erase("dev.atoll.owner");
    set_labels(fewer);
    const json before = service_now();
    ASSERT_TRUE(world.until([&] { return shows(kServiceInstance, "shop-web", "Stalled MarkLost"); }, 5min));
    const std::string text = condition(kServiceInstance, "shop-web", "Stalled");
    EXPECT_THAT(text, HasSubstr(before["Spec"]["Name"].get<std::string>()));
    EXPECT_THAT(text, HasSubstr("--label-add dev.atoll.owner=" + labels["dev.atoll.owner"].get<std::string>()));
    world.run_for(20min);
    EXPECT_EQ(service_now(), before) << "not even a roll-back touches it";
    set_labels(labels);
    EXPECT_TRUE(world.until([&] { return is_ready(kStack, "shop"); }, 5min))
        << world.find(kServiceInstance, "shop-web")->dump(1);
}

TEST_F(Marks, AServiceThatLostItsOwnerLabelHoldsUpADeletionThatSaysWhy) {
    boot_with_shop();
    json fewer = service_now()["Spec"]["Labels"];
    fewer.erase("dev.atoll.owner");
    set_labels(fewer);
    const json before = service_now();
    world.remove(kStack, "shop");
    ASSERT_TRUE(world.until([&] { return shows(kServiceInstance, "shop-web", "Stalled MarkLost"); }, 5min));
    EXPECT_EQ(service_now(), before);
    world.engine().ask("DELETE", "/services/" + before["ID"].get<std::string>());
    EXPECT_TRUE(is_gone(kStack, "shop"));
}

TEST_F(Marks, AServiceThatLostAllOfItsMarkHasBeenLetGoOf) {
    boot_with_shop();
    set_labels(json::object());
    const json before = service_now();
    ASSERT_TRUE(world.until([&] { return shows(kServiceInstance, "shop-web", "Stalled NameTaken"); }, 5min));
    world.remove(kStack, "shop");
    EXPECT_TRUE(is_gone(kServiceInstance, "shop-web"));
    EXPECT_EQ(service_now(), before);
}

TEST_F(Marks, ADeletionUnderAForeignOwnerIdTouchesNothingUntilItIsAbandoned) {
    boot_with_shop();
    annotate(kStack, "shop", "atoll.dev/owner-id", "somebody.else");
    world.remove(kStack, "shop");
    ASSERT_TRUE(world.until([&] { return shows(kStack, "shop", "Stalled IdentityMismatch"); }, 5min));
    EXPECT_THAT(condition(kStack, "shop", "Stalled"), HasSubstr("atoll.dev/abandon=shop"));
    world.run_for(5min);
    EXPECT_TRUE(is_ready(kServiceInstance, "shop-web")) << "its children live";
    annotate(kStack, "shop", "atoll.dev/abandon", "shop");
    EXPECT_TRUE(is_gone(kStack, "shop"));
}

TEST_F(Marks, AForeignVolumeInThePlaceOfTheClaimIsNamedAndDeletionGoesThrough) {
    boot_with_shop();
    ASSERT_FALSE(world.engine().ask("DELETE", "/volumes/atoll-engine").is_null());
    ASSERT_FALSE(world.engine().ask("POST", "/volumes/create", {{"Name", "atoll-engine"}}).is_null());
    ASSERT_TRUE(world.until([&] { return shows(kCluster, "local", "Stalled EngineInUse"); }, 10min));
    EXPECT_THAT(condition(kCluster, "local", "Stalled"), HasSubstr("volume \"atoll-engine\" that is not Atoll's"));
    ASSERT_TRUE(world.until(
        [&] { return condition(kStack, "shop", "Reconciling").find("atoll-engine") != std::string::npos; }, 10min))
        << world.find(kStack, "shop")->dump(1);
    world.remove(kStack, "shop");
    EXPECT_TRUE(is_gone(kStack, "shop")) << world.find(kStack, "shop")->dump(1);
    EXPECT_TRUE(world.engine().ask("GET", "/services").empty());
    world.remove(kCluster, "local");
    EXPECT_TRUE(is_gone(kCluster, "local"));
    EXPECT_FALSE(world.engine().ask("GET", "/volumes/atoll-engine").is_null()) << "it is not ours";
}

TEST_F(Marks, AClusterThatNeverGotItsEngineCanBeDeletedWithItsStacks) {
    world.boot();
    ASSERT_FALSE(world.engine().ask("POST", "/volumes/create", {{"Name", "atoll-engine"}}).is_null());
    world.apply(cluster());
    world.apply(stack());
    ASSERT_TRUE(world.until([&] { return shows(kCluster, "local", "Stalled EngineInUse"); }, 5min));
    world.remove(kStack, "shop");
    EXPECT_TRUE(is_gone(kStack, "shop"));
    world.remove(kCluster, "local");
    EXPECT_TRUE(is_gone(kCluster, "local"));
}

TEST_F(Marks, ARefusedEngineIsTakenOnceItIsFree) {
    world.boot();
    ASSERT_FALSE(world.engine().ask("POST", "/volumes/create", {{"Name", "atoll-engine"}}).is_null());
    world.apply(cluster());
    ASSERT_TRUE(world.until([&] { return shows(kCluster, "local", "Stalled EngineInUse"); }, 5min));
    EXPECT_EQ(condition(kCluster, "local", "Reconciling"), "");
    world.engine().ask("DELETE", "/volumes/atoll-engine");
    EXPECT_TRUE(world.until([&] { return is_ready(kCluster, "local"); }, 3min));
}

TEST_F(Marks, AStackIsStalledWithItsInstanceAndNotLonger) {
    boot_with_shop();
    json fewer = service_now()["Spec"]["Labels"];
    const json labels = fewer;
    fewer.erase("dev.atoll.owner");
    set_labels(fewer);
    ASSERT_TRUE(world.until([&] { return shows(kStack, "shop", "Stalled ServiceFailed"); }, 5min));
    EXPECT_THAT(condition(kStack, "shop", "Stalled"), HasSubstr("ServiceInstance \"shop-web\" is Failed: MarkLost"));
    set_labels(labels);
    ASSERT_TRUE(world.until([&] { return is_ready(kStack, "shop"); }, 5min));
    EXPECT_EQ(condition(kStack, "shop", "Stalled"), "");
}

TEST_F(Marks, ARetainedVolumeIsFoundAgainByAStackOfTheSameName) {
    const json volume = {{"name", "data"}, {"persistent", {{"size", "1Gi"}, {"retain", true}}}};
    const json service = {{"name", "web"},
                          {"container",
                           {{"image", "atoll-demo:1"},
                            {"command", {"sleep", "1000"}},
                            {"volumeMounts", {{{"name", "data"}, {"mountPath", "/data"}}}}}}};
    json shop = object_of("Stack", "shop", {{"clusterRef", {{"name", "local"}}}, {"services", {service}}});
    shop["spec"]["volumes"] = json::array({volume});
    const auto source = [&] {
        return service_now()["Spec"]["TaskTemplate"]["ContainerSpec"]["Mounts"].at(0)["Source"].get<std::string>();
    };
    world.boot();
    world.apply(cluster());
    world.apply(shop);
    ASSERT_TRUE(world.until([&] { return is_ready(kStack, "shop"); }, 5min)) << world.find(kStack, "shop")->dump(1);
    const std::string first = source();
    world.remove(kStack, "shop");
    ASSERT_TRUE(is_gone(kStack, "shop"));
    EXPECT_FALSE(world.engine().ask("GET", "/volumes/" + first).is_null());
    world.apply(shop);
    ASSERT_TRUE(world.until([&] { return is_ready(kStack, "shop"); }, 5min));
    EXPECT_EQ(source(), first);
}

TEST_F(Marks, ARetainedNetworkMakesWayOnceNothingUsesIt) {
    world.boot();
    world.apply(cluster());
    json retained = stack();
    retained["spec"]["deletionPolicy"] = "Retain";
    world.apply(retained);
    ASSERT_TRUE(world.until([&] { return is_ready(kStack, "shop"); }, 5min));
    const std::string left = service_now()["ID"];
    world.remove(kStack, "shop");
    ASSERT_TRUE(is_gone(kStack, "shop"));
    world.apply(stack());
    ASSERT_TRUE(world.until([&] { return shows(kStack, "shop", "Stalled NameTaken"); }, 5min))
        << world.find(kStack, "shop")->dump(1);
    EXPECT_THAT(condition(kStack, "shop", "Stalled"), HasSubstr("retained by an earlier Stack \"default/shop\""));
    world.engine().ask("DELETE", "/services/" + left);
    EXPECT_TRUE(world.until([&] { return is_ready(kStack, "shop"); }, 5min)) << world.find(kStack, "shop")->dump(1);
}

TEST_F(Marks, AScaleThatTheStackUndoesIsToldWithTheField) {
    boot_with_shop({{"replicas", 1}});
    world.merge(kServiceInstance, "shop-web", {{"spec", {{"replicas", 3}}}});
    const auto told = [&] {
        for (const json& event : world.list(kEvent)) {
            if (event.value("reason", "") == "ScaleUndone") return event.value("message", "");
        }
        return std::string();
    };
    ASSERT_TRUE(world.until([&] { return !told().empty(); }, 2min));
    EXPECT_THAT(told(), HasSubstr("spec.services[web].replicas"));
    world.run_for(1min);
    EXPECT_EQ(world.find(kServiceInstance, "shop-web").value()["spec"]["replicas"], 1);
}

TEST_F(Marks, AChangeOfTheStacksOwnNumberIsNoUndoneScale) {
    boot_with_shop({{"replicas", 1}});
    world.apply(stack({{"replicas", 2}}));
    world.run_for(2min);
    EXPECT_EQ(world.find(kServiceInstance, "shop-web").value()["spec"]["replicas"], 2);
    for (const json& event : world.list(kEvent)) EXPECT_NE(event.value("reason", ""), "ScaleUndone") << event.dump(1);
}

}  // namespace
}  // namespace atl::sweep
