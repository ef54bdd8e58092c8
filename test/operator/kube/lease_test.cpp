#include "operator/kube/lease.h"

#include <gtest/gtest.h>

#include "operator/kube/leased_transport.h"
#include "test/operator/kube/machinery.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const ResourceType kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};
const ObjectKey kKey("default", "atoll");

/// One process that stands for election.
struct Candidate {
    Candidate(Given& given_in, const std::string& identity)
        : given(given_in),
          client(given.client()),
          transport(*given.transports.back()),
          random(std::hash<std::string>{}(identity)) {
        LeaseOptions options;
        options.identity = identity;
        election = std::make_unique<LeaseElection>(*client, random, Log::none(), metrics, options);
        election->on_leading = [this] { led_at = given.loop.now(); };
        election->on_lost = [this] { lost_at = given.loop.now(); };
        spawner->start("election", election->run());
    }
    bool leads() const { return spawner && election->is_leader(); }
    void crash() { spawner.reset(); }

    Given& given;
    std::unique_ptr<Client> client;
    sim::SimTransport& transport;
    SeededRandom random;
    MetricSums metrics;
    std::unique_ptr<LeaseElection> election;
    std::unique_ptr<Spawner> spawner = std::make_unique<Spawner>(given.loop, nullptr);
    std::optional<Instant> led_at;
    std::optional<Instant> lost_at;
};

struct LeaseTest : testing::Test {
    Given given{13};
    json spec() { return (*given.api.get(kLeases, kKey))["spec"]; }
    bool run_until(const std::function<bool()>& predicate, Duration limit) {
        return given.loop.run_until(predicate, limit);
    }
};

TEST_F(LeaseTest, TheFirstLeadsAtOnceAndWritesWhatClientGoWrites) {
    Candidate a(given, "host-a_1");
    given.loop.run_for(1s);
    EXPECT_TRUE(a.leads());
    EXPECT_EQ(spec()["holderIdentity"], "host-a_1");
    EXPECT_EQ(spec()["leaseDurationSeconds"], 15);
    EXPECT_EQ(spec()["leaseTransitions"], 0);
    EXPECT_EQ(spec()["renewTime"].get<std::string>().size(), std::string("2026-01-01T00:00:00.000000Z").size());
    EXPECT_EQ(a.metrics.values["leader_election_master_status{atoll}"], 1);
}

TEST_F(LeaseTest, TheStandbyTakesOver15SecondsAfterTheLastRenewalItSaw) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(1min);
    EXPECT_TRUE(a.leads());
    EXPECT_FALSE(b.leads());
    const Instant crashed = given.loop.now();
    a.crash();
    ASSERT_TRUE(run_until([&] { return b.leads(); }, 1min));
    EXPECT_GE(*b.led_at - crashed, 12s);
    EXPECT_LE(*b.led_at - crashed, 16s);
    EXPECT_EQ(spec()["leaseTransitions"], 1);
}

TEST_F(LeaseTest, AtRestTheStandbyOnlyWatches) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(2s);
    given.api.requests.clear();
    given.loop.run_for(1min);
    EXPECT_LE(given.api.count("GET /apis/coordination.k8s.io/v1/namespaces/default/leases/atoll"), 35U)
        << "one look a renewal";
    EXPECT_EQ(given.api.count("PUT"), 0U);
}

TEST_F(LeaseTest, OneThatReleasesIsFollowedAtOnce) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(5s);
    a.spawner.reset();
    ASSERT_TRUE(sim::run(given.loop, a.election->release()).ok());
    EXPECT_FALSE(a.election->is_leader());
    const Instant released = given.loop.now();
    ASSERT_TRUE(run_until([&] { return b.leads(); }, 1min));
    EXPECT_LE(given.loop.now() - released, 1s);
}

TEST_F(LeaseTest, IsReleasedAlsoIfSomebodyTouchedItMeanwhile) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    a.spawner.reset();
    json touched = *given.api.get(kLeases, kKey);
    touched["metadata"]["labels"] = {{"seen", "yes"}};
    given.api.put(kLeases, touched);
    ASSERT_TRUE(sim::run(given.loop, a.election->release()).ok());
    EXPECT_EQ(spec()["holderIdentity"], "");
    EXPECT_EQ(spec()["leaseDurationSeconds"], 1);
    EXPECT_EQ(a.metrics.values["leader_election_master_status{atoll}"], 0);
}

TEST_F(LeaseTest, ALeaseThatAnotherHasTakenIsNotReleased) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(1s);
    a.spawner.reset();
    ASSERT_TRUE(run_until([&] { return b.leads(); }, 1min));
    static_cast<void>(sim::run(given.loop, a.election->release()));
    EXPECT_EQ(spec()["holderIdentity"], "b");
    EXPECT_TRUE(b.leads());
}

TEST_F(LeaseTest, IsRenewedEachRetryPeriodWithJitter) {
    const LeaseOptions options;
    EXPECT_GT(options.lease_duration, options.renew_deadline);
    EXPECT_GT(options.renew_deadline * 10, options.retry_period * 12);
    Candidate a(given, "a");
    given.loop.run_for(1s);
    given.api.requests.clear();
    std::set<Instant> renewals;
    given.api.intercept = [&](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.method == "PATCH") renewals.insert(given.loop.now());
        return std::nullopt;
    };
    given.loop.run_for(2min);
    EXPECT_GE(renewals.size(), 49U) << "120 s by 2.4 s at most";
    EXPECT_LE(renewals.size(), 60U) << "120 s by 2 s at least";
    EXPECT_EQ(given.api.count("GET"), 0U) << "from the cached record, without a look";
    std::set<Duration> pauses;
    for (auto next = std::next(renewals.begin()); next != renewals.end(); ++next)
        pauses.insert(*next - *std::prev(next));
    EXPECT_GT(pauses.size(), 20U);
}

