#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/clock.h"

namespace atl::kube {

enum class ConditionStatus { True, False, Unknown };
std::string_view to_string(ConditionStatus status);

/// A metav1.Condition.
struct Condition {
    std::string type;
    ConditionStatus status = ConditionStatus::Unknown;
    std::string reason;
    std::string message;
    std::int64_t observed_generation = 0;
    std::string last_transition_time;
};

/// The types that the loop itself writes. Reconciling and Stalled are present only while True.
namespace condition {
inline constexpr std::string_view kReady = "Ready";
inline constexpr std::string_view kReconciling = "Reconciling";
inline constexpr std::string_view kStalled = "Stalled";
inline constexpr std::string_view kPaused = "Paused";
inline constexpr std::string_view kDeleting = "Deleting";
}  // namespace condition

/// The conditions of one object, during one pass: starts from those in its status, gives those to write. Sorted: Ready,
/// Reconciling, Stalled first, Deleting and Paused last, the others by name between. Pure.
class Conditions {
public:
    Conditions() = default;
    /// `present`: the array of status.conditions; entries that are not conditions are dropped.
    Conditions(const nlohmann::json& present, std::int64_t generation, WallTime now);

    /// Sets a condition for this generation. The transition time changes only with the status. A reason that is not
    /// CamelCase becomes "Invalid reason"'s nearest form, a message is cut at 32,768 bytes (limits of the API).
    void set(std::string_view type, ConditionStatus status, std::string reason, std::string message);
    void remove(std::string_view type);
    /// nullptr if there is none.
    const Condition* find(std::string_view type) const;
    bool is_true(std::string_view type) const;
    /// Whether set() or remove() was called for the type in this pass.
    bool touched(std::string_view type) const;
    const std::vector<Condition>& all() const { return conditions_; }
    nlohmann::json to_json() const;

private:
    std::int64_t generation_ = 0;
    std::string now_;
    std::vector<Condition> conditions_;
    std::set<std::string, std::less<>> touched_;
};

/// One object's condition as input of aggregate().
struct Member {
    std::string name;
    ConditionStatus status = ConditionStatus::Unknown;
    std::string reason;
    std::string message;
};

/// One condition over many objects: False beats Unknown beats True; True for no members. The message has at most three
/// different messages of the worst status, each after the names of at most three objects ("a, b, c and 4 more: …").
/// The reason is the commonest one of the worst status (the first by name on a tie).
Condition aggregate(std::string_view type, const std::vector<Member>& members, std::string reason_if_true);

}  // namespace atl::kube
