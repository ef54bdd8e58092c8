#include <gtest/gtest.h>

#include "operator/kube/reflector.h"
#include "test/operator/kube/given_reflector.h"

namespace atl::kube {
namespace {

TEST_F(ReflectorTest, Rule5AWatchThatIsRefusedAsExpiredIsFollowedByAListToo) {
    put("a");
    start();
    int refused = 0;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.target.find("watch=1") == std::string::npos || refused++ > 0) return std::nullopt;
        return status_answer(410, "Gone", "the server has forgotten");
    };
    given.api.end_watches();
    ASSERT_TRUE(run_until([&] { return lists() == 2; }, 1min));
    const auto list = std::find_if(given.api.requests.rbegin(), given.api.requests.rend(),
                                   [](const auto& r) { return r.find("watch=1") == std::string::npos; });
    EXPECT_EQ(list->find("resourceVersion"), std::string::npos) << "the newest, not what was seen last: " << *list;
}

TEST_F(ReflectorTest, Rule5AnErrorEventThatThrottlesIsHeededLikeAnAnswer) {
    put("a");
    start();
    json status = json::parse(status_answer(429, "TooManyRequests", "slow down").body);
    status["details"]["retryAfterSeconds"] = 17;
    std::optional<Instant> refused;
    given.api.script_watch = [&](const net::ServerRequest&) -> std::optional<std::vector<std::string>> {
        if (refused) return std::nullopt;
        refused = given.loop.now();
        return std::vector<std::string>{json{{"type", "ERROR"}, {"object", status}}.dump() + "\n"};
    };
    given.loop.run_for(2s);
    given.api.end_watches();
    ASSERT_TRUE(run_until([&] { return refused.has_value(); }));
    const std::size_t before = watches();
    ASSERT_TRUE(run_until([&] { return watches() > before; }));
    EXPECT_GE(given.loop.now() - *refused, 17s);
    EXPECT_LT(given.loop.now() - *refused, 18s);
    EXPECT_EQ(lists(), 1U) << "it goes on from the same version";
}

TEST_F(ReflectorTest, Rule5AnUnreasonableRetryAfterNeitherSpinsNorSleepsForEver) {
    for (const char* after : {"0", "99999999"}) {
        given.api.intercept = [&](const net::ServerRequest&) -> std::optional<net::Response> {
            net::Response response = status_answer(429, "TooManyRequests", "slow down");
            response.headers.set("Retry-After", after);
            return response;
        };
        given.api.requests.clear();
        spawner = std::make_unique<Spawner>(given.loop, nullptr);
        start();
        given.loop.run_for(30min);
        EXPECT_GE(given.api.requests.size(), 3U) << after;
        EXPECT_LE(given.api.requests.size(), 100U) << after;
    }
}

TEST(ReflectorsOfManyProcesses, Rule6DoNotComeBackAllAtOnce) {
    std::set<Instant> second_tries;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Given given(seed);
        const auto client = given.client();
        Cache cache{Scope(kWidgets)};
        SeededRandom random{seed};
        Reflector reflector(*client, random, Log::none(), cache);
        std::vector<Instant> at;
        given.api.intercept = [&](const net::ServerRequest&) -> std::optional<net::Response> {
            at.push_back(given.loop.now());
            return status_answer(503, "ServiceUnavailable", "no");
        };
        Spawner spawner(given.loop, nullptr);
        spawner.start("reflector", reflector.run());
        ASSERT_TRUE(given.loop.run_until([&] { return at.size() == 2; }, 10s));
        second_tries.insert(Instant() + (at[1] - at[0]));
    }
    EXPECT_GE(second_tries.size(), 18U);
    EXPECT_GE(*second_tries.rbegin() - *second_tries.begin(), 400ms);
}

