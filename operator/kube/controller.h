#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/base/clock.h"
#include "operator/base/log.h"
#include "operator/base/metrics.h"
#include "operator/base/random.h"
#include "operator/base/spawner.h"
#include "operator/kube/caches.h"
#include "operator/kube/client.h"
#include "operator/kube/events.h"
#include "operator/kube/queue.h"
#include "operator/kube/reconciler.h"
#include "operator/kube/work_guard.h"

namespace atl::kube {

/// What all controllers of a process share. Outlives them.
struct Runtime {
    Clock& clock;
    Random& random;
    Spawner& spawner;
    Client& client;
    Caches& caches;
    EventRecorder& events;
    Metrics& metrics;
    Log log;
    /// Passes are made only of objects that it covers; nullptr: of all.
    const WorkGuard* guard = nullptr;
};

/// How one controller works.
struct ControllerOptions {
    std::string name;   ///< "cluster": in logs, metrics and the field manager of the status ("atoll-cluster")
    ResourceType type;  ///< what it reconciles
    std::size_t concurrency = 10;  ///< passes at once, each of another object
    Duration pass_timeout = std::chrono::seconds(30);
    /// Whether to leave an object alone but for its Paused condition; by default spec.paused is true.
    std::function<bool(const Object&)> is_paused;
    /// An object with this annotation is left alone too; the Paused condition then has the reason Moving and tells the
    /// annotation's value, so that who has set it sees that no pass is under way. Empty: there is none.
    std::string pause_annotation;
};

/// THE LOOP: watches objects of a type, and what belongs to them, and makes a pass of the Reconciler for each that may
/// need one; says in the object's status how it went.
///
/// One object never has two passes at once, nor one on a view older than our last write. A pass is made when: the
/// object is new, its generation, labels, annotations, finalizers or deletion changed (not for its status alone); an
/// object that it owns, or that a mapper leads from, changed in any way; hint() is called; the time of a recheck,
/// hint or back-off has come. At rest it does nothing.
///
/// After a pass: the outcome becomes Ready, Reconciling, Stalled and Deleting (design: one table by error class); the
/// status is written by one merge patch, bound to the version that the pass saw, only if it differs in meaning; events
/// are sent, once a change; the key is queued again by the table. An exception that escapes a pass is a bug: it is
/// counted, logged, shown as Reconciling with the reason InternalError and tried again with back-off; other objects go
/// on.
class Controller {
public:
    using Mapper = std::function<std::vector<ObjectKey>(const Object&)>;

    Controller(Runtime runtime, ControllerOptions options, Reconciler& reconciler);
    Controller(const Controller&) = delete;
    Controller& operator=(const Controller&) = delete;
    /// Not before the runtime's Spawner is gone or its tasks have ended.
    ~Controller();

    /// Looks at the owner (controller reference of our kind) when an object of the type changes. Before start().
    void watch_owned(const ResourceType& type);
    /// Looks at the objects that the mapper names when an object of the type changes: called with the state before and
    /// the one after. Before start().
    void watch(const ResourceType& type, Mapper mapper);
    /// The same for the objects of a scope. Before start().
    void watch(const Scope& scope, Mapper mapper);
    /// Begins to work as soon as all caches that it watches have their first list.
    void start();

    /// Something outside the API server has changed (an engine's event): look at the object, at once if its last pass
    /// went well, else after 0.1 s doubled by each failure in a row up to 15 s, or earlier if the back-off ends.
    /// Unknown keys are ignored.
    void hint(const ObjectKey& key);

    using Selection = std::function<bool(const ObjectKey&)>;
    /// The guard covers these objects from now on: each gets a pass.
    void take_up(const Selection& which);
    /// The guard covers these no longer: passes of them that run are cut off, soon.
    void drop(const Selection& which);
    /// Whether a pass of one of these runs.
    bool works_on(const Selection& which) const;

    /// The objects, as last seen.
    const Cache& cache() const;
    const std::string& name() const;

    /// Whether all watched caches have their first list.
    bool synced() const;
    /// Whether nothing is queued or being worked on (delayed keys apart); for simulation and the graceful stop.
    bool at_rest() const;
    /// Sets the gauges of the queue that change by themselves; before a scrape.
    void measure();
    /// No new passes from now on; those that run end by themselves.
    void stop();

private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace atl::kube
