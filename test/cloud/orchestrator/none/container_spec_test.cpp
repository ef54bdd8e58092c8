#include "cloud/orchestrator/none/container_spec.h"

#include <gtest/gtest.h>

#include "cloud/docker/marks.h"
#include "cloud/orchestrator/none/kinds.h"

namespace atl::cloud::none {
namespace {

const Owner kOwner{"i-1", "instance-1", "ServiceInstance", "default", "shop-web"};

/// What the engine says of a container in this state.
Observed container_with(const Json& state) {
    Json inspected;
    inspected["Id"] = "c1";
    inspected["State"] = state;
    inspected["Config"]["Labels"] = docker::marks_of(kOwner, "web/0");
    return container_in(inspected, "a", 0);
}

Json running(const Json& health) {
    return {{"Status", "running"}, {"Health", health}};
}

TEST(ContainerSpec, ReadsTheStateOfAContainer) {
    struct Case {
        Json state;
        State expected;
        std::string message;
    };
    for (const Case& c : {
             Case{{{"Status", "running"}}, State::Ready, ""},
             Case{running({{"Status", "healthy"}}), State::Ready, ""},
             Case{running({{"Status", "starting"}}), State::Pending, "health check: starting"},
             Case{{{"Status", "exited"}, {"ExitCode", 137}}, State::Pending, "exited with exit code 137"},
             Case{{{"Status", "restarting"}, {"ExitCode", 3}}, State::Pending, "restarting with exit code 3"},
             Case{{{"Status", "created"}, {"Error", "no such device"}}, State::Pending, "no such device"},
             Case{{{"Status", "removing"}}, State::Deleting, "removing"},
             Case{nullptr, State::Pending, ""},
             Case{{{"Status", 7}, {"Health", "?"}}, State::Pending, ""},
         }) {
        const Observed container = container_with(c.state);
        EXPECT_EQ(container.state, c.expected) << c.state;
        EXPECT_EQ(container.message, c.message) << c.state;
    }
}

TEST(ContainerSpec, SaysWhyTheLastHealthCheckFailed) {
    Json health = {{"Status", "unhealthy"}};
    health["Log"] = {{{"ExitCode", 0}, {"Output", "fine"}}, {{"ExitCode", 22}, {"Output", "error: 500\nmore"}}};
    EXPECT_EQ(container_with(running(health)).message, "health check: unhealthy (exit code 22: error: 500)");
    health["Log"] = {{{"ExitCode", 139}, {"Output", ""}}};
    EXPECT_EQ(container_with(running(health)).message, "health check: unhealthy (exit code 139)");
    health["Log"] = "none";
    EXPECT_EQ(container_with(running(health)).message, "health check: unhealthy");
}

TEST(ContainerSpec, CutsLongOutputOfACheckBetweenCharacters) {
    std::string output = "x";
    for (int i = 0; i < 200; ++i) output += "é";
    Json health = {{"Status", "unhealthy"}};
    health["Log"] = {{{"ExitCode", 1}, {"Output", output}}};
    const std::string message = container_with(running(health)).message;
    EXPECT_LT(message.size(), 260U);
    EXPECT_NO_THROW(static_cast<void>(Json(message).dump()));
}

TEST(ContainerSpec, TakesAContainerWhoseLabelsSomebodyBroke) {
    Json inspected;
    inspected["Config"]["Labels"] = docker::marks_of(kOwner, "web/0");
    inspected["Config"]["Labels"][std::string(docker::kSpecLabel)] = "{not json";
    inspected["State"] = {{"Status", "running"}};
    inspected["Mounts"] = {7, {{"Name", "data"}}};
    const Observed container = container_in(inspected, "a", 0);
    EXPECT_EQ(container.key.name, "web/0");
    EXPECT_EQ(container.properties["machine"], "a");
    EXPECT_FALSE(container.properties.contains("image")) << "then every property differs, and it is made anew";
}

}  // namespace
}  // namespace atl::cloud::none
