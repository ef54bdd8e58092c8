#include "operator/kube/outcome.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/kube/status_patch.h"
#include "test/operator/kube/small_api.h"

namespace atl::kube {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

Error of(ErrorClass error_class) {
    return Error(error_class, "Word", "what went wrong");
}

TEST(Outcome, EachClassHasItsReaction) {
    struct Row {
        ErrorClass error_class;
        unsigned failures;
        Outcome::Next next;
        std::optional<Duration> delay;
        const char* why;
    };
    const Row rows[] = {
        {ErrorClass::Throttled, 0, Outcome::Next::Backoff, std::nullopt, "retry"},
        {ErrorClass::Transient, 0, Outcome::Next::Backoff, std::nullopt, "retry"},
        {ErrorClass::Conflict, 0, Outcome::Next::Backoff, std::nullopt, "retry"},
        {ErrorClass::NotYetVisible, 0, Outcome::Next::Backoff, 1s, "from 1 s"},
        {ErrorClass::NotYetVisible, 5, Outcome::Next::Backoff, 5s, "to 5 s"},
        {ErrorClass::NotYetVisible, 10, Outcome::Next::Backoff, std::nullopt, "then Transient"},
        {ErrorClass::Capacity, 3, Outcome::Next::Backoff, 3min, "an offering is bad for 3 min"},
        {ErrorClass::Quota, 0, Outcome::Next::Backoff, 15min, "a person must act"},
        {ErrorClass::Credentials, 0, Outcome::Next::Backoff, 1min, "from 1 min"},
        {ErrorClass::Credentials, 9, Outcome::Next::Backoff, 15min, "to 15 min"},
        {ErrorClass::Invalid, 0, Outcome::Next::Never, std::nullopt, "until the spec changes"},
        {ErrorClass::Unsupported, 0, Outcome::Next::Never, std::nullopt, "until the spec changes"},
    };
    for (const Row& row : rows) {
        History history;
        history.failures = row.failures;
        const Outcome outcome = outcome_of(of(row.error_class), history);
        EXPECT_EQ(outcome.next, row.next) << row.why;
        EXPECT_EQ(outcome.delay, row.delay) << row.why;
        EXPECT_TRUE(outcome.is_error);
        EXPECT_EQ(outcome.result, "error");
    }
}

TEST(Outcome, SuccessAndWaitingAreNoErrors) {
    EXPECT_EQ(outcome_of(Recheck::never(), {}).result, "success");
    EXPECT_EQ(outcome_of(Recheck(1min), {}).result, "requeue_after");
    const Outcome waiting = outcome_of(Error::waiting("A", "b", 7s), {});
    EXPECT_FALSE(waiting.is_error);
    EXPECT_EQ(waiting.next, Outcome::Next::After);
    EXPECT_EQ(waiting.delay, 7s);
}

TEST(Outcome, RetryAfterWins) {
    EXPECT_EQ(outcome_of(of(ErrorClass::Throttled).with_retry_after(40s), {}).delay, 40s);
    EXPECT_EQ(outcome_of(of(ErrorClass::Quota).with_retry_after(40s), {}).delay, 40s);
}

std::unique_ptr<Pass> pass_of(json object) {
    object["metadata"]["generation"] = 4;
    object["metadata"]["resourceVersion"] = "9";
    object["metadata"]["uid"] = "u";
    Pass::Moment moment{WallTime(), Instant()};
    return std::make_unique<Pass>(kWidgets, Object::from_json(object).value(), moment, Log::none());
}

/// An object of generation 4 of which this was said, and is true.
json with_condition(const char* type, const char* reason) {
    json object = widget("shop", "a");
    object["status"]["conditions"] = {
        {{"type", type}, {"status", "True"}, {"reason", reason}, {"observedGeneration", 4}}};
    return object;
}

TEST(Outcome, UnsupportedIsAReasonOfStalled) {
    const auto pass = pass_of(widget("shop", "a"));
    EXPECT_TRUE(describe_outcome(*pass, of(ErrorClass::Unsupported), {}));
    EXPECT_EQ(pass->conditions().find("Stalled")->reason, "Unsupported");
}

TEST(Outcome, EventsOfFailuresAreWarningsThoseOfProgressNormal) {
    struct Row {
        Error error;
        EventType type;
        const char* why;
    };
    const Row rows[] = {
        {Error::waiting("Progressing", "1 of 2 copies run", 1s), EventType::Normal, "a rollout"},
        {Error::waiting("WaitingForStacks", "shop", 1s), EventType::Normal, "a deletion in order"},
        {Error::waiting("RolloutFailed", "exit 3", 1s), EventType::Warning, "nothing to return to"},
        {Error::waiting("RollingBack", "exit 3", 1s), EventType::Warning, "the revision failed"},
        {Error::waiting("ServiceFailed", "web", 1s), EventType::Warning, "of a Stack"},
        {Error::waiting("ContentMissing", "Secret a", 1s), EventType::Warning, "a person must act"},
        {Error::waiting("EngineInUse", "a swarm", 1s), EventType::Warning, "a person must act"},
        {of(ErrorClass::Transient), EventType::Warning, "trouble that lasts"},
        {of(ErrorClass::Capacity), EventType::Warning, "not to be had"},
        {of(ErrorClass::Invalid), EventType::Warning, "stalled"},
    };
    for (const Row& row : rows) {
        const auto pass = pass_of(widget("shop", "a"));
        History history;
        history.troubled_for = 2min;
        ASSERT_TRUE(describe_outcome(*pass, row.error, history)) << row.why;
        record_changes(*pass);
        ASSERT_EQ(pass->events().size(), 1U) << row.why;
        EXPECT_EQ(pass->events()[0].type, row.type) << row.why;
        EXPECT_EQ(pass->events()[0].reason, row.error.reason()) << row.why;
    }
}

TEST(Outcome, CapacityIsNotStalledQuotaAndCredentialsAre) {
    for (const auto error_class : {ErrorClass::Capacity, ErrorClass::Quota, ErrorClass::Credentials}) {
        const auto pass = pass_of(widget("shop", "a"));
        describe_outcome(*pass, of(error_class), {});
        EXPECT_EQ(pass->conditions().is_true("Stalled"), error_class != ErrorClass::Capacity);
        EXPECT_EQ(pass->conditions().is_true("Reconciling"), error_class == ErrorClass::Capacity);
        EXPECT_EQ(pass->conditions().find("Ready")->status, ConditionStatus::False);
    }
}

TEST(Outcome, TheReconcilersOwnWordOnReadyHolds) {
    const auto pass = pass_of(widget("shop", "a"));
    pass->conditions().set("Ready", ConditionStatus::True, "Serving", "2 of 3");
    describe_outcome(*pass, Error::waiting("Rolling", "1 more", 1s), {});
    EXPECT_EQ(pass->conditions().find("Ready")->reason, "Serving");
    EXPECT_TRUE(pass->conditions().is_true("Reconciling"));
}

TEST(Outcome, WhatWasReadyStaysReadyWhileWeOnlyCannotLook) {
    json object = with_condition("Ready", "Ready");
    const auto pass = pass_of(object);
    History history;
    history.troubled_for = 2min;
    describe_outcome(*pass, of(ErrorClass::Transient), history);
    EXPECT_TRUE(pass->conditions().is_true("Ready"));
    EXPECT_TRUE(pass->conditions().is_true("Reconciling"));
    object["status"]["conditions"][0]["observedGeneration"] = 3;
    const auto later = pass_of(object);
    describe_outcome(*later, of(ErrorClass::Transient), history);
    EXPECT_FALSE(later->conditions().is_true("Ready")) << "it was Ready for an older spec";
}

TEST(Outcome, TroubleIsKeptQuietForAMinuteWhereTheObjectIsReady) {
    json object = with_condition("Ready", "Ready");
    const auto pass = pass_of(object);
    History history;
    history.troubled_for = 59s;
    EXPECT_FALSE(describe_outcome(*pass, of(ErrorClass::Transient), history));
    EXPECT_FALSE(pass->conditions().is_true("Reconciling"));
    history.troubled_for = 1min;
    EXPECT_TRUE(describe_outcome(*pass, of(ErrorClass::Transient), history));
    EXPECT_TRUE(pass->conditions().is_true("Reconciling"));
}

/// An object of a kind without any of the standard conditions counts as done (kstatus).
TEST(Outcome, TroubleOfWhatSaysNothingYetIsShownAtOnceAndOfWhatIsOnItsWayAfterSeconds) {
    const auto fresh = pass_of(widget("shop", "a"));
    EXPECT_TRUE(describe_outcome(*fresh, of(ErrorClass::Transient), {}));
    EXPECT_TRUE(fresh->conditions().is_true("Reconciling"));
    EXPECT_EQ(fresh->conditions().find("Ready")->status, ConditionStatus::False);
    json object = with_condition("Reconciling", "Rolling");
    const auto rolling = pass_of(object);
    History history;
    history.troubled_for = 1s;
    EXPECT_FALSE(describe_outcome(*rolling, of(ErrorClass::Conflict), history));
    EXPECT_EQ(rolling->conditions().find("Reconciling")->reason, "Rolling");
    history.troubled_for = 5s;
    EXPECT_TRUE(describe_outcome(*rolling, of(ErrorClass::Conflict), history));
    object["status"]["conditions"][0]["observedGeneration"] = 3;
    EXPECT_TRUE(describe_outcome(*pass_of(object), of(ErrorClass::Transient), {})) << "said of an older spec";
}

TEST(StatusPatch, IsNothingIfNothingChangesInMeaning) {
    json object = widget("shop", "a");
    object["status"] = {{"b", 1}, {"a", {{"x", nullptr}}}, {"observedGeneration", 4}};
    const auto pass = pass_of(object);
    EXPECT_TRUE(status_patch(*pass, Settled::Yes).is_null());
    pass->status()["a"] = json::object();
    EXPECT_TRUE(status_patch(*pass, Settled::Yes).is_null());
    pass->status()["b"] = 2;
    const json expected = {{"metadata", {{"uid", "u"}, {"resourceVersion", "9"}}}, {"status", {{"b", 2}}}};
    EXPECT_EQ(status_patch(*pass, Settled::Yes), expected);
}

TEST(StatusPatch, SurvivesAnOddStatus) {
    json object = widget("shop", "a");
    object["status"] = "text";
    const auto pass = pass_of(object);
    pass->status() = json::array();
    const json patch = status_patch(*pass, Settled::Yes);
    EXPECT_EQ(patch["status"], (json{{"observedGeneration", 4}}));
}

/// before + patch = after, for any two trees without nulls.
TEST(StatusPatch, APatchLeadsFromOneTreeToTheOther) {
    SeededRandom chance(23);
    std::function<json(int)> tree = [&](int depth) -> json {
        if (depth == 0 || chance.below(3) == 0)
            return chance.below(2) == 0 ? json(chance.below(3)) : json::array({chance.below(2)});
        json object = json::object();
        for (const char* name : {"a", "b", "c"}) {
            if (chance.below(2) == 0) object[name] = tree(depth - 1);
        }
        return object;
    };
    for (int i = 0; i < 5000; ++i) {
        json before = json::object({{"m", tree(3)}});
        const json after = json::object({{"m", tree(3)}, {"n", tree(2)}});
        before.merge_patch(merge_patch_between(before, after));
        ASSERT_EQ(before, after);
        ASSERT_TRUE(merge_patch_between(after, after).empty());
    }
}

}  // namespace
}  // namespace atl::kube
