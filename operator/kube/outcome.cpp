#include "operator/kube/outcome.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace atl::kube {

namespace {

using namespace std::chrono_literals;

constexpr Duration kQuiet = 1min;     // trouble of what is Ready is not shown before it has lasted so long
constexpr Duration kQuietEarly = 5s;  // trouble of what is known to be on its way, neither
constexpr Duration kCapacity = 3min;  // an offering counts as bad for so long
constexpr Duration kQuota = 15min;
constexpr Duration kCredentialsMax = 15min;   // from 1 min, doubling
constexpr Duration kNotYetVisibleMax = 5s;    // from 1 s, doubling
constexpr unsigned kNotYetVisibleTries = 10;  // then it counts as Transient
constexpr Duration kWaitingDefault = 30s;

Duration doubling(Duration first, unsigned times, Duration max) {
    return times > 20 ? max : std::min(max, first * (1 << times));
}

Duration wait_of(const Error& error, const History& history) {
    if (error.retry_after()) return *error.retry_after();
    switch (error.error_class()) {
        case ErrorClass::Capacity:
            return kCapacity;
        case ErrorClass::Quota:
            return kQuota;
        case ErrorClass::Credentials:
            return doubling(1min, history.failures, kCredentialsMax);
        default:
            return kWaitingDefault;
    }
}

Outcome outcome_of_error(const Error& error, const History& history) {
    Outcome outcome;
    outcome.result = "error";
    outcome.is_error = true;
    outcome.next = Outcome::Next::Backoff;
    switch (reaction(error.error_class())) {
        case Reaction::Stop:
            outcome.is_terminal = true;
            // What only a person outside of the API can mend is looked at again.
            outcome.delay = error.retry_after();
            outcome.next = outcome.delay ? Outcome::Next::After : Outcome::Next::Never;
            break;
        case Reaction::Wait:
            outcome.delay = wait_of(error, history);
            break;
        case Reaction::Retry:
            if (error.retry_after()) outcome.delay = *error.retry_after();
            if (!outcome.delay && history.troubled_for < kQuiet) outcome.at_latest = kQuiet - history.troubled_for;
            if (error.error_class() == ErrorClass::NotYetVisible && history.failures < kNotYetVisibleTries) {
                outcome.delay = doubling(1s, history.failures, kNotYetVisibleMax);
            }
            break;
    }
    return outcome;
}

std::string message_of(const Error& error) {
    return error.field().empty() || error.message().find(error.field()) != std::string::npos
               ? error.message()
               : error.field() + ": " + error.message();
}

/// Unsupported is a reason; the other classes bring one of their own.
std::string reason_of(const Error& error) {
    return error.error_class() == ErrorClass::Unsupported ? "Unsupported" : error.reason();
}

void set_ready(Pass& pass, ConditionStatus status, const std::string& reason, const std::string& message) {
    if (pass.conditions().touched(condition::kReady)) return;
    pass.conditions().set(condition::kReady, status, reason, message);
}

void describe_deletion(Pass& pass, const std::string& reason, const std::string& message) {
    if (pass.being_deleted()) {
        pass.conditions().set(condition::kDeleting, ConditionStatus::True, reason, message);
    } else {
        pass.conditions().set(condition::kDeleting, ConditionStatus::False, "NotDeleting", "");
    }
}

void describe_success(Pass& pass) {
    pass.conditions().remove(condition::kStalled);
    describe_deletion(pass, "Deleting", "");
    if (pass.being_deleted()) {
        set_ready(pass, ConditionStatus::False, "Deleting", "");
        pass.conditions().set(condition::kReconciling, ConditionStatus::True, "Deleting", "");
        return;
    }
    pass.conditions().remove(condition::kReconciling);
    set_ready(pass, ConditionStatus::True, "Ready", "");
}

void describe_waiting(Pass& pass, const Error& error) {
    pass.conditions().remove(condition::kStalled);
    describe_deletion(pass, error.reason(), error.message());
    pass.conditions().set(condition::kReconciling, ConditionStatus::True, error.reason(), error.message());
    set_ready(pass, ConditionStatus::False, error.reason(), error.message());
}

/// Ready was true for this generation at the last look.
bool was_ready(const Pass& pass) {
    const Condition* ready = pass.conditions().find(condition::kReady);
    return ready != nullptr && ready->status == ConditionStatus::True &&
           ready->observed_generation == pass.generation() && !pass.being_deleted();
}

/// How long trouble that may pass by itself is kept quiet. What says nothing of this generation yet says so at once:
/// whoever waits for the object would take it for done.
Duration quiet_of(const Pass& pass) {
    if (was_ready(pass)) return kQuiet;
    const Condition* reconciling = pass.conditions().find(condition::kReconciling);
    const bool told = reconciling != nullptr && reconciling->status == ConditionStatus::True &&
                      reconciling->observed_generation == pass.generation();
    return told ? kQuietEarly : Duration::zero();
}

void describe_retry(Pass& pass, const Error& error) {
    pass.conditions().remove(condition::kStalled);
    describe_deletion(pass, reason_of(error), message_of(error));
    pass.conditions().set(condition::kReconciling, ConditionStatus::True, reason_of(error), message_of(error));
    // What was Ready for this generation is still taken to be: we only could not look.
    if (!was_ready(pass)) set_ready(pass, ConditionStatus::False, reason_of(error), message_of(error));
}

void describe_stop(Pass& pass, const Error& error) {
    const bool stalled = error.error_class() != ErrorClass::Capacity;
    describe_deletion(pass, reason_of(error), message_of(error));
    pass.conditions().remove(stalled ? condition::kReconciling : condition::kStalled);
    pass.conditions().set(stalled ? condition::kStalled : condition::kReconciling, ConditionStatus::True,
                          reason_of(error), message_of(error));
    set_ready(pass, ConditionStatus::False, reason_of(error), message_of(error));
}

Conditions conditions_before(const Pass& pass) {
    const auto found = pass.status_before().find("conditions");
    return Conditions(found == pass.status_before().end() ? nlohmann::json() : *found, 0, WallTime());
}

/// What is awaited in the course of things. Every other reason to be Reconciling is trouble, and its Event a Warning.
constexpr std::array<std::string_view, 14> kExpectedWaits = {
    "ChildBeingDeleted", "ClusterNotReady", "Deleting",         "DependencyNotReady", "NotReady",
    "NotSeen",           "Progressing",     "RollingOut",       "ServicesNotReady",   "StartingProviders",
    "StoppingConsumers", "SwarmNotFormed",  "WaitingForStacks", "WaitingForInstances"};

/// Whether a condition says something else than before: another status or another reason.
bool has_changed(const Condition* before, const Condition& now) {
    return before == nullptr || before->status != now.status || before->reason != now.reason;
}

}  // namespace

