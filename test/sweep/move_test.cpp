// `atoll move` between two API servers, each with its operator, over one engine; ended at each of its calls and
// repeated.
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/instance_summary.h"
#include "controllers/mover.h"
#include "controllers/types.h"
#include "operator/base/root_task.h"
#include "test/sweep/world.h"

namespace atl::sweep {
namespace {

using namespace std::chrono_literals;
using namespace controllers::types;
using controllers::Mover;
using nlohmann::json;
using testing::HasSubstr;
namespace marks = controllers::marks;

json object_of(const char* kind, const char* name, json spec) {
    return {{"apiVersion", "atoll.dev/v1alpha1"}, {"kind", kind}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

json stack_of(const char* name, json more) {
    json container{{"image", "atoll-demo:1"}, {"command", {"sleep", "1000"}}};
    container["envFrom"] = {{{"secretRef", {{"name", "password"}}}}, {{"configMapRef", {{"name", "settings"}}}}};
    json spec{{"clusterRef", {{"name", "local"}}}, {"services", {{{"name", "web"}, {"container", container}}}}};
    spec.update(more);
    return object_of("Stack", name, spec);
}

/// One side: an API server with a person's way to it.
struct Side {
    std::shared_ptr<kube::CredentialSource> credentials;
    std::unique_ptr<kube::Client> person;
};

class Move : public testing::Test {
protected:
    Move() : transport_(world_.network()), person_(world_.network()) {}

    ~Move() override {
        root_.reset();
        second_.reset();
        sides_[1].person.reset();
        api_.reset();
    }

    void SetUp() override {
        world_.boot();
        world_.apply(
            object_of("Cluster", "local",
                      {{"infrastructure", {{"local", {{"engine", {{"host", "unix:///var/run/docker.sock"}}}}}}},
                       {"orchestrator", {{"swarm", json::object()}}}}));
        world_.apply({{"apiVersion", "v1"},
                      {"kind", "Secret"},
                      {"metadata", {{"name", "password"}}},
                      {"stringData", {{"PASSWORD", "hush-hush"}}}});
        world_.apply({{"apiVersion", "v1"},
                      {"kind", "ConfigMap"},
                      {"metadata", {{"name", "settings"}}},
                      {"data", {{"MODE", "fast"}}}});
        world_.apply(stack_of("shop", {{"deletionProtection", true}}));
        world_.apply(stack_of("idle", {{"paused", true}}));
        sides_[0] = {world_.credentials(),
                     std::make_unique<kube::Client>(person_, world_.loop(), world_.credentials())};
        ASSERT_TRUE(world_.until([&] { return is_ready(0); }, 5min));
        start_target();
        world_.run_for(30s);
        services_ = world_.engine().ask("GET", "/services").dump();
        specs_ = specs(0);
        journals_ = journals(0);
        ASSERT_NE(journals_, "[]");
    }

    void start_target() {
        api_ = std::make_unique<ApiOnDisk>(world_.loop(), world_.network(), "api-2");
        api_->start();
        sides_[1] = {api_->credentials(), std::make_unique<kube::Client>(person_, world_.loop(), api_->credentials())};
        ASSERT_TRUE(sim::run(world_.loop(), commands::install(*sides_[1].person, "atoll-system")).ok());
        transport_.fault = [this](const sim::Call& call, sim::Point point) {
            const bool writes = call.request.method != "GET" && call.request.method != "HEAD";
            if (point == sim::Point::BeforeSend && writes && call.request.endpoint.scheme == net::Scheme::Unix)
                ++engine_writes_;
            return sim::Fault::None;
        };
        const commands::OperatorProcess::Outside outside{world_.loop(),    world_.loop(),   world_.loop().random(),
                                                         transport_,       Metrics::none(), Log::none(),
                                                         world_.registry()};
        second_ = std::make_unique<commands::OperatorProcess>(outside, api_->credentials(),
                                                              commands::OperatorProcess::Options{});
        second_->start();
    }

    std::vector<kube::Object> list(int side, const kube::ResourceType& type, const std::string& labels = "") {
        kube::Scope scope(type, "default");
        scope.label_selector = labels;
        const auto page = sim::run(world_.loop(), sides_[side].person->list(scope));
        EXPECT_TRUE(page.ok()) << (page.ok() ? "" : page.error().message());
        return page.ok() ? page->objects : std::vector<kube::Object>();
    }
    std::vector<kube::Object> all(int side) {
        std::vector<kube::Object> objects;
        for (const auto& type : {kCluster, kStack, kServiceInstance, kMachine}) {
            for (kube::Object& object : list(side, type)) objects.push_back(std::move(object));
        }
        return objects;
    }
    bool is_ready(int side) {
        const auto stacks = list(side, kStack);
        return std::ranges::any_of(
            stacks, [](const kube::Object& one) { return one.key().name == "shop" && controllers::is_ready(one); });
    }
    /// Everything that must be the same on the other side.
    std::string specs(int side) {
        std::string text;
        for (const kube::Object& object : all(side)) {
            const json tree = object.json();
            text += tree["kind"].get<std::string>() + " " + object.key().name + " " + tree["spec"].dump() + " " +
                    object.annotation(marks::kOwnerId).value_or("-") + " " + json(object.meta().finalizers).dump() +
                    " " + (object.meta().owners.empty() ? "" : object.meta().owners.front().name) + "\n";
        }
        return text;
    }
    std::string journals(int side) {
        json all = json::array();
        for (const kube::Object& one : list(side, kSecret, marks::kJournal)) all.push_back(one.json()["data"]);
        return all.dump();
    }
    std::set<std::string> active(int side) {
        std::set<std::string> names;
        for (const kube::Object& object : all(side)) {
            if (!object.annotation(marks::kMove))
                names.insert(object.json()["kind"].get<std::string>() + "/" + object.key().name);
        }
        return names;
    }

    struct Ended {
        bool crashed = false;
        std::string error;
        std::uint64_t calls = 0;
    };
    /// Moves; ends at the call, if the number is below that of all calls.
    Ended move(int from, std::uint64_t crash_at = UINT64_MAX, sim::Point at = sim::Point::BeforeSend) {
        Ended ended;
        sim::SimTransport way(world_.network());
        bool over = false;
        way.fault = [&](const sim::Call& call, sim::Point point) {
            const bool writes =
                call.request.method != "GET" && call.request.target.find("reviews") == std::string::npos;
            if (writes && point == sim::Point::EffectDone) {
                if (on_write_) on_write_(call.request);
                const bool to_target = call.request.endpoint.host == (from == 0 ? "api-2" : "api");
                if (to_target && crash_at_write_ >= 0 && crash_at_write_-- == 0) return sim::Fault::Crash;
            }
            return call.index == crash_at && point == at ? sim::Fault::Crash : sim::Fault::None;
        };
        way.crash = [&] {
            world_.loop().post([&] {
                root_.reset();
                ended.crashed = over = true;
            });
        };
        kube::ClientOptions options;
        options.field_manager = "atoll-move";
        kube::Client source(way, world_.loop(), sides_[from].credentials, options);
        kube::Client target(way, world_.loop(), sides_[1 - from].credentials, options);
        Mover mover({source, target, world_.loop().random(), [&](const std::string& line) { said_ += line + "\n"; }},
                    {"default"});
        root_ = std::make_unique<RootTask<void>>(mover.run(), [&](auto result, std::exception_ptr) {
            if (!result.ok()) ended.error = result.error().message();
            over = true;
        });
        root_->start();
        while (!over) {
            world_.loop().run_for(2ms);
            if (watches_) never_both(from);
            if (on_slice_) on_slice_();
        }
        root_.reset();
        ended.calls = way.calls();
        return ended;
    }
    /// The target is read first: what left the source never comes back to work there.
    void never_both(int from) {
        const auto there = active(1 - from);
        if (there.empty()) return;
        for (const std::string& name : active(from))
            EXPECT_FALSE(there.contains(name)) << name << " is active on both sides";
    }
    void expect_moved(int to, const std::string& when) {
        ASSERT_TRUE(world_.until([&] { return is_ready(to); }, 2min)) << when;
        EXPECT_EQ(specs(to), specs_) << when;
        EXPECT_EQ(journals(to), journals_) << when;
        EXPECT_EQ(active(to).size(), all(to).size()) << when;
        EXPECT_TRUE(all(1 - to).empty()) << when;
        for (const kube::Object& instance : list(to, kServiceInstance))
            EXPECT_EQ(instance.meta().owners.front().uid, list(to, kStack).back().meta().uid) << when;
        EXPECT_EQ(world_.engine().ask("GET", "/services").dump(), services_) << when;
        EXPECT_EQ(world_.engine_writes() + engine_writes_, writes_before_) << when;
    }

    /// Ends it at each call, at that point of it; each time from where the one before has moved to.
    void end_everywhere(sim::Point point) {
        writes_before_ = world_.engine_writes() + engine_writes_;
        int from = 0;
        for (std::uint64_t call = 0;; ++call) {
            const std::string when = "call " + std::to_string(call);
            const Ended first = move(from, call, point);
            ASSERT_EQ(first.error, "") << when;
            if (first.crashed) go_on(from, when);
            expect_moved(1 - from, when);
            if (HasFailure()) return;
            from = 1 - from;
            if (first.crashed) continue;
            EXPECT_GT(call, 100U);
            return;
        }
    }
    void go_on(int from, const std::string& when) {
        world_.run_for(1min);
        never_both(from);
        const Ended again = move(from);
        EXPECT_EQ(again.error, "") << when;
    }

    World world_{3};
    sim::SimTransport transport_;
    sim::SimTransport person_;
    std::unique_ptr<ApiOnDisk> api_;
    std::unique_ptr<commands::OperatorProcess> second_;
    Side sides_[2];
    std::unique_ptr<RootTask<void>> root_;
    std::string services_;
    std::string specs_;
    std::string journals_;
    std::string said_;
    std::uint64_t engine_writes_ = 0;
    std::uint64_t writes_before_ = 0;
    bool watches_ = true;
    int crash_at_write_ = -1;  ///< the how manyth write to the target from now on
    std::function<void(const net::Request&)> on_write_;
    std::function<void()> on_slice_;
};

TEST_F(Move, TakesEverythingAlongAndChangesNothingOnTheEngine) {
    writes_before_ = world_.engine_writes() + engine_writes_;
    const Ended there = move(0);
    EXPECT_EQ(there.error, "");
    expect_moved(1, "there");
    world_.run_for(10min);
    expect_moved(1, "ten minutes later");
    EXPECT_EQ(move(1).error, "");
    expect_moved(0, "and back");
    EXPECT_EQ(said_.find("hush-hush"), std::string::npos);
    EXPECT_THAT(said_, HasSubstr("copied Secret default/password"));
    EXPECT_GT(there.calls, 100U);
}

TEST_F(Move, EndedBeforeEachOfItsCallsItIsRepeatedWell) {
    end_everywhere(sim::Point::BeforeSend);
}

TEST_F(Move, EndedAfterTheEffectOfEachOfItsCallsItIsRepeatedWell) {
    end_everywhere(sim::Point::EffectDone);
}

/// The first move makes what later ones find: here it is ended at the writes of the first one, in worlds of their own.
class FirstMove : public Move, public testing::WithParamInterface<int> {};

TEST_P(FirstMove, EndedAfterAWriteToTheTargetItIsRepeatedWell) {
    writes_before_ = world_.engine_writes() + engine_writes_;
    crash_at_write_ = GetParam();
    const Ended first = move(0);
    ASSERT_TRUE(first.crashed) << first.error;
    go_on(0, "again");
    expect_moved(1, "again");
}
INSTANTIATE_TEST_SUITE_P(Writes, FirstMove, testing::Range(0, 9));

// What failed is remembered in the journal: without it the target would try the revision again.
TEST_F(Move, ARolledBackRevisionIsNotTriedAgainInTheTarget) {
    json services = (*world_.find(kStack, "shop"))["spec"]["services"];
    services[0]["container"]["image"] = "nope-nope:9";
    services[0]["rollout"]["progressDeadline"] = "15s";
    world_.merge(kStack, "shop", {{"spec", {{"services", services}}}});
    const auto is_rolled_back = [&](int side) {
        const auto found = list(side, kServiceInstance);
        if (found.size() != 1) return false;
        const json status = found.front().member("status");
        return status.contains("conditions") &&
               status["conditions"].dump().find("RolloutFailed") != std::string::npos &&
               status["conditions"].dump().find("\"RolledBack\",\"status\":\"True\"") != std::string::npos;
    };
    ASSERT_TRUE(world_.until([&] { return is_rolled_back(0); }, 3min)) << list(0, kServiceInstance).front().text();
    world_.run_for(1min);
    const auto running = world_.engine().describe_marked();
    writes_before_ = world_.engine_writes() + engine_writes_;
    EXPECT_EQ(move(0).error, "");
    EXPECT_TRUE(world_.until([&] { return is_rolled_back(1); }, 3min));
    world_.run_for(2min);
    EXPECT_EQ(world_.engine_writes() + engine_writes_, writes_before_);
    EXPECT_EQ(world_.engine().describe_marked(), running);
}

// An edit while the copy is made must not be lost: what has changed since it was copied is copied again.
TEST_F(Move, AnEditBetweenCopyAndCommitComesAlong) {
    std::string edited;
    on_write_ = [&](const net::Request& request) {
        const bool journal =
            request.target.find("/secrets") != std::string::npos && request.body.find("journal") != std::string::npos;
        if (journal && edited.empty()) edited = "now";
    };
    watches_ = false;
    on_slice_ = [&] {
        if (edited != "now") return;
        edited = "done";
        world_.merge(kStack, "idle", {{"metadata", {{"labels", {{"edited", "late"}}}}}});
    };
    EXPECT_EQ(move(0).error, "");
    EXPECT_EQ(edited, "done");
    for (const kube::Object& stack : list(1, kStack)) {
        if (stack.key().name == "idle") EXPECT_EQ(stack.meta().labels.find("edited"), "late");
    }
}

TEST_F(Move, WithoutAnOperatorAtTheSourceNothingIsCopied) {
    world_.end_operator();
    const Ended ended = move(0);
    EXPECT_THAT(ended.error, HasSubstr("have not said that they keep their hands off Cluster default/local"));
    EXPECT_TRUE(all(1).empty());
}

TEST_F(Move, ASecretThatDiffersInTheTargetStopsItWithoutShowingAValue) {
    json other{{"metadata", {{"name", "password"}, {"namespace", "default"}}},
               {"stringData", {{"PASSWORD", "other-one"}}}};
    ASSERT_TRUE(sim::run(world_.loop(), sides_[1].person->create(kSecret, other)).ok());
    const Ended ended = move(0);
    EXPECT_THAT(ended.error, HasSubstr("Secret default/password differs in the target (keys \"PASSWORD\")"));
    EXPECT_EQ(ended.error.find("hush-hush") + ended.error.find("other-one"), 2 * std::string::npos);
    EXPECT_TRUE(all(1).empty());
    ASSERT_TRUE(
        sim::run(world_.loop(), sides_[1].person->remove(kube::Target(kSecret, kube::ObjectKey("default", "password"))))
            .ok());
    writes_before_ = world_.engine_writes() + engine_writes_;
    go_on(0, "after it is gone");
    expect_moved(1, "after it is gone");
}

TEST_F(Move, ATargetThatHasMadeThingsOfItsOwnIsRefused) {
    json theirs = stack_of("theirs", json::object());
    theirs["metadata"]["namespace"] = "default";
    theirs["metadata"]["annotations"] = {{marks::kOwnerId, "someone.else"}};
    ASSERT_TRUE(sim::run(world_.loop(), sides_[1].person->create(kStack, theirs)).ok());
    EXPECT_THAT(
        move(0).error,
        HasSubstr("the target has an installation of its own, and has made things under it for Stack default/theirs"));
    EXPECT_EQ(active(0).size(), all(0).size()) << "nothing was paused";
}

}  // namespace
}  // namespace atl::sweep
