#include "cloud/model.h"

#include <algorithm>
#include <set>

#include "operator/base/digest.h"

namespace atl::cloud {

namespace {

constexpr const char* kReferenceKey = "$ref";

std::optional<Reference> as_reference(const Properties& value) {
    if (!value.is_object() || value.size() != 1 || !value.contains(kReferenceKey)) return std::nullopt;
    const Properties& body = value[kReferenceKey];
    for (const char* part : {"kind", "name", "output"}) {
        if (!body.is_object() || !body.contains(part) || !body[part].is_string()) return std::nullopt;
    }
    return Reference{{body["kind"].get<std::string>(), body["name"].get<std::string>()},
                     body["output"].get<std::string>()};
}

void collect_references(const Properties& value, std::vector<Reference>& found) {
    if (auto reference = as_reference(value)) {
        found.push_back(std::move(*reference));
    } else if (value.is_structured()) {
        for (const Properties& member : value) collect_references(member, found);
    }
}

/// Removes, again and again, what has no dependency left; what stays is in a cycle or behind one.
std::set<ResourceKey> unorderable(const Desired& desired) {
    std::map<ResourceKey, std::set<ResourceKey>> waits_for;
    for (const auto& [key, resource] : desired.resources) {
        auto& needs = waits_for[key];
        for (const ResourceKey& other : dependencies_of(resource)) {
            if (desired.resources.contains(other)) needs.insert(other);
        }
    }
    for (bool progress = true; progress;) {
        progress = false;
        for (auto entry = waits_for.begin(); entry != waits_for.end();) {
            std::erase_if(entry->second, [&](const ResourceKey& other) { return !waits_for.contains(other); });
            const bool free = entry->second.empty();
            progress = progress || free;
            entry = free ? waits_for.erase(entry) : std::next(entry);
        }
    }
    std::set<ResourceKey> left;
    for (const auto& entry : waits_for) left.insert(entry.first);
    return left;
}

}  // namespace

Properties make_reference(const Reference& reference) {
    Properties body = {{"kind", reference.to.kind}, {"name", reference.to.name}, {"output", reference.output}};
    Properties value = Properties::object();
    value[kReferenceKey] = std::move(body);
    return value;
}

std::vector<Reference> references_of(const Properties& properties) {
    std::vector<Reference> found;
    collect_references(properties, found);
    return found;
}

Properties resolve(const Properties& properties, const World& world) {
    if (const auto reference = as_reference(properties)) {
        const Observed* target = world.find(reference->to);
        if (target == nullptr || target->state != State::Ready) return properties;
        const auto output = target->outputs.find(reference->output);
        return output == target->outputs.end() ? properties : Properties(output->second);
    }
    if (!properties.is_structured()) return properties;
    Properties resolved = properties;
    for (auto& member : resolved) member = resolve(member, world);
    return resolved;
}

std::vector<ResourceKey> dependencies_of(const Resource& resource) {
    std::set<ResourceKey> keys(resource.after.begin(), resource.after.end());
    for (const Reference& reference : references_of(resource.properties)) keys.insert(reference.to);
    return {keys.begin(), keys.end()};
}

void Desired::add(Resource resource) {
    ResourceKey key = resource.key;
    resources.insert_or_assign(std::move(key), std::move(resource));
}

Desired nothing() {
    return {};
}

Result<Unit> check_acyclic(const Desired& desired) {
    const std::set<ResourceKey> left = unorderable(desired);
    if (left.empty()) return ok();
    std::string names;
    for (const ResourceKey& key : left) names += (names.empty() ? "" : ", ") + key.to_string();
    return invalid("CyclicReference", "these refer to each other in a circle: " + names);
}

std::string_view to_string(State state) {
    switch (state) {
        case State::Pending:
            return "Pending";
        case State::Ready:
            return "Ready";
        case State::Failed:
            return "Failed";
        case State::Deleting:
            return "Deleting";
    }
    return "Pending";
}

std::string_view to_string(Op op) {
    switch (op) {
        case Op::Create:
            return "create";
        case Op::Update:
            return "update";
        case Op::Replace:
            return "replace";
        case Op::Delete:
            return "delete";
        case Op::Release:
            return "release";
        case Op::Wait:
            return "wait";
    }
    return "wait";
}

const Stranger* World::find_damaged(const ResourceKey& key) const {
    const auto found =
        std::ranges::find_if(strangers, [&](const Stranger& other) { return other.damaged && other.key == key; });
    return found == strangers.end() ? nullptr : &*found;
}

const Observed* World::find(const ResourceKey& key) const {
    // Of duplicates, the one that diff keeps: the smallest id of those that are not going away.
    const Observed* best = nullptr;
    for (const Observed& candidate : resources) {
        if (candidate.key != key) continue;
        const bool going = candidate.state == State::Deleting;
        const bool best_going = best != nullptr && best->state == State::Deleting;
        if (best == nullptr || std::pair(going, candidate.id) < std::pair(best_going, best->id)) best = &candidate;
    }
    return best;
}

std::map<Op, int> Plan::counts() const {
    std::map<Op, int> counts;
    for (const Step& step : steps) ++counts[step.op];
    return counts;
}

std::string Plan::hash() const {
    Properties all = Properties::array();
    for (const Step& step : steps) {
        Properties one = {{"op", to_string(step.op)}, {"kind", step.key.kind}, {"name", step.key.name}};
        one["reasons"] = step.reasons;
        if (step.desired) {
            one["properties"] = step.desired->properties;
            one["content"] = step.desired->content_hash;
        }
        if (step.observed) one["id"] = step.observed->id;
        all.push_back(std::move(one));
    }
    // Replaces invalid UTF-8 instead of throwing: names come from the other side too.
    return sha256_hex(all.dump(-1, ' ', false, Properties::error_handler_t::replace)).substr(0, 16);
}

}  // namespace atl::cloud
