#include "cloud/diff.h"

#include <algorithm>
#include <set>

namespace atl::cloud {

namespace {

using Keys = std::vector<ResourceKey>;

/// A graph of keys in an order in which each comes after what it needs; ties go by key. What is in a cycle comes last.
Keys in_order(std::map<ResourceKey, std::set<ResourceKey>> needs) {
    Keys order;
    while (!needs.empty()) {
        auto next = std::ranges::find_if(needs, [](const auto& entry) { return entry.second.empty(); });
        if (next == needs.end()) next = needs.begin();
        const ResourceKey key = next->first;
        needs.erase(next);
        for (auto& entry : needs) entry.second.erase(key);
        order.push_back(key);
    }
    return order;
}

/// Appends the paths at which the two trees differ, at most a few: they are reasons for people.
void differing_paths(const Properties& wanted, const Properties& found, const std::string& path,
                     std::vector<std::string>& paths) {
    constexpr std::size_t kMost = 8;
    if (wanted == found || paths.size() >= kMost) return;
    if (wanted.is_object() && found.is_object()) {
        std::set<std::string> names;
        for (const auto& member : wanted.items()) names.insert(member.key());
        for (const auto& member : found.items()) names.insert(member.key());
        for (const std::string& name : names) {
            differing_paths(wanted.value(name, Properties()), found.value(name, Properties()), path + "." + name,
                            paths);
        }
        return;
    }
    if (wanted.is_array() && found.is_array() && wanted.size() == found.size()) {
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            differing_paths(wanted[i], found[i], path + "[" + std::to_string(i) + "]", paths);
        }
        return;
    }
    paths.push_back(path);
}

class Differ {
public:
    Differ(const Desired& desired, const World& world, std::span<const Kind> kinds)
        : desired_(desired), world_(world), kinds_(kinds) {}

    Plan run() {
        compare_all();
        while (cascade()) {
        }
        Plan plan;
        for (const ResourceKey& key : creation_order()) add_wanted(plan, key);
        for (const Observed* unwanted : deletion_order()) plan.steps.push_back(removal(*unwanted));
        return plan;
    }

private:
    /// What is to be done with one desired resource, if anything.
    struct Verdict {
        std::optional<Op> op;
        std::vector<std::string> reasons;
        const Observed* observed = nullptr;
    };

    const Kind* kind_of(const ResourceKey& key) const {
        const auto found = std::ranges::find(kinds_, key.kind, &Kind::name);
        return found == kinds_.end() ? nullptr : &*found;
    }

    OnChange on_change(const ResourceKey& key, std::string_view property) const {
        const Kind* kind = kind_of(key);
        if (kind == nullptr) return OnChange::Update;
        const auto field = std::ranges::find(kind->fields, property, &Field::name);
        return field == kind->fields.end() ? OnChange::Update : field->on_change;
    }

    void compare_all() {
        for (const auto& [key, resource] : desired_.resources) verdicts_[key] = compare(resource);
    }

    Verdict compare(const Resource& wanted) const {
        const Observed* found = world_.find(wanted.key);
        const Stranger* damaged = world_.find_damaged(wanted.key);
        if (found == nullptr && damaged != nullptr) return {Op::Wait, {damaged->message}, nullptr};
        if (found == nullptr) return {Op::Create, {"does not exist"}, nullptr};
        if (found->state == State::Deleting) return {Op::Wait, {"is being deleted, is made again after that"}, found};
        const Kind* kind = kind_of(wanted.key);
        if (found->state == State::Failed && kind != nullptr && kind->replace_when_failed) {
            return {Op::Replace, {"failed: " + found->message}, found};
        }
        Verdict verdict = compare_properties(wanted, *found);
        if (verdict.op || found->state == State::Ready) return verdict;
        const std::string what = found->state == State::Failed ? "failed" : "is not ready";
        return {Op::Wait, {what + (found->message.empty() ? "" : ": " + found->message)}, found};
    }

    Verdict compare_properties(const Resource& wanted, const Observed& found) const {
        Verdict verdict{{}, {}, &found};
        const Properties properties = resolve(wanted.properties, world_);
        for (const auto& member : properties.items()) {
            const OnChange change = on_change(wanted.key, member.key());
            if (change == OnChange::Ignore) continue;
            std::vector<std::string> paths;
            differing_paths(member.value(), found.properties.value(member.key(), Properties()),
                            "properties." + member.key(), paths);
            if (!paths.empty()) raise(verdict, change, std::move(paths));
        }
        const OnChange content = on_change(wanted.key, "content");
        if (content != OnChange::Ignore && wanted.content_hash != found.content_hash) {
            raise(verdict, content, {"content"});
        }
        return verdict;
    }

    static void raise(Verdict& verdict, OnChange change, std::vector<std::string> reasons) {
        if (!verdict.op || change == OnChange::Replace) {
            verdict.op = change == OnChange::Replace ? Op::Replace : Op::Update;
        }
        verdict.reasons.insert(verdict.reasons.end(), reasons.begin(), reasons.end());
    }

    /// Whoever holds on to what is replaced, and will still need it, is replaced too. True if that changed anything.
    bool cascade() {
        for (auto& [key, verdict] : verdicts_) {
            if (verdict.observed == nullptr || verdict.op == Op::Replace || verdict.op == Op::Wait) continue;
            for (const ResourceKey& need : closure_of(key)) {
                if (!is_replaced(need) || !uses(*verdict.observed, verdicts_.at(need).observed->id)) continue;
                verdict.op = Op::Replace;
                verdict.reasons.push_back(need.to_string() + " is replaced");
                return true;
            }
        }
        return false;
    }

