#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/apiserver/store.h"
#include "operator/base/spawner.h"

namespace atl::apiserver {

/// One change as watchers see it. Its lines are made once and shared by all of them.
struct WatchEvent {
    Change change;
    /// Finished lines by form and type; filled by the watch verb.
    mutable std::map<std::string, std::shared_ptr<const std::string>> lines;
};

/// The changes of late, by resource, and who waits for more.
///
/// A watcher keeps nothing here but its place: it asks for what came after the last revision that it has seen. One that
/// is slower than the ring is long is told so, and reads on from the store's log, or ends.
class WatchCache {
public:
    using Events = std::vector<std::shared_ptr<const WatchEvent>>;

    explicit WatchCache(Executor& executor, std::size_t length = 2048);
    WatchCache(const WatchCache&) = delete;
    WatchCache& operator=(const WatchCache&) = delete;

    /// Sets the revision at which the ring begins: that of the store at start.
    void begin_at(Revision revision);
    /// Takes in what was committed, in order, and wakes those who wait for it, soon.
    void publish(std::vector<Change> changes);

    /// What is newer than `after`; nothing if the ring does not reach back that far.
    std::optional<Events> since(const std::string& resource, Revision after) const;
    /// Returns once there is something newer than `after` (or the cache is closed).
    Task<> changed(std::string resource, Revision after);
    /// Wakes those who wait for this resource, soon: it is not served any more.
    void interrupt(const std::string& resource);
    /// The last revision that was published.
    Revision revision() const { return revision_; }
    /// The last revision of this resource, 0 if it has not changed since the start.
    Revision last_of(const std::string& resource) const;

private:
    struct Ring {
        std::deque<std::shared_ptr<const WatchEvent>> events;
        Revision dropped = 0;  // the newest revision that is not in it any more
        std::vector<Callback<Unit>> waiting;
    };
    void wake(const std::string& resource);

    Executor& executor_;
    std::size_t length_;
    Revision begin_ = 0;
    Revision revision_ = 0;
    std::map<std::string, Ring> rings_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace atl::apiserver
