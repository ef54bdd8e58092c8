#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/result.h"

namespace atl::crds {

/// API group and version of all kinds of ours.
inline constexpr std::string_view kGroup = "atoll.dev";
inline constexpr std::string_view kVersion = "v1alpha1";
inline constexpr std::string_view kApiVersion = "atoll.dev/v1alpha1";

/// metav1.OwnerReference.
struct OwnerReference {
    std::string api_version;
    std::string kind;
    std::string name;
    std::string uid;
    std::optional<bool> controller;
    std::optional<bool> block_owner_deletion;
    bool operator==(const OwnerReference&) const = default;
};

/// metav1.ObjectMeta, as far as anybody here looks at it. managedFields are never kept.
struct ObjectMeta {
    std::string name;
    std::string name_space;
    std::string uid;
    std::string resource_version;
    std::string generate_name;
    std::int64_t generation = 0;
    std::string creation_timestamp;                 ///< RFC 3339, as the server wrote it
    std::optional<std::string> deletion_timestamp;  ///< set once deletion was asked for
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    std::vector<std::string> finalizers;
    std::vector<OwnerReference> owner_references;

    bool being_deleted() const { return deletion_timestamp.has_value(); }
    bool has_finalizer(std::string_view finalizer) const;
    /// The value of an annotation or label; empty if there is none.
    std::string annotation(std::string_view key) const;
    std::string label(std::string_view key) const;
    /// "namespace/name", or "name" without a namespace.
    std::string key() const;
};

/// metav1.Condition. Lists of conditions are keyed by type.
struct Condition {
    std::string type;
    std::string status = "Unknown";  ///< "True", "False" or "Unknown"
    std::int64_t observed_generation = 0;
    std::string last_transition_time;  ///< RFC 3339, whole seconds; changes only when status changes
    std::string reason;                ///< CamelCase, never empty
    std::string message;               ///< for people, at most 32,768 bytes
    bool operator==(const Condition&) const = default;
};
using Conditions = std::vector<Condition>;
/// The condition of the type, or nullptr.
const Condition* find_condition(const Conditions& conditions, std::string_view type);

/// A reference to an object of the same namespace.
struct LocalReference {
    std::string name;
    bool operator==(const LocalReference&) const = default;
};

/// A number or a text: a port or its name, a count or a percentage (x-kubernetes-int-or-string).
struct IntOrString {
    std::variant<std::int64_t, std::string> value = std::int64_t{0};
    bool is_number() const { return value.index() == 0; }
    std::int64_t number() const { return std::get<0>(value); }
    const std::string& text() const { return std::get<1>(value); }
    /// "8080", "25%".
    std::string to_string() const;
    bool operator==(const IntOrString&) const = default;
};

enum class DeletionPolicy {
    Delete,  ///< what was made goes with the object
    Retain,  ///< everything is let go of, nothing is deleted
};

/// What would change, or is about to: a short form of a plan. At most 50 items, disruptive ones first.
struct PlanItem {
    std::string op;      ///< "create", "update", "replace", "delete"
    std::string kind;    ///< kind in the graph: "swarm/service"
    std::string name;    ///< name in the graph
    std::string reason;  ///< the field that differs, or why
    bool disruptive = false;
    bool operator==(const PlanItem&) const = default;
};
struct PlanSummary {
    std::string hash;
    std::int64_t create = 0;
    std::int64_t update = 0;
    std::int64_t replace = 0;
    std::int64_t remove = 0;  ///< "delete" in the API
    std::vector<PlanItem> items;
    std::int64_t truncated = 0;  ///< items left out
    bool operator==(const PlanSummary&) const = default;
};

/// How many resources of an owner exist and how many are ready.
struct ResourceCounts {
    std::int64_t total = 0;
    std::int64_t ready = 0;
    bool operator==(const ResourceCounts&) const = default;
};

/// Something wrong with one field of a spec, in the words of Kubernetes:
/// `spec.links[0].to.service: Not found: "dbx": the Stack has no such service; it has "db", "web"`.
struct FieldError {
    enum class Kind { Required, Invalid, Duplicate, NotFound, NotSupported, Forbidden };
    Kind kind = Kind::Invalid;
    std::string field;   ///< full path: "spec.services[1].provides[0].port"
    std::string value;   ///< the value as JSON writes it; empty for Required and Forbidden
    std::string detail;  ///< what is allowed, what to do
    std::string to_string() const;
};
using FieldErrors = std::vector<FieldError>;
/// One Error (class Invalid, or Unsupported if all are NotSupported; reason InvalidSpec) that names them all (at most
/// 10, then a count); its field() is that of the first. Only for a list that is not empty.
Error to_error(const FieldErrors& errors);

/// Reads metadata of any object. Unknown fields are ignored; a field of a wrong type is an error with its path.
Result<ObjectMeta> decode_meta(const nlohmann::json& object);
/// Reads status.conditions of any object; empty if there are none.
Result<Conditions> decode_conditions(const nlohmann::json& object);
nlohmann::json encode(const Condition& condition);
nlohmann::json encode(const Conditions& conditions);
nlohmann::json encode(const OwnerReference& reference);
/// name, namespace, labels, annotations, finalizers and ownerReferences: what a writer may send. Never what the server
/// alone writes.
nlohmann::json encode(const ObjectMeta& meta);

}  // namespace atl::crds