    /// Everything that the resource depends on, directly or through others.
    std::set<ResourceKey> closure_of(const ResourceKey& key) const {
        std::set<ResourceKey> seen;
        Keys left = {key};
        while (!left.empty()) {
            const auto resource = desired_.resources.find(left.back());
            left.pop_back();
            if (resource == desired_.resources.end()) continue;
            for (const ResourceKey& need : dependencies_of(resource->second)) {
                if (seen.insert(need).second) left.push_back(need);
            }
        }
        return seen;
    }

    static bool uses(const Observed& user, const std::string& id) {
        return std::ranges::find(user.uses, id) != user.uses.end();
    }

    Keys creation_order() const {
        std::map<ResourceKey, std::set<ResourceKey>> needs;
        for (const auto& [key, resource] : desired_.resources) {
            Keys before = dependencies_of(resource);
            before.insert(before.end(), resource.change_after.begin(), resource.change_after.end());
            auto& mine = needs[key];
            for (const ResourceKey& other : before) {
                if (desired_.resources.contains(other)) mine.insert(other);
            }
        }
        return in_order(std::move(needs));
    }

    void add_wanted(Plan& plan, const ResourceKey& key) {
        const Verdict& verdict = verdicts_.at(key);
        if (!verdict.op) return;
        Step step{*verdict.op, key, {}, {}, verdict.reasons, {}, false};
        if (verdict.observed != nullptr) step.observed = *verdict.observed;
        if (*verdict.op != Op::Wait) {
            const Resource& resource = desired_.resources.at(key);
            step.desired = resource;
            step.desired->properties = resolve(resource.properties, world_);
            step.needs = unmet(resource, *verdict.op);
        }
        step.disruptive = *verdict.op == Op::Replace && disruptive(key);
        plan.steps.push_back(std::move(step));
    }

    bool disruptive(const ResourceKey& key) const {
        const Kind* kind = kind_of(key);
        return kind == nullptr || kind->disruptive_to_replace;
    }

    Keys unmet(const Resource& resource, Op op) const {
        Keys unmet;
        for (const ResourceKey& key : resource.change_after) {
            if (op != Op::Create && !settled(key)) unmet.push_back(key);
        }
        for (const ResourceKey& key : dependencies_of(resource)) {
            // A replacement starts with a removal, and a replacement that it depends on may be waiting for just that.
            if (!settled(key) && !(op == Op::Replace && comes_from_a_replacement(key))) unmet.push_back(key);
        }
        if (op == Op::Replace) {
            Keys users = users_of(*world_.find(resource.key));
            unmet.insert(unmet.end(), users.begin(), users.end());
        }
        std::ranges::sort(unmet);
        unmet.erase(std::ranges::unique(unmet).begin(), unmet.end());
        return unmet;
    }

    bool is_replaced(const ResourceKey& key) const {
        const auto verdict = verdicts_.find(key);
        return verdict != verdicts_.end() && verdict->second.op == Op::Replace;
    }

    bool comes_from_a_replacement(const ResourceKey& key) const {
        const std::set<ResourceKey> behind = closure_of(key);
        return is_replaced(key) || std::ranges::any_of(behind, [&](const ResourceKey& k) { return is_replaced(k); });
    }

    /// Ready, and nothing is about to change it.
    bool settled(const ResourceKey& key) const {
        const Observed* observed = world_.find(key);
        if (observed == nullptr || observed->state != State::Ready) return false;
        const auto verdict = verdicts_.find(key);
        return verdict == verdicts_.end() || !verdict->second.op;
    }

    Keys users_of(const Observed& target) const {
        Keys keys;
        for (const Observed& other : world_.resources) {
            if (&other != &target && uses(other, target.id)) keys.push_back(other.key);
        }
        std::ranges::sort(keys);
        keys.erase(std::ranges::unique(keys).begin(), keys.end());
        return keys;
    }

    /// What exists and should not, users before what they use; ties go by key and id.
    std::vector<const Observed*> deletion_order() const {
        std::vector<const Observed*> left;
        std::set<std::pair<ResourceKey, std::string>> taken;
        for (const Observed& observed : world_.resources) {
            if (kind_of(observed.key) == nullptr) continue;
            // What is kept is known by its id: a server may list one thing twice.
            if (desired_.resources.contains(observed.key) && world_.find(observed.key)->id == observed.id) continue;
            if (taken.emplace(observed.key, observed.id).second) left.push_back(&observed);
        }
        std::ranges::sort(left, {}, [](const Observed* o) { return std::pair(o->key, o->id); });
        std::vector<const Observed*> order;
        while (!left.empty()) {
            auto next = std::ranges::find_if(left, [&](const Observed* candidate) {
                return std::ranges::none_of(
                    left, [&](const Observed* other) { return other != candidate && uses(*other, candidate->id); });
            });
            if (next == left.end()) next = left.begin();
            order.push_back(*next);
            left.erase(next);
        }
        return order;
    }

    Step removal(const Observed& observed) const {
        Step step{Op::Delete, observed.key, {}, observed, {}, {}, disruptive(observed.key)};
        if (observed.state == State::Deleting) {
            step.op = Op::Wait;
            step.disruptive = false;
            step.reasons = {"is being deleted"};
            return step;
        }
        const bool duplicate = desired_.resources.contains(observed.key);
        step.reasons = {duplicate ? "duplicate of " + world_.find(observed.key)->id : "not desired"};
        step.needs = users_of(observed);
        return step;
    }

    const Desired& desired_;
    const World& world_;
    std::span<const Kind> kinds_;
    std::map<ResourceKey, Verdict> verdicts_;
};

}  // namespace

Plan diff(const Desired& desired, const World& world, std::span<const Kind> kinds) {
    return Differ(desired, world, kinds).run();
}

}  // namespace atl::cloud
