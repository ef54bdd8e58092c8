#include "operator/kube/reflector.h"

#include <gtest/gtest.h>

#include "test/operator/kube/given_reflector.h"

namespace atl::kube {
namespace {

net::Response gone() {
    return status_answer(410, "Expired", "too old resource version");
}

TEST_F(ReflectorTest, FollowsACollection) {
    put("a");
    start();
    EXPECT_TRUE(cache.synced());
    EXPECT_EQ(reflector->state(), ReflectorState::Watching);
    put("b");
    put("a", 2);
    given.api.erase(kWidgets, ObjectKey("shop", "b"));
    given.loop.run_for(1s);
    EXPECT_EQ(changes, (std::vector<std::string>{"+a", "+b", "~a", "-b"}));
    EXPECT_EQ(lists(), 1U);
}

TEST_F(ReflectorTest, Rule1FirstListMayBeStaleARelistIsNotOlderAndAfter410ItIsTheNewest) {
    put("a");
    start();
    EXPECT_NE(given.api.requests[0].find("resourceVersion=0"), std::string::npos);
    put("b");
    given.loop.run_for(1s);
    // A list that is not caused by 410 asks for what was seen last, without a limit.
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.target.find("watch=1") != std::string::npos) return status_answer(403, "Forbidden", "no");
        return std::nullopt;
    };
    given.api.end_watches();
    given.api.requests.clear();
    ASSERT_TRUE(run_until([&] { return lists() > 0; }));
    EXPECT_NE(last("GET").find("resourceVersion=102"), std::string::npos) << last("GET");
    given.api.intercept = nullptr;
    ASSERT_TRUE(run_until([&] { return reflector->state() == ReflectorState::Watching; }));
    put("c");
    given.api.end_watches();
    put("d");
    given.api.compact();
    given.api.requests.clear();
    ASSERT_TRUE(run_until([&] { return lists() > 0; }));
    const auto list = std::find_if(given.api.requests.begin(), given.api.requests.end(),
                                   [](const auto& r) { return r.find("watch=1") == std::string::npos; });
    EXPECT_EQ(list->find("resourceVersion"), std::string::npos) << *list;
}

TEST_F(ReflectorTest, Rule1AVersionThatTheServerHasNotReachedIsDropped) {
    put("a");
    start();
    bool refuse = true;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (refuse && request.target.find("resourceVersion=") != std::string::npos) {
            return status_answer(504, "Timeout", "Too large resource version: 101, current: 50");
        }
        return std::nullopt;
    };
    given.api.end_watches();
    given.api.requests.clear();
    ASSERT_TRUE(run_until([&] { return given.api.count("GET /apis/example.dev/v1/widgets?limit=500") > 0; }));
    refuse = false;
    EXPECT_TRUE(run_until([&] { return reflector->state() == ReflectorState::Watching; }));
}

TEST_F(ReflectorTest, Rule2PagesAndStartsAnewWhenATokenHasExpired) {
    for (int i = 0; i < 25; ++i) put("w" + std::to_string(i));
    int expired = 0;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.target.find("continue=20") == std::string::npos || expired > 0) return std::nullopt;
        ++expired;
        return gone();
    };
    Reflector::Options options;
    options.page_size = 10;
    start(options);
    EXPECT_EQ(cache.size(), 25U);
    EXPECT_EQ(expired, 1);
    EXPECT_EQ(given.api.count("GET /apis/example.dev/v1/widgets?limit=10&continue=10"), 2U) << "the list began anew";
    for (const std::string& request : given.api.requests) {
        EXPECT_FALSE(request.find("continue=") != std::string::npos &&
                     request.find("resourceVersion") != std::string::npos);
    }
}

TEST_F(ReflectorTest, Rule3ACleanEndIsFollowedByAWatchFromTheLastVersionWithoutAList) {
    put("a");
    start();
    put("b");
    given.loop.run_for(2s);
    given.api.end_watches();
    ASSERT_TRUE(run_until([&] { return watches() == 2; }, 1s));
    EXPECT_EQ(lists(), 1U);
    EXPECT_NE(last("watch=1").find("resourceVersion=102"), std::string::npos) << last("watch=1");
    EXPECT_NE(last("watch=1").find("allowWatchBookmarks=true"), std::string::npos);
    std::set<int> timeouts;
    for (int i = 0; i < 10; ++i) {
        given.loop.run_for(2s);
        given.api.end_watches();
        given.loop.run_for(100ms);
        const std::string request = last("watch=1");
        timeouts.insert(std::stoi(request.substr(request.find("timeoutSeconds=") + 15)));
    }
    EXPECT_GE(*timeouts.begin(), 300);
    EXPECT_LE(*timeouts.rbegin(), 600);
    EXPECT_GT(timeouts.size(), 3U) << "drawn by chance";
}

