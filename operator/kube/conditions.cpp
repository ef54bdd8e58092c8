#include "operator/kube/conditions.h"

#include <algorithm>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "operator/base/time.h"

namespace atl::kube {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxMessage = 32768;
constexpr std::size_t kMaxReason = 1024;
constexpr std::size_t kMaxNamed = 3;

int rank(std::string_view type) {
    if (type == condition::kReady) return 0;
    if (type == condition::kReconciling) return 1;
    if (type == condition::kStalled) return 2;
    if (type == condition::kDeleting) return 4;
    return type == condition::kPaused ? 5 : 3;
}

bool before(const Condition& a, const Condition& b) {
    return std::pair(rank(a.type), std::string_view(a.type)) < std::pair(rank(b.type), std::string_view(b.type));
}

/// The reason without what the API does not allow in one.
std::string allowed_reason(const std::string& reason) {
    std::string result;
    for (const char c : reason) {
        const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        const bool later = (c >= '0' && c <= '9') || c == '_' || c == ',' || c == ':';
        if ((letter || (later && !result.empty())) && result.size() < kMaxReason) result.push_back(c);
    }
    while (!result.empty() && (result.back() == ',' || result.back() == ':')) result.pop_back();
    return result.empty() ? "Unknown" : result;
}

/// Cuts at a whole character of UTF-8.
std::string allowed_message(std::string message) {
    if (message.size() <= kMaxMessage) return message;
    std::size_t end = kMaxMessage;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0U) == 0x80U) --end;
    message.resize(end);
    return message;
}

std::string text(const json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<ConditionStatus> status_of(const std::string& word) {
    if (word == "True") return ConditionStatus::True;
    if (word == "False") return ConditionStatus::False;
    if (word == "Unknown") return ConditionStatus::Unknown;
    return std::nullopt;
}

std::optional<Condition> read(const json& entry) {
    if (!entry.is_object()) return std::nullopt;
    const std::optional<ConditionStatus> status = status_of(text(entry, "status"));
    Condition condition;
    condition.type = text(entry, "type");
    if (!status || condition.type.empty()) return std::nullopt;
    condition.status = *status;
    condition.reason = text(entry, "reason");
    condition.message = text(entry, "message");
    condition.last_transition_time = text(entry, "lastTransitionTime");
    const auto generation = entry.find("observedGeneration");
    if (generation != entry.end() && generation->is_number_integer()) {
        condition.observed_generation = generation->get<std::int64_t>();
    }
    return condition;
}

int badness(ConditionStatus status) {
    switch (status) {
        case ConditionStatus::False:
            return 2;
        case ConditionStatus::Unknown:
            return 1;
        case ConditionStatus::True:
            return 0;
    }
    return 0;
}

/// "a, b, c and 4 more"
std::string list_names(const std::vector<std::string>& names) {
    std::string result;
    for (std::size_t i = 0; i < names.size() && i < kMaxNamed; ++i) result += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kMaxNamed) result += " and " + std::to_string(names.size() - kMaxNamed) + " more";
    return result;
}

std::string commonest(const std::map<std::string, std::size_t>& counts) {
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most->first;
}

}  // namespace

std::string_view to_string(ConditionStatus status) {
    switch (status) {
        case ConditionStatus::True:
            return "True";
        case ConditionStatus::False:
            return "False";
        case ConditionStatus::Unknown:
            return "Unknown";
    }
    return "Unknown";
}

Conditions::Conditions(const json& present, std::int64_t generation, WallTime now)
    : generation_(generation), now_(format_rfc3339(now)) {
    if (!present.is_array()) return;
    for (const json& entry : present) {
        std::optional<Condition> condition = read(entry);
        if (condition && find(condition->type) == nullptr) conditions_.push_back(std::move(*condition));
    }
    std::sort(conditions_.begin(), conditions_.end(), before);
}

void Conditions::set(std::string_view type, ConditionStatus status, std::string reason, std::string message) {
    touched_.emplace(type);
    auto found = std::find_if(conditions_.begin(), conditions_.end(), [&](const auto& c) { return c.type == type; });
    if (found == conditions_.end()) {
        Condition condition;
        condition.type = std::string(type);
        found =
            conditions_.insert(std::upper_bound(conditions_.begin(), conditions_.end(), condition, before), condition);
    }
    if (found->status != status || found->last_transition_time.empty()) found->last_transition_time = now_;
    found->status = status;
    found->reason = allowed_reason(reason);
    found->message = allowed_message(std::move(message));
    found->observed_generation = generation_;
}

void Conditions::remove(std::string_view type) {
    touched_.emplace(type);
    std::erase_if(conditions_, [&](const Condition& condition) { return condition.type == type; });
}

const Condition* Conditions::find(std::string_view type) const {
    const auto found =
        std::find_if(conditions_.begin(), conditions_.end(), [&](const auto& c) { return c.type == type; });
    return found == conditions_.end() ? nullptr : &*found;
}

bool Conditions::is_true(std::string_view type) const {
    const Condition* condition = find(type);
    return condition != nullptr && condition->status == ConditionStatus::True;
}

bool Conditions::touched(std::string_view type) const {
    return touched_.contains(type);
}

json Conditions::to_json() const {
    json all = json::array();
    for (const Condition& condition : conditions_) {
        all.push_back({{"type", condition.type},
                       {"status", to_string(condition.status)},
                       {"reason", condition.reason},
                       {"message", condition.message},
                       {"observedGeneration", condition.observed_generation},
                       {"lastTransitionTime", condition.last_transition_time}});
    }
    return all;
}

Condition aggregate(std::string_view type, const std::vector<Member>& members, std::string reason_if_true) {
    Condition result;
    result.type = std::string(type);
    result.status = ConditionStatus::True;
    result.reason = std::move(reason_if_true);
    for (const Member& member : members) {
        if (badness(member.status) > badness(result.status)) result.status = member.status;
    }
    if (result.status == ConditionStatus::True) return result;
    std::vector<std::pair<std::string, std::vector<std::string>>> by_message;
    std::map<std::string, std::size_t> reasons;
    for (const Member& member : members) {
        if (member.status != result.status) continue;
        ++reasons[member.reason];
        auto same = std::find_if(by_message.begin(), by_message.end(),
                                 [&](const auto& m) { return m.first == member.message; });
        if (same == by_message.end()) same = by_message.insert(by_message.end(), {member.message, {}});
        same->second.push_back(member.name);
    }
    result.reason = commonest(reasons);
    for (std::size_t i = 0; i < by_message.size() && i < kMaxNamed; ++i) {
        result.message += (i == 0 ? "" : "; ") + list_names(by_message[i].second) + ": " + by_message[i].first;
    }
    if (by_message.size() > kMaxNamed) result.message += "; and more";
    return result;
}

}  // namespace atl::kube
