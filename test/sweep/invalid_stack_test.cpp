#include <gtest/gtest.h>

#include "controllers/types.h"
#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;
using nlohmann::json;

class InvalidStack : public testing::Test {
protected:
    InvalidStack() {
        world.boot();
        apply_example(world);
    }
    /// Changes one service of the Stack "shop".
    void change(const std::string& name, const std::function<void(json&)>& edit) {
        json services = (*world.find(kStack, "shop"))["spec"]["services"];
        for (json& service : services) {
            if (service["name"] == name) edit(service);
        }
        world.merge(kStack, "shop", {{"spec", {{"services", std::move(services)}}}});
    }
    void change_link_to(const std::string& provider) {
        json links = (*world.find(kStack, "shop"))["spec"]["links"];
        links[0]["to"]["service"] = provider;
        world.merge(kStack, "shop", {{"spec", {{"links", std::move(links)}}}});
    }
    bool shows(const kube::ResourceType& type, const std::string& name, const std::string& text) {
        return world.until(
            [&] {
                const auto object = world.find(type, name);
                return object && (*object)["status"]["conditions"].dump().find(text) != std::string::npos;
            },
            1min);
    }

    World world{5};
};

// A typo in a reference took links and published ports away from services that ran.
TEST_F(InvalidStack, LeavesWhatRunsAsItIs) {
    ASSERT_TRUE(world.until([&] { return example_is_ready(world); }, 10min));
    const std::vector<std::string> before = world.engine().describe_marked();
    change_link_to("stroe");
    EXPECT_TRUE(shows(kStack, "shop", "InvalidSpec"));
    EXPECT_TRUE(shows(kServiceInstance, "shop-web", "the last good revision keeps running"));
    change("store", [](json& service) { service["container"]["env"].push_back({{"name", "MORE"}, {"value", "1"}}); });
    world.run_for(5min);
    EXPECT_EQ(world.engine().describe_marked(), before);
    change_link_to("store");
    EXPECT_TRUE(world.until([&] { return example_is_ready(world); }, 5min));
    EXPECT_NE(world.engine().describe_marked(), before) << "the change of the environment is rolled out now";
}

TEST_F(InvalidStack, IsNotBegun) {
    change_link_to("stroe");
    world.run_for(2min);
    EXPECT_EQ(world.engine().services(), std::vector<std::string>());
}

}  // namespace
}  // namespace atl::sweep
