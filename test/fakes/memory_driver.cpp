#include "test/fakes/memory_driver.h"

#include <algorithm>

namespace atl::fakes {

namespace {

void collect_texts(const cloud::Properties& value, std::vector<std::string>& texts) {
    if (value.is_string()) texts.push_back(value.get<std::string>());
    if (!value.is_structured()) return;
    for (const auto& member : value) collect_texts(member, texts);
}

}  // namespace

Task<cloud::World> MemoryDriver::observe(cloud::Owner owner, Instant) {
    auto& mine = things[owner.id];
    for (cloud::Observed& thing : mine) {
        Countdown& countdown = countdowns_[thing.id];
        if (thing.state == cloud::State::Pending && --countdown.pending < 0) thing.state = cloud::State::Ready;
        if (thing.state == cloud::State::Deleting) --countdown.deleting;
    }
    std::erase_if(mine, [&](const cloud::Observed& thing) {
        return thing.state == cloud::State::Deleting && countdowns_[thing.id].deleting < 0;
    });
    co_return cloud::World{mine};
}

Task<std::vector<cloud::Accepted>> MemoryDriver::apply(cloud::Batch batch, Instant) {
    std::optional<Error> planned;
    if (!next_errors.empty()) {
        planned = next_errors.front();
        next_errors.pop_front();
    }
    std::vector<cloud::Accepted> results;
    for (const cloud::Step& step : batch.steps) {
        cloud::Accepted accepted;
        accepted.error = planned ? planned : run(batch.owner, step, accepted.id);
        results.push_back(std::move(accepted));
    }
    co_return results;
}

std::optional<Error> MemoryDriver::run(const cloud::Owner& owner, const cloud::Step& step, std::string& id) {
    auto& mine = things[owner.id];
    if (step.op == cloud::Op::Create) return create(mine, step, id);
    id = step.observed->id;
    if (step.op == cloud::Op::Delete) return remove(mine, id);
    const auto found = std::ranges::find(mine, id, &cloud::Observed::id);
    if (found == mine.end()) return conflict("NotFound", step.key.to_string() + " is not there");
    effects.push_back(std::string(to_string(step.op)) + " " + step.key.to_string());
    if (step.op == cloud::Op::Release) {
        mine.erase(found);
        return {};
    }
    for (const auto& member : step.desired->properties.items()) found->properties[member.key()] = member.value();
    found->content_hash = step.desired->content_hash;
    found->state = cloud::State::Pending;
    found->uses.clear();
    collect_texts(found->properties, found->uses);
    countdowns_[id].pending = pending;
    return {};
}

std::optional<Error> MemoryDriver::create(std::vector<cloud::Observed>& mine, const cloud::Step& step,
                                          std::string& id) {
    const auto same = std::ranges::find(mine, step.key, &cloud::Observed::key);
    if (same != mine.end() && same->state != cloud::State::Deleting) {
        id = same->id;  // may be repeated
        return {};
    }
    if (!cloud::references_of(step.desired->properties).empty()) {
        return invalid("Unresolved", step.key.to_string() + " refers to what is not there");
    }
    effects.push_back("create " + step.key.to_string());
    cloud::Observed thing;
    thing.key = step.key;
    thing.id = id = "id-" + std::to_string(next_id_++);
    thing.properties = step.desired->properties;
    thing.content_hash = step.desired->content_hash;
    thing.outputs["id"] = id;
    collect_texts(thing.properties, thing.uses);
    countdowns_[id].pending = pending;
    mine.push_back(std::move(thing));
    return {};
}

std::optional<Error> MemoryDriver::remove(std::vector<cloud::Observed>& mine, const std::string& id) {
    const auto found = std::ranges::find(mine, id, &cloud::Observed::id);
    if (found == mine.end() || found->state == cloud::State::Deleting) return {};
    for (const cloud::Observed& other : mine) {
        if (std::ranges::find(other.uses, id) != other.uses.end()) {
            return conflict("InUse", found->key.to_string() + " is in use by " + other.key.to_string());
        }
    }
    effects.push_back("delete " + found->key.to_string());
    found->state = cloud::State::Deleting;
    countdowns_[id].deleting = deleting;
    return {};
}

}  // namespace atl::fakes