TEST_F(ReflectorTest, Rule4ABookmarkAdvancesTheVersionAndNothingElse) {
    put("a");
    start();
    changes.clear();
    given.api.put(kGadgets, json{{"metadata", {{"namespace", "shop"}, {"name", "g"}}}});
    given.api.bookmark();
    given.loop.run_for(2s);
    EXPECT_TRUE(changes.empty());
    given.api.end_watches();
    given.loop.run_for(100ms);
    EXPECT_NE(last("watch=1").find("resourceVersion=102"), std::string::npos) << last("watch=1");
}

TEST_F(ReflectorTest, Rule5AnExpiredWatchIsFollowedByANewListAndCachedObjectsStayMeanwhile) {
    put("a");
    start();
    given.api.end_watches();
    put("b");
    given.api.compact();
    bool was_empty = false;
    ASSERT_TRUE(run_until([&] {
        was_empty |= cache.size() == 0;
        return cache.size() == 2;
    }));
    EXPECT_FALSE(was_empty);
    EXPECT_EQ(lists(), 2U);
}

TEST_F(ReflectorTest, Rule5ThrottlingWaitsAsLongAsToldAndKeepsTheVersion) {
    put("a");
    start();
    given.loop.run_for(2s);
    int refusals = 0;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.target.find("watch=1") == std::string::npos || refusals > 0) return std::nullopt;
        ++refusals;
        net::Response response = status_answer(429, "TooManyRequests", "slow down");
        response.headers.set("Retry-After", "17");
        return response;
    };
    given.api.end_watches();
    ASSERT_TRUE(run_until([&] { return refusals == 1; }));
    const Instant refused = given.loop.now();
    const std::size_t before = watches();
    ASSERT_TRUE(run_until([&] { return watches() > before; }));
    EXPECT_GE(given.loop.now() - refused, 17s);
    EXPECT_LT(given.loop.now() - refused, 18s);
    EXPECT_EQ(lists(), 1U);
}

TEST_F(ReflectorTest, Rule5ServerErrorsInAWatchAreRetriedForAMinuteThenListed) {
    put("a");
    start();
    const json status = json::parse(status_answer(500, "InternalError", "etcd is away").body);
    const std::string line = json{{"type", "ERROR"}, {"object", status}}.dump() + "\n";
    given.api.script_watch = [&](const net::ServerRequest&) { return std::vector<std::string>{line}; };
    given.api.end_watches();
    given.loop.run_for(55s);
    EXPECT_EQ(lists(), 1U);
    EXPECT_GT(watches(), 3U);
    ASSERT_TRUE(run_until([&] { return lists() == 2; }, 3min));
}

TEST_F(ReflectorTest, Rule5ARefusedConnectionBacksOffAndGoesOnFromTheSameVersion) {
    put("a");
    start();
    given.network.serve(given.endpoint.to_string(), nullptr);
    given.loop.run_for(60s);
    EXPECT_EQ(reflector->state(), ReflectorState::Recovering);
    EXPECT_EQ(cache.size(), 1U);
    const std::uint64_t calls = given.transports[0]->calls();
    EXPECT_LT(calls, 15U) << "backs off";
    given.network.serve(given.endpoint.to_string(), &given.api);
    put("b");
    ASSERT_TRUE(run_until([&] { return cache.size() == 2; }, 1min));
    EXPECT_EQ(lists(), 1U);
}

TEST_F(ReflectorTest, Rule5AWatchThatEndsAtOnceWithoutAnEventIsAnError) {
    put("a");
    start();
    given.api.script_watch = [](const net::ServerRequest&) { return std::vector<std::string>{}; };
    given.api.end_watches();
    given.loop.run_for(60s);
    EXPECT_LT(watches(), 12U) << "backs off, does not spin";
}

TEST_F(ReflectorTest, Rule6RelistsBackOffTo30SecondsWithJitterAndResetAfterHealth) {
    std::vector<Instant> at;
    bool down = true;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (!down || request.target.find("watch=1") != std::string::npos) return std::nullopt;
        at.push_back(given.loop.now());
        return status_answer(503, "ServiceUnavailable", "no");
    };
    start();
    given.loop.run_for(10min);
    ASSERT_GT(at.size(), 15U);
    EXPECT_GE(at[1] - at[0], 800ms);
    EXPECT_LE(at[1] - at[0], 1700ms);
    EXPECT_LE(at.back() - at[at.size() - 2], 31s);
    EXPECT_GE(at.back() - at[at.size() - 2], 29s);
    down = false;
    ASSERT_TRUE(run_until([&] { return cache.synced(); }));
    given.loop.run_for(3min);
    down = true;
    at.clear();
    given.api.compact();
    put("x");
    given.api.compact();
    given.api.end_watches();
    given.network.serve(given.endpoint.to_string(), nullptr);
    given.network.serve(given.endpoint.to_string(), &given.api);
    put("y");
    given.api.compact();
    ASSERT_TRUE(run_until([&] { return at.size() > 1; })) << "the stale version led to a list";
    EXPECT_LE(at[1] - at[0], 5s) << "the back-off began anew";
}

}  // namespace
}  // namespace atl::kube
