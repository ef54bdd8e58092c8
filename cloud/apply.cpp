#include "cloud/apply.h"

#include <algorithm>

#include "operator/base/root_task.h"

namespace atl::cloud {

namespace {

using namespace std::chrono_literals;

bool can_run(const Step& step) {
    return step.op != Op::Wait && step.needs.empty();
}

bool same_call(const Step& a, const Step& b) {
    if (a.op != b.op || a.key.kind != b.key.kind) return false;
    if (a.op == Op::Delete) return true;
    // An update has one target, and content differs even where properties do not.
    if (a.op == Op::Update || !a.desired->content.empty() || !b.desired->content.empty()) return false;
    return a.desired->properties == b.desired->properties;
}

std::vector<Batch> batches_of(const Plan& plan, const Owner& owner) {
    std::vector<Batch> batches;
    for (Step step : plan.steps) {
        if (!can_run(step)) continue;
        if (step.op == Op::Replace) step.op = Op::Delete;
        const auto fits = [&](const Batch& batch) { return same_call(batch.steps.front(), step); };
        auto batch = std::ranges::find_if(batches, fits);
        if (batch == batches.end()) {
            batches.push_back({owner, {std::move(step)}});
        } else {
            batch->steps.push_back(std::move(step));
        }
    }
    return batches;
}

std::string doing(const Step& step) {
    const std::string verb = step.op == Op::Create ? "creating " : step.op == Op::Update ? "updating " : "deleting ";
    return verb + step.key.to_string();
}

/// Stop before Wait before Retry.
int gravity(const Error& error) {
    switch (reaction(error.error_class())) {
        case Reaction::Stop:
            return 2;
        case Reaction::Wait:
            return 1;
        case Reaction::Retry:
            return 0;
    }
    return 0;
}

/// Keeps the gravest error, with the smallest delay that any of them names.
void keep_worst(std::optional<Error>& worst, Error error) {
    if (!worst) {
        worst = std::move(error);
        return;
    }
    std::optional<std::chrono::milliseconds> delay = worst->retry_after();
    if (error.retry_after() && (!delay || *error.retry_after() < *delay)) delay = error.retry_after();
    if (gravity(error) > gravity(*worst)) worst = std::move(error);
    if (delay) worst = std::move(*worst).with_retry_after(*delay);
}

Task<std::vector<Accepted>> run_batch(Driver& driver, Batch batch, Instant deadline) {
    std::vector<Accepted> results = co_await driver.apply(std::move(batch), deadline);
    co_return results;
}

/// An answer that was lost is followed by an observation that shows what it made. Where that goes on not to, creating
/// it again and again helps nobody.
Error not_shown() {
    return Error(ErrorClass::NotYetVisible, "NotListed", "it is there already, but the lists do not show it");
}

std::string description(const Step& step) {
    std::string text = step.key.to_string();
    if (step.op == Op::Wait) {
        text += " " + step.reasons.front();
    } else if (step.needs.empty()) {
        text += " (" + std::string(to_string(step.op)) + ")";
    } else {
        text += " (" + std::string(to_string(step.op)) + " after " + step.needs.front().to_string() + ")";
    }
    return text;
}

}  // namespace

Task<> apply_all(const Plan& plan, Driver& driver, Owner owner, Instant deadline) {
    std::vector<Batch> batches = batches_of(plan, owner);
    std::vector<Task<std::vector<Accepted>>> calls;
    for (const Batch& batch : batches) calls.push_back(run_batch(driver, batch, deadline));
    auto results = co_await all(std::move(calls));
    std::optional<Error> worst;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::vector<Step>& steps = batches[i].steps;
        if (!results[i].ok()) {
            keep_worst(worst, std::move(results[i]).error().during(doing(steps.front())));
            continue;
        }
        for (std::size_t j = 0; j < results[i]->size() && j < steps.size(); ++j) {
            Accepted& accepted = (*results[i])[j];
            if (accepted.existed) accepted.error = not_shown();
            if (accepted.error) keep_worst(worst, std::move(*accepted.error).during(doing(steps[j])));
        }
    }
    if (worst) co_await fail(std::move(*worst));
}

Result<Unit> finished(const Plan& plan, const Desired& desired, const World& world) {
    for (const Stranger& other : world.strangers) {
        if (other.damaged) return invalid("MarkLost", other.message).with_retry_after(1min);
    }
    constexpr std::size_t kNamed = 3;
    std::string what;
    std::size_t count = 0;
    const auto name = [&](const std::string& text) {
        if (count++ < kNamed) what += (what.empty() ? "" : ", ") + text;
    };
    for (const Step& step : plan.steps) name(description(step));
    if (plan.empty()) {
        for (const auto& entry : desired.resources) {
            const Observed* observed = world.find(entry.first);
            if (observed == nullptr || observed->state != State::Ready) name(entry.first.to_string());
        }
    }
    if (count == 0) return ok();
    if (count > kNamed) what += " and " + std::to_string(count - kNamed) + " more";
    return Error::waiting("Progressing", what, 1s);
}

}  // namespace atl::cloud
