#include <gtest/gtest.h>

#include "controllers/types.h"
#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;

constexpr const char* kApi = "http://api:80";

struct Loss {
    const char* name;
    Tamper tamper;
};

bool reads_ours(const net::Request& request) {
    return request.method == "GET" && request.target.starts_with("/apis/atoll.dev/");
}

/// What the API server may refuse for a while; all watches have broken before.
std::vector<Loss> losses() {
    return {
        {"rights",
         [](net::Request& request) {
             if (reads_ours(request)) request.headers.set("Authorization", "Bearer nobody");
         }},
        {"definitions",
         [](net::Request& request) {
             if (reads_ours(request)) request.target = "/apis/atoll.dev/v1alpha1/nothing";
         }},
        {"versions",
         [](net::Request& request) {
             const std::size_t at = request.target.find("resourceVersion=");
             if (reads_ours(request) && at != std::string::npos) {
                 request.target.replace(at, request.target.find('&', at) - at, "resourceVersion=1");
             }
         }},
    };
}

// What the cache cannot see is not gone: nothing is taken down for it, and all goes on once it can be seen again.
TEST(CacheLoss, TakesNothingDownAndGoesOnAfterwards) {
    for (const Loss& loss : losses()) {
        World world(11);
        world.boot();
        apply_example(world);
        ASSERT_TRUE(world.until([&] { return example_is_ready(world); }, 10min));
        world.run_for(1min);
        const std::vector<std::string> before = world.engine().describe_marked();
        net::Handler* server = world.network().find(kApi);
        ASSERT_NE(server, nullptr);
        world.network().serve(kApi, nullptr);
        world.run_for(3s);
        world.tamper = loss.tamper;
        world.network().serve(kApi, server);
        world.run_for(10min);
        EXPECT_EQ(world.engine().describe_marked(), before) << loss.name;
        world.tamper = nullptr;
        world.run_for(1min);
        world.merge(kServiceInstance, "shop-store", {{"spec", {{"replicas", 3}}}});
        const auto scaled = [&] {
            return (*world.find(kServiceInstance, "shop-store"))["status"].value("readyReplicas", 0) == 3;
        };
        EXPECT_TRUE(world.until(scaled, 2min)) << loss.name;
        EXPECT_EQ(world.violations(), std::set<std::string>()) << loss.name;
    }
}

}  // namespace
}  // namespace atl::sweep