Outcome outcome_of(const Result<Recheck>& result, const History& history) {
    Outcome outcome;
    if (result.ok()) {
        outcome.result = result->after ? "requeue_after" : "success";
        outcome.next = result->after ? Outcome::Next::After : Outcome::Next::Never;
        outcome.delay = result->after;
        return outcome;
    }
    if (!result.error().is_waiting()) return outcome_of_error(result.error(), history);
    outcome.result = "requeue_after";
    outcome.next = Outcome::Next::After;
    outcome.delay = wait_of(result.error(), history);
    return outcome;
}

bool describe_outcome(Pass& pass, const Result<Recheck>& result, const History& history) {
    pass.conditions().set(condition::kPaused, ConditionStatus::False, "NotPaused", "");
    if (result.ok()) {
        describe_success(pass);
        return true;
    }
    const Error& error = result.error();
    if (error.is_waiting()) {
        describe_waiting(pass, error);
        return true;
    }
    if (reaction(error.error_class()) != Reaction::Retry) {
        describe_stop(pass, error);
        return true;
    }
    if (history.troubled_for >= quiet_of(pass)) {
        describe_retry(pass, error);
        return true;
    }
    return false;
}

void describe_paused(Pass& pass) {
    pass.conditions().set(condition::kPaused, ConditionStatus::True, "Paused",
                          "spec.paused is true: nothing is looked at or changed");
}

void describe_moving(Pass& pass, const std::string& annotation, const std::string& value) {
    pass.conditions().set(condition::kPaused, ConditionStatus::True, "Moving",
                          "annotation \"" + annotation + "=" + value + "\": nothing is looked at or changed");
}

EventType event_type_of(const Condition& condition) {
    if (condition.type == condition::kReady && condition.status == ConditionStatus::True) return EventType::Normal;
    const bool expected = std::ranges::find(kExpectedWaits, condition.reason) != kExpectedWaits.end();
    return expected && condition.type != condition::kStalled ? EventType::Normal : EventType::Warning;
}

void record_changes(Pass& pass) {
    const Conditions before = conditions_before(pass);
    for (const std::string_view type : {condition::kStalled, condition::kReconciling, condition::kReady}) {
        const Condition* now = pass.conditions().find(type);
        if (now == nullptr || !has_changed(before.find(type), *now)) continue;
        std::string message = now->message;
        if (message.empty()) message = now->type + " is " + std::string(to_string(now->status));
        pass.event(event_type_of(*now), now->reason, std::move(message));
        return;
    }
    const Condition* paused = pass.conditions().find(condition::kPaused);
    const Condition* paused_before = before.find(condition::kPaused);
    const bool was = paused_before != nullptr && paused_before->status == ConditionStatus::True;
    if (paused != nullptr && (paused->status == ConditionStatus::True) != was) {
        pass.event(EventType::Normal, was ? "Resumed" : "Paused", was ? "Resumed work" : paused->message);
    }
}

}  // namespace atl::kube
