#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/contract/given.h"

namespace atl::contract {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// What every Driver promises, shown on the fake engine where every effect can be counted and every call cut.
class DriverContract : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override { begin(); }
    void begin() { given = std::make_unique<Given>("fake", GetParam()); }

    std::vector<cloud::Workload> shop(const std::string& image) {
        cloud::Workload store = given->page("store");
        store.volumes = {{"data", "/data", false, cloud::VolumeMount::Kind::Persistent, false, {}}};
        cloud::Workload web = given->page("web");
        web.image = image;
        web.links = {{"db", 80, "store", "store", 80}};
        web.files = {{"/run/secrets/key", "hunter2", true, 0400}};
        web.published = {{18080, 80, "HTTP", "public"}};
        return {store, web};
    }
    /// Everything that is there, without the ids and states of copies.
    std::vector<std::string> lasting() {
        std::vector<std::string> names = given->bench().contents();
        std::erase_if(names, [](const std::string& name) { return name.starts_with("copy "); });
        for (std::string& name : names) {
            if (name.starts_with("swarm ")) name = "swarm";
        }
        return names;
    }
    /// Up, running, changed, running; what is there then.
    std::vector<std::string> live() {
        given->cluster_up();
        given->converge(shop("busybox:local"));
        given->converge(shop("busybox:next"), 120s);
        return lasting();
    }
    std::unique_ptr<Given> given;
};

TEST_P(DriverContract, ObservingChangesNothing) {
    live();
    const int effects = given->bench().effects();
    for (int i = 0; i < 5; ++i) given->observe();
    EXPECT_EQ(given->bench().effects(), effects);
}

TEST_P(DriverContract, TheSameStepTwiceHasTheEffectOfOne) {
    given->cluster_up();
    const auto shop_now = shop("busybox:local");
    for (int i = 0; i < 12; ++i) {
        const cloud::Plan plan = given->plan(shop_now);
        for (int twice = 0; twice < 2; ++twice) {
            static_cast<void>(given->bench().run(
                cloud::apply_all(plan, *given->driver, given->owner, given->bench().surroundings().clock.now() + 10s)));
        }
        given->bench().pass_time(1s);
    }
    given->converge(shop_now);
    const auto once = lasting();
    begin();
    given->cluster_up();
    given->converge(shop_now);
    EXPECT_EQ(once.size(), lasting().size());
}

TEST_P(DriverContract, SeesAndTouchesOnlyWhatCarriesTheOwnersMark) {
    given->cluster_up();
    given->converge(shop("busybox:local"));
    const auto before = lasting();
    const cloud::Owner mine = given->owner;
    given->owner.id = "instance-2";
    given->owner.name = "other";
    EXPECT_TRUE(given->observe().resources.empty());
    given->remove_workloads();
    EXPECT_EQ(lasting(), before);
    given->owner = mine;
}

TEST_P(DriverContract, LeavesAStrangersThingOfTheSameNameAlone) {
    given->cluster_up();
    given->converge({given->sleeper("web")});
    const auto names = lasting();
    const std::string ours =
        *std::ranges::find_if(names, [](const std::string& name) { return name.find(" web-") != std::string::npos; });
    const std::string name = ours.substr(ours.find(' ') + 1);
    given->remove_workloads();
    const nlohmann::json container = {{"Image", "busybox:local"}};
    if (GetParam() == "swarm") {
        given->bench().as_stranger("POST", "/services/create",
                                   {{"Name", name}, {"TaskTemplate", {{"ContainerSpec", container}}}});
    } else {
        given->bench().as_stranger("POST", "/containers/create?name=" + name, container);
    }
    const auto result = given->pass({given->sleeper("web")});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "NameTaken");
    given->remove_workloads();
    EXPECT_THAT(lasting(), testing::Contains(ours));
    const std::string path = GetParam() == "swarm" ? "/services/" : "/containers/";
    given->bench().as_stranger("DELETE", path + name, {});
    given->bench().pass_time(5s);
}

TEST_P(DriverContract, SurvivesACutAtEachOfTheFourPointsOfEveryCallThatChangesSomething) {
    // A run without faults says which calls there are.
    std::vector<std::uint64_t> changing;
    given->bench().wire()->fault = [&](const sim::Call& call, sim::Point point) {
        if (point == sim::Point::BeforeSend && call.request.method != "GET") changing.push_back(call.index);
        return sim::Fault::None;
    };
    const auto expected = live();
    given->cluster_down();
    given->bench().wire()->fault = nullptr;
    ASSERT_GE(changing.size(), 12U);
    int cuts = 0;
    for (const std::uint64_t index : changing) {
        for (const auto point :
             {sim::Point::BeforeSend, sim::Point::Received, sim::Point::EffectDone, sim::Point::ResponseSent}) {
            begin();
            given->bench().wire()->fault = [&](const sim::Call& call, sim::Point at) {
                const bool struck = call.index == index && at == point;
                cuts += struck ? 1 : 0;
                return struck ? sim::Fault::Reset : sim::Fault::None;
            };
            const auto found = live();
            given->cluster_down();
            given->bench().wire()->fault = nullptr;
            const std::string where =
                "call " + std::to_string(index) + " point " + std::to_string(static_cast<int>(point));
            ASSERT_EQ(found.size(), expected.size()) << where;
            ASSERT_THAT(given->bench().contents(), testing::IsEmpty()) << where;
        }
    }
    EXPECT_GE(cuts, static_cast<int>(changing.size()) * 3);
}

INSTANTIATE_TEST_SUITE_P(Orchestrators, DriverContract, testing::Values("swarm", "none"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace atl::contract
