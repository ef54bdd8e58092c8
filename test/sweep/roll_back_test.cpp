#include <gtest/gtest.h>

#include "controllers/types.h"
#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;

// A failed service leaves a step in the plan that only waits; it must not keep the roll-back away.
TEST(RollBack, ComesAfterTheProgressDeadlineWhereTheNewImageIsMissing) {
    World world(9);
    world.boot();
    apply_example(world);
    ASSERT_TRUE(world.until([&] { return example_is_ready(world); }, 10min));
    nlohmann::json services = (*world.find(kStack, "shop"))["spec"]["services"];
    for (auto& service : services) {
        if (service["name"] != "web") continue;
        service["container"]["image"] = "nope-nope:9";
        service["rollout"]["progressDeadline"] = "15s";
    }
    world.merge(kStack, "shop", {{"spec", {{"services", services}}}});
    const auto rolled_back = [&] {
        const auto instance = world.find(kServiceInstance, "shop-web");
        return instance && (*instance)["status"].dump().find("RolledBack") != std::string::npos;
    };
    EXPECT_TRUE(world.until(rolled_back, 2min)) << (*world.find(kServiceInstance, "shop-web"))["status"].dump(1);
}

}  // namespace
}  // namespace atl::sweep
