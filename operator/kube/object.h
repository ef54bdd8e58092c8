#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/clock.h"
#include "operator/base/result.h"

namespace atl::kube {

/// Where an object lives within its type. The namespace of a cluster-scoped object is empty.
struct ObjectKey {
    std::string ns;
    std::string name;

    ObjectKey() = default;
    ObjectKey(std::string ns_in, std::string name_in) : ns(std::move(ns_in)), name(std::move(name_in)) {}
    /// "shop/web", or "web" for a cluster-scoped object.
    std::string to_string() const;
    auto operator<=>(const ObjectKey&) const = default;
};

/// A type of objects, as the API server names it.
struct ResourceType {
    std::string group;  ///< "atoll.dev"; empty for the core group
    std::string version;
    std::string plural;  ///< as in URLs: "serviceinstances"
    std::string kind;    ///< as in manifests: "ServiceInstance"
    bool namespaced = true;

    /// "atoll.dev/v1alpha1", or "v1" for the core group.
    std::string api_version() const;
    /// "serviceinstances.atoll.dev", for messages.
    std::string to_string() const;
    auto operator<=>(const ResourceType&) const = default;
};

/// One entry of metadata.ownerReferences.
struct OwnerReference {
    std::string api_version;
    std::string kind;
    std::string name;
    std::string uid;
    bool controller = false;
    bool operator==(const OwnerReference&) const = default;
};

/// Small sorted map of strings: labels and annotations.
class StringMap {
public:
    /// The value of a key; nullopt if there is none.
    std::optional<std::string> find(std::string_view key) const;
    /// Sets a key; keeps the order.
    void set(std::string key, std::string value);
    bool empty() const { return entries_.empty(); }
    const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }
    bool operator==(const StringMap&) const = default;

private:
    std::vector<std::pair<std::string, std::string>> entries_;
};

/// The part of an object's metadata that the machinery needs. Annotations are not here: they may be large, see
/// Object::annotation().
struct ObjectMeta {
    ObjectKey key;
    std::string uid;
    std::string resource_version;  ///< opaque
    std::int64_t generation = 0;
    StringMap labels;
    std::vector<std::string> finalizers;
    std::vector<OwnerReference> owners;
    std::optional<std::string> deletion_timestamp;  ///< RFC 3339, as the server wrote it

    bool being_deleted() const { return deletion_timestamp.has_value(); }
    bool has_finalizer(std::string_view name) const;
    /// The owner with controller: true; nullptr if there is none.
    const OwnerReference* controller() const;
};

/// One Kubernetes object of any type: its metadata, parsed, and its text without managedFields. Never changes; copies
/// share the text. No tree of JSON is kept: json() parses anew.
class Object {
public:
    /// Reads one object. An Invalid error (reason UndecodableObject) if it is not one: no JSON object, no
    /// metadata.name, or a member of metadata of the wrong type; it names the object as far as it could be read.
    static Result<Object> parse(std::string_view text);
    static Result<Object> from_json(const nlohmann::json& object);
    /// The same object with its parsed metadata only: its text is "{}", and so it has no annotations.
    Object bare() const;

    const ObjectMeta& meta() const { return state_->meta; }
    const ObjectKey& key() const { return state_->meta.key; }
    /// JSON, without metadata.managedFields; else as the server sent it.
    const std::string& text() const { return state_->text; }
    /// The object as a tree; costs a parse. Members beyond metadata may have any type: check before use.
    nlohmann::json json() const;
    /// One member of the object ("spec"), null if it is not there. Costs a scan, and the parse of that member only.
    nlohmann::json member(std::string_view name) const;
    /// The text of metadata.annotations; empty if there are none. Costs a scan.
    std::string_view annotations_text() const;
    /// The value of an annotation. Costs a scan.
    std::optional<std::string> annotation(std::string_view name) const;
    /// Bytes that this object holds, about.
    std::size_t memory() const;

private:
    friend class ObjectReader;
    struct State {
        ObjectMeta meta;
        std::string text;
    };
    explicit Object(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    std::shared_ptr<const State> state_;
};

/// Whether two states of one object differ in nothing but the status: same generation, labels, annotations, finalizers,
/// owners and deletion. For types without a generation: whether they are the same version.
bool equal_but_for_status(const Object& a, const Object& b);

/// Whether version `seen` is `wanted` or later: by number where both are numbers (as Kubernetes has promised for one
/// type since 1.35), else only if they are equal.
bool has_reached(std::string_view seen, std::string_view wanted);

}  // namespace atl::kube
