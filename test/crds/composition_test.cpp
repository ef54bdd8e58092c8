#include "crds/composition.h"

#include "test/crds/stacks.h"

namespace atl::crds {
namespace {

std::vector<std::string> paths(const std::vector<Leaf>& leaves) {
    std::vector<std::string> paths;
    for (const Leaf& leaf : leaves) paths.push_back(leaf.path + "=" + leaf.service->name);
    return paths;
}

using Strings = std::vector<std::string>;

TEST(Composition, FlattensCompositesToPaths) {
    StackSpec stack = stack_of(kForum);
    EXPECT_EQ(paths(leaves_of(stack, "mail")), (Strings{"mail=mail"}));
    EXPECT_EQ(paths(leaves_of(stack, "forum")), (Strings{"front=app", "store=db"}));
    EXPECT_EQ(paths(leaves_of(stack, "portal")),
              (Strings{"left/front=app", "left/store=db", "right/front=app", "right/store=db"}));
    EXPECT_TRUE(leaves_of(stack, "nothing").empty());
}

TEST(Composition, NamesContainersThreeLevelsDown) {
    StackSpec stack = stack_of(kForum);
    Service site;
    site.name = "site";
    site.composite = Composite{};
    site.composite->services.push_back({"east", "portal"});
    site.composite->provides.push_back({"web", {"east", "web"}, ""});
    stack.services.push_back(site);
    EXPECT_EQ(paths(leaves_of(stack, "site")),
              (Strings{"east/left/front=app", "east/left/store=db", "east/right/front=app", "east/right/store=db"}));
    const std::optional<ProviderEnd> end = resolve_provides(stack, {"site", "web"});
    ASSERT_TRUE(end);
    EXPECT_EQ(end->path, "east/left/front");
    EXPECT_TRUE(is_internal(stack, stack.services[4])) << "portal runs in site now";
    const std::vector<ResolvedLink> links = links_of(stack, "site");
    ASSERT_EQ(links.size(), 4u);
    EXPECT_EQ(links[0].consumer_path, "east/left/front");
    EXPECT_EQ(links[0].provider.path, "east/left/store");
}

TEST(Composition, RunsNothingTwice) {
    StackSpec stack = stack_of(kForum);
    Strings names;
    for (const Service* service : instantiated_services(stack)) names.push_back(service->name);
    EXPECT_EQ(names, (Strings{"mail", "portal"})) << "app, db and forum run in their composites only";
    stack.services[1].exposure = Exposure::Public;
    EXPECT_EQ(instantiated_services(stack).size(), 3u) << "unless one says Public";
    stack.services[2].exposure = Exposure::Internal;
    EXPECT_EQ(instantiated_services(stack).size(), 2u);
    stack.catalogue_only = true;
    EXPECT_TRUE(instantiated_services(stack).empty());
}

TEST(Composition, FollowsWhatACompositeProvidesDownToAPort) {
    StackSpec stack = stack_of(kForum);
    std::optional<ProviderEnd> end = resolve_provides(stack, {"portal", "web"});
    ASSERT_TRUE(end);
    EXPECT_EQ(end->service, "portal");
    EXPECT_EQ(end->path, "left/front");
    EXPECT_EQ(end->port, 8080);
    end = resolve_provides(stack, {"mail", "smtp"});
    ASSERT_TRUE(end);
    EXPECT_EQ(end->path, "mail");
    EXPECT_FALSE(resolve_provides(stack, {"portal", "http"})) << "only what the composite provides";
    EXPECT_FALSE(resolve_provides(stack, {"nothing", "web"}));
}

TEST(Composition, ResolvesLinksInsideTheInstanceFirst) {
    StackSpec stack = stack_of(kForum);
    std::vector<ResolvedLink> links = links_of(stack, "portal");
    ASSERT_EQ(links.size(), 4u);
    EXPECT_EQ(links[0].consumer_path, "left/front");
    EXPECT_EQ(links[0].provider.service, "") << "in the same instance";
    EXPECT_EQ(links[0].provider.path, "left/store");
    EXPECT_EQ(links[1].provider.service, "mail") << "of the Stack's same-named instance";
    EXPECT_EQ(links[1].provider.path, "mail");
    EXPECT_EQ(links[2].provider.path, "right/store") << "each copy has its own";
}

TEST(Composition, PrefersAMemberToTheStacksOwnCopy) {
    StackSpec stack = stack_of(kForum);
    stack.services[1].exposure = Exposure::Public;
    stack.services[3].composite->links.clear();
    stack.links.push_back({"db", {"app", "db"}, {"db", "pg"}});
    std::vector<ResolvedLink> links = links_of(stack, "forum");
    ASSERT_EQ(links.size(), 2u);
    EXPECT_EQ(links[0].provider.service, "");
    EXPECT_EQ(links[0].provider.path, "store");
}

TEST(Composition, GivesTheRoutesThatLeadToAService) {
    StackSpec stack = stack_of(kForum);
    std::vector<ResolvedRoute> routes = routes_to(stack, "portal");
    ASSERT_EQ(routes.size(), 1u);
    EXPECT_EQ(routes[0].gateway, "public");
    EXPECT_EQ(routes[0].listener.port, 80);
    EXPECT_EQ(routes[0].target.path, "left/front");
    EXPECT_TRUE(routes_to(stack, "mail").empty());
}

TEST(Composition, MergesSettingsByNameAndPath) {
    StackSpec stack = stack_of(kForum);
    ServiceInstanceSpec instance;
    instance.service = "forum";
    instance.replicas = 3;
    Configuration settings;
    settings.path = "store";
    settings.env = {{"B", "2", std::nullopt}, {"C", "2", std::nullopt}};
    settings.volume_mounts = {{"data", "/data", "", false}};
    settings.replicas = 1;
    settings.placement = Placement{"m1"};
    instance.configuration = {settings};
    std::vector<ConfiguredLeaf> leaves = configured_leaves(stack, instance);
    ASSERT_EQ(leaves.size(), 2u);
    EXPECT_EQ(leaves[0].replicas, 2) << "the member's own count";
    EXPECT_EQ(leaves[1].replicas, 1) << "the configuration's";
    EXPECT_EQ(leaves[1].service.placement.machine, "m1");
    const Container& store = *leaves[1].service.container;
    ASSERT_EQ(store.env.size(), 3u);
    EXPECT_EQ(store.env[0].value, "1");
    EXPECT_EQ(store.env[1].value, "2");
    EXPECT_EQ(store.volume_mounts.size(), 1u);
    instance.service = "mail";
    EXPECT_EQ(configured_leaves(stack, instance)[0].replicas, 3) << "a plain service has the instance's count";
}

TEST(Composition, CutsCompositesThatContainThemselvesOrGrowWithoutEnd) {
    StackSpec stack = stack_of(kForum);
    stack.services[3].composite->services.push_back({"again", "portal"});
    EXPECT_LT(leaves_of(stack, "portal").size(), 10u);
    EXPECT_TRUE(resolve_provides(stack, {"portal", "web"}));
    stack.services[3].composite->provides[0].from = {"again", "web"};
    EXPECT_FALSE(resolve_provides(stack, {"portal", "web"})) << "and does not loop";

    StackSpec tower = stack_of(kForum);
    std::string below = "mail";
    for (int level = 0; level < 12; ++level) {
        Service service;
        service.name = "level" + std::to_string(level);
        service.composite = Composite{};
        for (int i = 0; i < 32; ++i) service.composite->services.push_back({"m" + std::to_string(i), below});
        below = service.name;
        tower.services.push_back(service);
    }
    EXPECT_EQ(leaves_of(tower, below).size(), kMaxLeaves);
}

TEST(Composition, CountsNumbersAndPercentages) {
    EXPECT_EQ(resolve_count({std::int64_t{2}}, 10, Rounding::Up), 2);
    EXPECT_EQ(resolve_count({std::string("25%")}, 10, Rounding::Up), 3);
    EXPECT_EQ(resolve_count({std::string("25%")}, 10, Rounding::Down), 2);
    EXPECT_EQ(resolve_count({std::string("0%")}, 10, Rounding::Up), 0);
    EXPECT_EQ(resolve_count({std::string("nonsense")}, 10, Rounding::Up), 0);
    EXPECT_EQ(resolve_count({std::string("")}, 10, Rounding::Up), 0);
}

}  // namespace
}  // namespace atl::crds