TEST_F(LeaseTest, ALeaderThatCannotRenewStopsBeforeAnotherMayBegin) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(5s);
    const Instant cut = given.loop.now();
    a.transport.fault = [](const sim::Call&, sim::Point point) {
        return point == sim::Point::BeforeSend ? sim::Fault::Reset : sim::Fault::None;
    };
    bool both = false;
    ASSERT_TRUE(run_until(
        [&] {
            both |= a.leads() && b.leads();
            return b.leads();
        },
        1min));
    EXPECT_FALSE(both);
    ASSERT_TRUE(a.lost_at);
    EXPECT_LE(*a.lost_at - cut, 10s);
    EXPECT_FALSE(a.election->guard().valid());
}

TEST_F(LeaseTest, ALeaderSurvivesALostAnswer) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    int lost = 0;
    a.transport.fault = [&](const sim::Call& call, sim::Point point) {
        const bool strike = point == sim::Point::EffectDone && call.request.method == "PATCH" && lost++ == 0;
        return strike ? sim::Fault::Reset : sim::Fault::None;
    };
    given.loop.run_for(1min);
    EXPECT_TRUE(a.leads()) << "the renewal had its effect: the version is another than the cached one";
    EXPECT_FALSE(a.lost_at);
}

TEST_F(LeaseTest, ClockStepsDoNotMoveTheLease) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(5s);
    for (const Duration step : {Duration(24h), Duration(-48h)}) {
        given.loop.step_wall(step);
        bool both = false;
        run_until(
            [&] {
                both |= a.leads() && b.leads();
                return false;
            },
            2min);
        EXPECT_FALSE(both);
        EXPECT_TRUE(a.leads());
    }
}

TEST_F(LeaseTest, ARecordWithAForeignClockIsRespectedForItsDuration) {
    json lease = {{"metadata", {{"namespace", "default"}, {"name", "atoll"}}},
                  {"spec",
                   {{"holderIdentity", "old"},
                    {"leaseDurationSeconds", 15},
                    {"renewTime", "1970-01-01T00:00:00.000000Z"},
                    {"strange", 1}}}};
    given.api.put(kLeases, lease);
    const Instant begun = given.loop.now();
    Candidate a(given, "a");
    ASSERT_TRUE(run_until([&] { return a.leads(); }, 1min));
    EXPECT_GE(given.loop.now() - begun, 15s);
    EXPECT_EQ(spec()["strange"], 1) << "what we do not know survives";
}

TEST_F(LeaseTest, PollsWhereItCannotWatch) {
    given.api.intercept = [](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.target.find("watch=1") == std::string::npos) return std::nullopt;
        return status_answer(400, "BadRequest", "no field selectors here");
    };
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(30s);
    EXPECT_FALSE(b.leads());
    a.crash();
    EXPECT_TRUE(run_until([&] { return b.leads(); }, 20s));
}

TEST_F(LeaseTest, ADeletedLeaseIsMadeAnewByOneOnly) {
    Candidate a(given, "a");
    given.loop.run_for(1s);
    Candidate b(given, "b");
    given.loop.run_for(5s);
    given.api.erase(kLeases, kKey);
    bool both = false;
    run_until(
        [&] {
            both |= a.leads() && b.leads();
            return false;
        },
        1min);
    EXPECT_TRUE(a.leads() || b.leads());
}

TEST_F(LeaseTest, ManyCandidatesManyFaultsNeverTwoLeaders) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Given world(seed);
        std::vector<std::unique_ptr<Candidate>> all;
        SeededRandom chance(seed);
        for (int i = 0; i < 3; ++i) {
            all.push_back(std::make_unique<Candidate>(world, "c" + std::to_string(i)));
            all.back()->transport.fault = [&chance](const sim::Call&, sim::Point) {
                return chance.below(20) == 0 ? sim::Fault::Reset : sim::Fault::None;
            };
        }
        int most = 0;
        for (int round = 0; round < 10; ++round) {
            world.loop.run_until(
                [&] {
                    const auto leaders =
                        std::count_if(all.begin(), all.end(), [](const auto& c) { return c->leads(); });
                    most = std::max(most, static_cast<int>(leaders));
                    return false;
                },
                20s);
            Candidate& victim = *all[chance.below(3)];
            if (victim.leads()) victim.transport.latency = std::chrono::seconds(chance.below(8));
        }
        EXPECT_EQ(most, 1) << "seed " << seed;
    }
}

TEST_F(LeaseTest, WritesAreRefusedWithoutTheLeaseReadsAreNot) {
    Candidate a(given, "a");
    LeasedTransport leased(a.transport, a.election->guard());
    Access access;
    access.endpoint = given.endpoint;
    Client client(leased, given.loop, std::make_shared<FixedCredentials>(access));
    const auto refused = sim::run(given.loop, client.create(kWidgets, widget("shop", "a")));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason(), "LeaseLost");
    EXPECT_TRUE(sim::run(given.loop, client.find(Target(kWidgets, ObjectKey("shop", "a")))).ok());
    given.loop.run_for(1s);
    EXPECT_TRUE(sim::run(given.loop, client.create(kWidgets, widget("shop", "a"))).ok());
}

}  // namespace
}  // namespace atl::kube
