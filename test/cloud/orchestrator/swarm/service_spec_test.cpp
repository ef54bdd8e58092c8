#include "cloud/orchestrator/swarm/service_spec.h"

#include <gtest/gtest.h>

#include "cloud/docker/marks.h"
#include "cloud/orchestrator/swarm/translate.h"
#include "operator/base/random.h"

namespace atl::cloud::swarm {
namespace {

using namespace std::chrono_literals;

const ServiceIdentity kIdentity{{"i", "o", "ServiceInstance", "default", "web"}, "web", 0};

Workload random_workload(Random& random) {
    Workload workload;
    workload.path = workload.name = "web";
    workload.group = random.below(2) == 0 ? "" : "default-shop";
    workload.image = "busybox:" + std::to_string(random.below(3));
    for (std::uint64_t i = random.below(3); i > 0; --i) workload.command.push_back("c" + std::to_string(i));
    for (std::uint64_t i = random.below(3); i > 0; --i) workload.args.push_back("a" + std::to_string(i));
    for (std::uint64_t i = random.below(3); i > 0; --i) workload.env.push_back({"E" + std::to_string(i), "v"});
    if (random.below(2) == 0) workload.working_dir = "/w";
    workload.stop_grace = std::chrono::seconds(random.below(20));
    if (random.below(2) == 0) workload.cpu_limit_nano = 5;
    if (random.below(2) == 0) workload.memory_limit_bytes = 64'000'000;
    if (random.below(2) == 0) workload.memory_request_bytes = 32'000'000;
    if (random.below(2) == 0) workload.readiness = Probe{{"check"}, "", 0, 1s, 2s, 3s, 4};
    if (random.below(2) == 0) workload.files.push_back({"/etc/a", "x", false, 0444});
    if (random.below(2) == 0) workload.files.push_back({"/etc/b", "y", true, 0400});
    if (random.below(2) == 0)
        workload.volumes.push_back(
            {"data", "/data", random.below(2) == 0, VolumeMount::Kind::Persistent, random.below(2) == 0, {}});
    if (random.below(2) == 0) workload.volumes.push_back({"tmp", "/t", false, VolumeMount::Kind::EmptyDir, false, {}});
    if (random.below(2) == 0) workload.published = {{8080, 80, "HTTP", "g"}, {53, 53, "UDP", "g"}};
    workload.replicas = static_cast<int>(random.below(2));
    workload.rollout.max_surge = static_cast<int>(random.below(3));
    return workload;
}

/// The properties of the service with every reference filled in, and the names for reading them back.
std::pair<Properties, NamesById> resolved(const Workload& workload, const Endpoint& endpoint) {
    const Desired desired = translate({workload}, endpoint).value();
    World world;
    NamesById names;
    names.networks["net-id"] = docker::network_name(workload.group);
    for (const auto& [key, resource] : desired.resources) {
        Observed observed;
        observed.key = key;
        observed.id = "id-of-" + key.name;
        observed.state = State::Ready;
        observed.outputs["id"] = observed.id;
        names.files[observed.id] = key.name;
        world.resources.push_back(observed);
    }
    return {resolve(desired.resources.at({"swarm/service", "web"}).properties, world), names};
}

class ServiceSpec : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ServiceSpec, ReadsBackAsItWasWritten) {
    SeededRandom random(GetParam());
    Endpoint endpoint;
    endpoint.engines.resize(1);
    if (GetParam() % 2 == 0) endpoint.facts["ipvs"] = "true";
    for (int i = 0; i < 200; ++i) {
        auto [properties, names] = resolved(random_workload(random), endpoint);
        properties.erase("imagePullPolicy");  // not the service's: it decides what is asked before the write
        Json spec = service_spec(properties, kIdentity);
        for (Json& network : spec["TaskTemplate"]["Networks"]) network["Target"] = "net-id";  // as the engine does
        EXPECT_EQ(service_properties(spec, names), properties) << spec.dump(1);
    }
}
INSTANTIATE_TEST_SUITE_P(Seeds, ServiceSpec, testing::Range<std::uint64_t>(0, 10));

TEST(ServiceSpecs, KeepTheLiveCounterOfForcedUpdates) {
    SeededRandom random(1);
    const auto [properties, names] = resolved(random_workload(random), {});
    ServiceIdentity identity = kIdentity;
    identity.force_update = 7;
    EXPECT_EQ(service_spec(properties, identity)["TaskTemplate"]["ForceUpdate"], 7);
}

TEST(ServiceSpecs, TheRevisionChangesWithWhatMakesNewCopiesOnly) {
    SeededRandom random(1);
    auto [properties, names] = resolved(random_workload(random), {});
    const std::string revision = revision_of(properties);
    properties["replicas"] = 9;
    properties["rollout"]["parallelism"] = 9;
    EXPECT_EQ(revision_of(properties), revision);
    properties["image"] = "other";
    EXPECT_NE(revision_of(properties), revision);
}

TEST(ServiceSpecs, SurviveWhateverAStrangerWroteIntoOne) {
    for (const char* text :
         {"null", "[]", "{}", R"({"TaskTemplate": 5})", R"({"TaskTemplate": {"ContainerSpec": {"Env": 1,
        "Mounts": [5, {"Type": "bind"}], "Secrets": [{}], "Healthcheck": []}}, "EndpointSpec": {"Ports": [null]}})"}) {
        EXPECT_TRUE(service_properties(Json::parse(text), {}).is_object()) << text;
    }
}

}  // namespace
}  // namespace atl::cloud::swarm
