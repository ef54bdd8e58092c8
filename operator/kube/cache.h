#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "operator/kube/client.h"
#include "operator/kube/object.h"

namespace atl::kube {

/// One change of a cache, as its listeners see it.
struct Change {
    enum class Kind { Added, Updated, Deleted };
    Kind kind = Kind::Added;
    std::optional<Object> before;  ///< for Updated and Deleted; the last state that we saw
    std::optional<Object> now;     ///< for Added and Updated
    bool initial = false;          ///< part of the first list: old news

    /// The object that the change is about, in its latest known state.
    const Object& object() const { return now ? *now : *before; }
};

/// The objects of one scope as last seen, kept by a Reflector: text and metadata, no trees; of a scope of metadata, the
/// parsed metadata alone. It may lag behind the server; what it shows was true once, in this order. Iteration is in the
/// order of keys.
class Cache {
public:
    using Listener = std::function<void(const Change&)>;

    explicit Cache(Scope scope) : scope_(std::move(scope)) {}
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    const Scope& scope() const { return scope_; }
    /// Whether the first list is complete. Before that, absence means nothing.
    bool synced() const { return synced_; }
    std::optional<Object> find(const ObjectKey& key) const;
    std::vector<Object> list() const;
    std::vector<Object> in_namespace(const std::string& ns) const;
    /// Objects of which one ownerReference, controller or not, has the uid.
    std::vector<Object> owned_by(const std::string& uid) const;
    /// Objects that carry the label with this value. Indexed for keys named by index_label(), else a scan.
    std::vector<Object> with_label(const std::string& label, const std::string& value) const;
    std::size_t size() const { return objects_.size(); }
    /// Bytes that the objects and indexes hold, about.
    std::size_t memory() const;

    /// Keeps an index of a label's values. Before the first object comes.
    void index_label(std::string label);
    /// Calls the listener on each later change, in order, after the cache shows it. Those that are there already come
    /// first, as Added.
    void subscribe(Listener listener);
    /// Calls back once, as soon as the first list is complete.
    void when_synced(std::function<void()> callback);

    /// Whether the cache has caught up with a write of ours: it shows the object at this version or later, or has seen
    /// a later version of the collection.
    bool has_seen(const ObjectKey& key, const std::string& resource_version) const;

    /// For the Reflector: the whole state. What is missing is Deleted; a known name with another uid is Deleted and
    /// Added.
    void replace(std::vector<Object> objects, const std::string& resource_version);
    /// For the Reflector: one object was added or changed.
    void put(Object object);
    /// For the Reflector: one object is gone; its last state.
    void erase(const Object& object);
    /// For the Reflector: the collection has reached this version.
    void reached(const std::string& resource_version);

private:
    void put(Object object, bool initial);
    void drop(const ObjectKey& key, const std::optional<Object>& last);
    void index(const Object& object);
    void unindex(const Object& object);
    void tell(const Change& change);
    std::vector<Object> pick(const std::set<ObjectKey>& keys) const;

    using Keys = std::map<std::string, std::set<ObjectKey>>;
    Scope scope_;
    bool synced_ = false;
    std::string version_;
    std::map<ObjectKey, Object> objects_;
    Keys by_owner_;
    std::map<std::string, Keys> by_label_;
    std::vector<Listener> listeners_;
    std::vector<std::function<void()>> when_synced_;
};

}  // namespace atl::kube
