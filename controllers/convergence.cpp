#include "controllers/convergence.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace atl::controllers {

namespace {

constexpr std::size_t kMaxItems = 50;

std::string reason_of(const cloud::Step& step) {
    std::string text;
    for (const std::string& reason : step.reasons) text += (text.empty() ? "" : ", ") + reason;
    return text;
}

/// The past tense and the reason word of an Event for a step that was sent.
std::pair<std::string, std::string> words(cloud::Op op) {
    switch (op) {
        case cloud::Op::Create:
            return {"Created", "created "};
        case cloud::Op::Update:
            return {"Updated", "updated "};
        case cloud::Op::Replace:
            return {"Replacing", "removed for replacement: "};
        case cloud::Op::Delete:
            return {"Deleted", "deleted "};
        case cloud::Op::Release:
        case cloud::Op::Wait:
            break;
    }
    return {"", ""};
}

nlohmann::json item_json(const cloud::Step& step) {
    nlohmann::json item{{"op", std::string(cloud::to_string(step.op))},
                        {"kind", step.key.kind},
                        {"name", step.key.name},
                        {"reason", reason_of(step)}};
    if (step.disruptive) item["disruptive"] = true;
    return item;
}

void tell(const cloud::Plan& plan, kube::Pass& pass) {
    for (const cloud::Step& step : plan.steps) {
        if (step.op == cloud::Op::Wait || !step.needs.empty()) continue;
        const auto [reason, verb] = words(step.op);
        const std::string why = step.op == cloud::Op::Create ? "" : " (" + reason_of(step) + ")";
        pass.event(kube::EventType::Normal, reason, verb + step.key.to_string() + why);
    }
}

}  // namespace

Task<Round> converge(cloud::Driver& driver, const cloud::Desired& desired, cloud::World world,
                     std::pair<cloud::Owner, kube::Pass&> what) {
    Round round;
    round.world = std::move(world);
    round.plan = cloud::diff(desired, round.world, driver.kinds());
    co_await cloud::apply_all(round.plan, driver, what.first, what.second.deadline());
    tell(round.plan, what.second);
    round.finished = cloud::finished(round.plan, desired, round.world);
    co_return round;
}

nlohmann::json plan_json(const cloud::Plan& plan) {
    if (plan.empty()) return nullptr;
    nlohmann::json items = nlohmann::json::array();
    for (const bool disruptive : {true, false}) {
        for (const cloud::Step& step : plan.steps) {
            if (step.op != cloud::Op::Wait && step.disruptive == disruptive) items.push_back(item_json(step));
        }
    }
    auto counts = plan.counts();
    nlohmann::json json{{"hash", plan.hash()},
                        {"create", counts[cloud::Op::Create]},
                        {"update", counts[cloud::Op::Update]},
                        {"replace", counts[cloud::Op::Replace]},
                        {"delete", counts[cloud::Op::Delete]}};
    if (items.size() > kMaxItems) {
        json["truncated"] = items.size() - kMaxItems;
        items.erase(items.begin() + kMaxItems, items.end());
    }
    json["items"] = std::move(items);
    return json;
}

crds::ResourceCounts counts_of(const cloud::Desired& desired, const cloud::World& world) {
    crds::ResourceCounts counts;
    counts.total = static_cast<std::int64_t>(desired.resources.size());
    counts.ready = std::ranges::count_if(desired.resources, [&](const auto& entry) {
        const cloud::Observed* seen = world.find(entry.first);
        return seen != nullptr && seen->state == cloud::State::Ready;
    });
    return counts;
}

}  // namespace atl::controllers
