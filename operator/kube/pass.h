#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/log.h"
#include "operator/kube/conditions.h"
#include "operator/kube/events.h"
#include "operator/kube/object.h"

namespace atl::kube {

class Cache;

/// One look at one object: what it is, and what we say about it. The loop makes it from the cache, hands it to the
/// Reconciler, and afterwards writes the status if it differs.
class Pass {
public:
    /// Work that must be seen in a cache before the next pass of this object.
    struct Written {
        const Cache* cache;  ///< nullptr: the cache of the controller's own type
        ObjectKey key;
        std::string resource_version;
    };

    /// When a pass is made, and when it is cut off.
    struct Moment {
        WallTime wall;
        Instant deadline;
    };

    Pass(ResourceType type, Object object, Moment moment, Log log);
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass();

    const ResourceType& type() const { return type_; }
    const ObjectKey& key() const { return object_.key(); }
    /// The object: as in the cache, or as our last write in this pass left it.
    const Object& object() const { return object_; }
    /// The generation that this pass is about; later edits are for the next one.
    std::int64_t generation() const { return generation_; }
    bool being_deleted() const { return object_.meta().being_deleted(); }
    EventSubject subject() const;

    /// The status to write: begins as the object's, without conditions and observedGeneration, which the loop adds.
    /// Null members are left out. No times or counts in it that change with every pass.
    nlohmann::json& status() { return *status_; }
    const nlohmann::json& status() const { return *status_; }
    /// The conditions to write. Ready is set by the loop from the outcome unless the reconciler sets it in this pass;
    /// Reconciling, Stalled, Paused and Deleting are the loop's alone.
    Conditions& conditions() { return conditions_; }
    const Conditions& conditions() const { return conditions_; }

    /// Says to people what has happened, once: past tense with the value. Sent when the pass has ended.
    void event(EventType type, std::string reason, std::string message);

    /// Our own write to the object has succeeded: this is what it looks like now.
    void wrote(Object object);
    /// Our own write to another object has succeeded: the next pass waits until that cache shows it (10 s at most).
    void wrote(const Cache& cache, const Object& object);
    /// The object is gone, or need not be told anything any more: no status is written.
    void finish() { finished_ = true; }
    bool finished() const { return finished_; }

    /// When this pass is cut off.
    Instant deadline() const { return deadline_; }
    /// A log with the object's name, uid and the id of this pass.
    const Log& log() const { return log_; }

    /// For the loop.
    struct Event {
        EventType type;
        std::string reason;
        std::string message;
    };
    const nlohmann::json& status_before() const { return *status_before_; }
    const std::vector<Event>& events() const { return events_; }
    const std::vector<Written>& written() const { return written_; }

private:
    ResourceType type_;
    Object object_;
    std::int64_t generation_;
    Instant deadline_;
    Log log_;
    std::unique_ptr<nlohmann::json> status_before_;
    std::unique_ptr<nlohmann::json> status_;
    Conditions conditions_;
    std::vector<Event> events_;
    std::vector<Written> written_;
    bool finished_ = false;
};

}  // namespace atl::kube