TEST_F(ReflectorTest, Rule7TakesThePresentStateFromTheWatchAndReplacesAtOnce) {
    auto line = [](const char* type, const std::string& name, const std::string& version) {
        json object = widget("shop", name);
        object["metadata"]["resourceVersion"] = version;
        object["metadata"]["uid"] = name;
        return json{{"type", type}, {"object", object}}.dump() + "\n";
    };
    const json end = {
        {"type", "BOOKMARK"},
        {"object",
         {{"metadata", {{"resourceVersion", "50"}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}}}};
    std::size_t before_mark = 99;
    given.api.script_watch = [&](const net::ServerRequest& request) -> std::optional<std::vector<std::string>> {
        before_mark = cache.size();
        if (request.target.find("sendInitialEvents=true") == std::string::npos) return std::nullopt;
        EXPECT_NE(request.target.find("resourceVersionMatch=NotOlderThan"), std::string::npos);
        return std::vector<std::string>{line("ADDED", "a", "3"), line("ADDED", "b", "900"), end.dump() + "\n",
                                        line("ADDED", "c", "51")};
    };
    Reflector::Options options;
    options.watch_list = true;
    start(options);
    EXPECT_TRUE(cache.synced());
    EXPECT_EQ(cache.size(), 3U);
    EXPECT_EQ(lists(), 0U);
    EXPECT_NE(last("watch=1").find("resourceVersion=51"), std::string::npos)
        << "not from a synthetic ADDED: " << last("watch=1");
}

TEST_F(ReflectorTest, Rule7FallsBackToListsWhereTheServerDoesNotKnowWatchList) {
    put("a");
    given.api.intercept = [](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.target.find("sendInitialEvents") == std::string::npos) return std::nullopt;
        return status_answer(422, "Invalid", "sendInitialEvents is forbidden for watch");
    };
    Reflector::Options options;
    options.watch_list = true;
    start(options);
    ASSERT_TRUE(run_until([&] { return cache.synced(); }, 10s));
    EXPECT_EQ(lists(), 1U);
}

TEST_F(ReflectorTest, Rule7AnUnfinishedPresentStateChangesNothing) {
    int served = 0;
    given.api.script_watch = [&](const net::ServerRequest&) -> std::optional<std::vector<std::string>> {
        ++served;
        json object = widget("shop", "a");
        object["metadata"]["resourceVersion"] = "3";
        return std::vector<std::string>{json{{"type", "ADDED"}, {"object", object}}.dump() + "\n"};
    };
    Reflector::Options options;
    options.watch_list = true;
    start(options);
    ASSERT_TRUE(run_until([&] { return served > 2; }));
    EXPECT_FALSE(cache.synced());
    EXPECT_TRUE(changes.empty());
}

TEST_F(ReflectorTest, Rule8AListAfterAGapTellsDeletionsAndRecreations) {
    put("gone");
    put("reborn");
    start();
    changes.clear();
    given.network.serve(given.endpoint.to_string(), nullptr);
    given.loop.run_for(2s);
    given.api.erase(kWidgets, ObjectKey("shop", "gone"));
    given.api.erase(kWidgets, ObjectKey("shop", "reborn"));
    put("reborn", 7);
    given.api.compact();
    given.network.serve(given.endpoint.to_string(), &given.api);
    ASSERT_TRUE(run_until([&] { return changes.size() >= 3; }));
    EXPECT_EQ(changes, (std::vector<std::string>{"-gone", "-reborn", "+reborn"}));
}

TEST_F(ReflectorTest, Rule9ASilentConnectionIsGivenUpAfterTheWatchTimeout) {
    put("a");
    struct Mute final : net::Handler {
        SmallApi& api;
        int mute = 0;
        explicit Mute(SmallApi& inner) : api(inner) {}
        Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override {
            if (request.target.find("watch=1") == std::string::npos || mute++ > 0) {
                co_await api.serve(request, writer);
                co_return;
            }
            net::Headers headers;
            co_await writer.start(200, headers);
            co_await writer.gone();
        }
    } mute(given.api);
    given.network.serve(given.endpoint.to_string(), &mute);
    start();
    put("b");
    EXPECT_TRUE(run_until([&] { return cache.size() == 2; }, 15min))
        << "the half-open connection must not hold for ever";
    EXPECT_EQ(mute.mute, 2);
}

TEST_F(ReflectorTest, Rule10LostPermissionIsQuietKeepsTheCacheAndResumes) {
    put("a");
    start();
    bool forbidden = true;
    given.api.intercept = [&](const net::ServerRequest&) -> std::optional<net::Response> {
        if (!forbidden) return std::nullopt;
        return status_answer(403, "Forbidden", "widgets is forbidden");
    };
    given.api.end_watches();
    given.loop.run_for(5min);
    EXPECT_EQ(reflector->state(), ReflectorState::Forbidden);
    EXPECT_NE(reflector->trouble().find("forbidden"), std::string::npos);
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_LT(given.transports[0]->calls(), 30U);
    forbidden = false;
    EXPECT_TRUE(run_until([&] { return reflector->state() == ReflectorState::Watching; }, 1min));
}

