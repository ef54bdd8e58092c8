#include "operator/kube/events.h"

#include <gtest/gtest.h>

#include "test/operator/kube/small_api.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const ResourceType kEvents{"", "v1", "events", "Event", true};

struct EventsTest : testing::Test {
    Given given;
    std::unique_ptr<Client> client = given.client();
    SeededRandom random{9};
    Spawner spawner{given.loop, nullptr};
    EventRecorder recorder{*client, random, spawner, EventRecorder::Options()};
    EventSubject subject{kWidgets, ObjectKey("shop", "web"), "u1"};

    void record(const std::string& reason, const std::string& message) {
        recorder.record(subject, EventType::Normal, reason, message);
        given.loop.run_for(1s);
    }
    std::vector<json> events() { return given.api.all(kEvents); }
};

TEST_F(EventsTest, WritesWhatPeopleNeed) {
    recorder.record(subject, EventType::Warning, "FailedCreate", "Could not create machine \"a\"");
    given.loop.run_for(1s);
    ASSERT_EQ(events().size(), 1U);
    const json event = events()[0];
    EXPECT_EQ(event["type"], "Warning");
    EXPECT_EQ(event["reason"], "FailedCreate");
    EXPECT_EQ(event["involvedObject"]["uid"], "u1");
    EXPECT_EQ(event["involvedObject"]["apiVersion"], "example.dev/v1");
    EXPECT_EQ(event["metadata"]["namespace"], "shop");
    EXPECT_EQ(event["count"], 1);
}

TEST_F(EventsTest, ARepeatedOneRaisesItsCount) {
    for (int i = 0; i < 5; ++i) record("Scaled", "Scaled to 3");
    ASSERT_EQ(events().size(), 1U);
    EXPECT_EQ(events()[0]["count"], 5);
}

TEST_F(EventsTest, ManySimilarOnesBecomeOne) {
    for (int i = 0; i < 20; ++i) record("Scaled", "Scaled to " + std::to_string(i));
    EXPECT_EQ(events().size(), 10U) << "nine of their own, one for the rest";
    json combined;
    for (const json& event : events()) {
        if (event["count"] > 1) combined = event;
    }
    EXPECT_EQ(combined["count"], 11);
    EXPECT_TRUE(combined["message"].get<std::string>().starts_with("(combined from similar events): "));
}

TEST_F(EventsTest, ASubjectThatSpamsIsCutOffOthersAreNot) {
    for (int i = 0; i < 100; ++i) record("R" + std::to_string(i), "Something");
    EXPECT_EQ(events().size(), 25U);
    EXPECT_EQ(recorder.dropped(), 75U);
    subject.key.name = "other";
    subject.uid = "u2";
    record("R", "Something");
    EXPECT_EQ(events().size(), 26U);
    given.loop.run_for(10min);
    subject.key.name = "web";
    subject.uid = "u1";
    record("Later", "Something");
    EXPECT_EQ(events().size(), 27U) << "one comes back in five minutes";
}

TEST_F(EventsTest, OutlivesAServerThatIsAwayButNotForEver) {
    given.network.serve(given.endpoint.to_string(), nullptr);
    record("Scaled", "Scaled to 3");
    given.loop.run_for(30s);
    given.network.serve(given.endpoint.to_string(), &given.api);
    given.loop.run_for(30s);
    EXPECT_EQ(events().size(), 1U);
    given.network.serve(given.endpoint.to_string(), nullptr);
    record("Scaled", "Scaled to 4");
    given.loop.run_for(5min);
    EXPECT_EQ(recorder.dropped(), 1U);
    EXPECT_EQ(spawner.running(), 0U);
}

TEST_F(EventsTest, AnEventThatTheServerForgotIsWrittenAnew) {
    record("Scaled", "Scaled to 3");
    const std::string name = events()[0]["metadata"]["name"];
    given.api.erase(kEvents, ObjectKey("shop", name));
    record("Scaled", "Scaled to 3");
    ASSERT_EQ(events().size(), 1U);
    EXPECT_EQ(events()[0]["count"], 2);
}

TEST_F(EventsTest, ANamespaceThatGoesDoesNotHoldTheOthersUp) {
    given.api.intercept = [](const net::ServerRequest& request) -> std::optional<net::Response> {
        if (request.target.find("/shop/") == std::string::npos) return std::nullopt;
        return status_answer(403, "Forbidden", "the namespace is being terminated");
    };
    record("Scaled", "Scaled to 3");
    subject.key.ns = "other";
    record("Scaled", "Scaled to 3");
    EXPECT_EQ(events().size(), 1U);
    EXPECT_EQ(recorder.dropped(), 1U);
}

}  // namespace
}  // namespace atl::kube
