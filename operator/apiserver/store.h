#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operator/base/task.h"

namespace atl::apiserver {

/// The one counter of the store: each write gets the next. It is the resourceVersion that clients see.
using Revision = std::int64_t;

/// Names one object. `resource` is the same for all versions of a kind: "secrets", "clusters.atoll.dev".
struct Key {
    std::string resource;
    std::string ns;  ///< empty for cluster-scoped kinds
    std::string name;
    auto operator<=>(const Key&) const = default;
};

/// An object's JSON text without its resourceVersion: `version_at` is where the digits belong (between two quotes), so
/// that text and revision need never be parsed to be joined.
struct ObjectText {
    std::string json;
    std::size_t version_at = 0;
};

/// The text with its resourceVersion.
std::string joined(const ObjectText& text, Revision revision);

/// One object as it stands in the store.
struct Stored {
    Key key;
    Revision revision = 0;
    std::string text;  ///< with its resourceVersion
};

enum class ChangeType { Added, Modified, Deleted };

/// One write, as watches see it.
struct Change {
    Revision revision = 0;
    ChangeType type = ChangeType::Added;
    Key key;
    std::string text;      ///< after the write; for Deleted the last state. Always with `revision` as resourceVersion
    std::string previous;  ///< before the write, empty for Added
};

/// Which objects a list asks for.
struct Range {
    std::string resource;
    std::optional<std::string> ns;    ///< nullopt: all namespaces
    std::optional<std::string> name;  ///< only this one
    std::optional<Key> after;         ///< only what comes behind this key
    std::size_t limit = SIZE_MAX;     ///< at most so many
    Revision at = 0;                  ///< as it was at this revision; 0: now
};

/// Objects in the order of (namespace, name), all of one moment.
struct Page {
    Revision revision = 0;  ///< that moment
    std::vector<Stored> objects;
    std::size_t remaining = 0;  ///< how many follow behind the last one
};

/// Where objects are kept: a map from Key to text with a global revision, and a log of the changes of late.
///
/// Reads are of what has been committed, and do not wait. A write is acknowledged once it is durable. Writes that are
/// acknowledged survive a crash; one that is not acknowledged may have happened. Errors: Transient StoreFailed when
/// the disk fails (nothing was written), Conflict for a condition that does not hold (reasons AlreadyExists, NotFound,
/// Modified), Invalid with the reason Expired for a revision older than the log.
class Store {
public:
    virtual ~Store() = default;
    virtual Result<std::optional<Stored>> find(const Key& key) = 0;
    virtual Result<Page> list(const Range& range) = 0;
    /// The changes of a resource after that revision, oldest first, at most `limit`.
    virtual Result<std::vector<Change>> changes(const std::string& resource, Revision after, std::size_t limit) = 0;
    /// The last committed revision. May run ahead of what on_change has told.
    virtual Revision revision() = 0;
    /// Nothing is known about the time before this revision.
    virtual Revision compacted() = 0;

    /// Creates (expected 0: it must not exist) or replaces (it must stand at `expected`). Gives the new revision.
    virtual Task<Revision> put(Key key, Revision expected, ObjectText text) = 0;
    /// Removes the object, which must stand at `expected`.
    virtual Task<Revision> remove(Key key, Revision expected) = 0;

    /// Why the last write came to nothing, if the disk failed it: "database or disk is full". Empty while writes work.
    virtual std::string trouble() const = 0;
    /// Writes something that no object is, so that trouble() tells how the disk is now.
    virtual Task<> try_out() = 0;

    /// Who is told of each change after it is durable and before its writer is, in the order of revisions. One only.
    using OnChange = std::function<void(std::vector<Change>)>;
    virtual void on_change(OnChange tell) = 0;
};

}  // namespace atl::apiserver