TEST_F(ReflectorTest, Rule10ATypeThatIsRemovedAndComesBackIsFollowedAgain) {
    put("a");
    start();
    bool removed = true;
    given.api.intercept = [&](const net::ServerRequest&) -> std::optional<net::Response> {
        if (!removed) return std::nullopt;
        net::Response response;
        response.status = 404;
        response.body = "404 page not found";
        return response;
    };
    given.api.end_watches();
    given.loop.run_for(1min);
    EXPECT_EQ(reflector->state(), ReflectorState::NoSuchType);
    given.api.erase(kWidgets, ObjectKey("shop", "a"));
    removed = false;
    EXPECT_TRUE(run_until([&] { return reflector->state() == ReflectorState::Watching; }, 1min));
    EXPECT_EQ(cache.size(), 0U);
}

TEST_F(ReflectorTest, Rule12ABadObjectIsReportedAndTheOthersGoOn) {
    put("a");
    start();
    json bad = widget("shop", "bad");
    bad["metadata"]["labels"] = 7;
    json good = widget("shop", "good");
    good["metadata"]["resourceVersion"] = "500";
    const std::string lines = json{{"type", "ADDED"}, {"object", bad}}.dump() + "\n" + "garbage\n" +
                              json{{"type", "ADDED"}, {"object", good}}.dump() + "\n";
    int served = 0;
    // Cut at every byte: frames have nothing to do with lines.
    given.api.script_watch = [&](const net::ServerRequest&) -> std::optional<std::vector<std::string>> {
        if (served++ > 0) return std::nullopt;
        std::vector<std::string> pieces;
        for (const char c : lines) pieces.push_back(std::string(1, c));
        return pieces;
    };
    given.api.end_watches();
    ASSERT_TRUE(run_until([&] { return cache.size() == 2; }));
    EXPECT_TRUE(cache.find(ObjectKey("shop", "good")));
    ASSERT_EQ(undecodable.size(), 2U);
    EXPECT_NE(undecodable[0].find("shop/bad"), std::string::npos) << undecodable[0];
}

TEST_F(ReflectorTest, Rule12AListThatIsTooLargeIsAskedForInSmallerPages) {
    for (int i = 0; i < 40; ++i) put("w" + std::to_string(i));
    ClientOptions options;
    options.max_body = 3000;
    client = given.client(options);
    Reflector::Options small;
    small.page_size = 64;
    start(small);
    EXPECT_TRUE(run_until([&] { return cache.size() == 40; }, 1min));
}

TEST_F(ReflectorTest, Rule13UnknownMembersSurvive) {
    json object = widget("shop", "a");
    object["spec"]["fromTheFuture"] = {{"deep", {1, 2, 3}}};
    given.api.put(kWidgets, object);
    start();
    EXPECT_EQ(cache.find(ObjectKey("shop", "a"))->json()["spec"], object["spec"]);
}

TEST_F(ReflectorTest, AFrameThatIsCutOffIsNotTakenForAnEvent) {
    put("a");
    start();
    json cut = widget("shop", "half");
    cut["metadata"]["resourceVersion"] = "500";
    const std::string whole = json{{"type", "ADDED"}, {"object", cut}}.dump();
    int served = 0;
    given.api.script_watch = [&](const net::ServerRequest&) -> std::optional<std::vector<std::string>> {
        if (served++ > 0) return std::nullopt;
        return std::vector<std::string>{whole.substr(0, whole.size() / 2)};
    };
    given.api.end_watches();
    given.loop.run_for(10s);
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_TRUE(undecodable.empty());
    EXPECT_EQ(reflector->state(), ReflectorState::Watching);
}

TEST_F(ReflectorTest, AnEventThatIsTooLargeLeadsToANewList) {
    put("a");
    ClientOptions options;
    options.max_event = 10000;
    client = given.client(options);
    start();
    json large = widget("shop", "large");
    large["spec"]["text"] = std::string(20000, 'x');
    given.api.put(kWidgets, large);
    EXPECT_TRUE(run_until([&] { return cache.size() == 2; }, 1min));
    EXPECT_EQ(lists(), 2U);
}

}  // namespace
}  // namespace atl::kube
