#include "operator/kube/controller.h"

#include <algorithm>
#include <exception>

#include <nlohmann/json.hpp>

#include "operator/base/deadline.h"
#include "operator/kube/controller_loop.h"
#include "operator/kube/status_patch.h"

namespace atl::kube {

namespace {

constexpr Duration kUnseenMax = std::chrono::seconds(10);
constexpr Duration kHintBase = std::chrono::milliseconds(50);
constexpr Duration kHintMax = std::chrono::seconds(15);

/// The owner as a key of the controller's type, if it is of that type.
std::vector<ObjectKey> owner_key(const ResourceType& type, const Object& child) {
    const OwnerReference* owner = child.meta().controller();
    if (owner == nullptr || owner->kind != type.kind) return {};
    const std::string group = owner->api_version.substr(0, owner->api_version.find('/'));
    if (owner->api_version.find('/') != std::string::npos && group != type.group) return {};
    return {ObjectKey(type.namespaced ? child.key().ns : "", owner->name)};
}

bool is_power_of_two(unsigned number) {
    return (number & (number - 1)) == 0;
}

}  // namespace

void Unseen::expect(const ObjectKey& key, const Cache& cache, const Pass::Written& written) {
    if (cache.has_seen(written.key, written.resource_version)) return;
    expected_[key].push_back({&cache, written.key, written.resource_version, clock_.now() + kUnseenMax});
}

bool Unseen::settled(const ObjectKey& key) {
    const auto found = expected_.find(key);
    if (found == expected_.end()) return true;
    std::erase_if(found->second, [this](const Expected& expected) {
        return clock_.now() >= expected.until || expected.cache->has_seen(expected.key, expected.resource_version);
    });
    if (!found->second.empty()) return false;
    expected_.erase(found);
    return true;
}

Controller::Loop::Loop(Runtime runtime, ControllerOptions options, Reconciler& reconciler)
    : runtime_(std::move(runtime)),
      options_(std::move(options)),
      reconciler_(reconciler),
      cache_(&runtime_.caches.of(options_.type)),
      queue_(runtime_.clock, runtime_.random, runtime_.metrics, Queue::Options{options_.name}),
      unseen_(runtime_.clock) {
    runtime_.log = runtime_.log.with({{key::kController, options_.name}});
    for (const std::string_view result : {"error", "requeue_after", "requeue", "success"}) {
        runtime_.metrics.add("controller_runtime_reconcile_total", {options_.name, result}, 0);
    }
    for (const std::string_view name :
         {"controller_runtime_reconcile_errors_total", "controller_runtime_terminal_reconcile_errors_total",
          "controller_runtime_reconcile_panics_total", "controller_runtime_reconcile_timeouts_total"}) {
        runtime_.metrics.add(name, {options_.name}, 0);
    }
    runtime_.metrics.set("controller_runtime_max_concurrent_reconciles", {options_.name},
                         static_cast<double>(options_.concurrency));
    runtime_.metrics.set("controller_runtime_active_workers", {options_.name}, 0);
}

void Controller::Loop::watch(const Scope& scope, Mapper mapper) {
    watched_.push_back({&runtime_.caches.of(scope), std::move(mapper)});
}

bool Controller::Loop::synced() const {
    return cache_->synced() &&
           std::all_of(watched_.begin(), watched_.end(), [](const Watched& w) { return w.cache->synced(); });
}

void Controller::Loop::start() {
    to_sync_ = 1 + watched_.size();
    auto one_synced = [this] {
        if (--to_sync_ == 0) follow();
    };
    cache_->when_synced(one_synced);
    for (const Watched& watched : watched_) watched.cache->when_synced(one_synced);
}

void Controller::Loop::follow() {
    queue_.on_ready = [this] { dispatch(); };
    cache_->subscribe([this](const Change& change) { on_primary(change); });
    listening_.insert(cache_);
    for (const Watched& watched : watched_) {
        watched.cache->subscribe(
            [this, mapper = watched.mapper](const Change& change) { on_secondary(change, mapper); });
        listening_.insert(watched.cache);
    }
    running_ = true;
    dispatch();
}

void Controller::Loop::enqueue(const ObjectKey& key) {
    if (cache_->find(key)) queue_.add(key);
}

void Controller::Loop::hint(const ObjectKey& key) {
    if (!cache_->find(key)) return;
    const unsigned failures = queue_.failures(key);
    if (failures == 0) return queue_.add(key);
    queue_.add_after(key, std::min(kHintMax, kHintBase * (std::int64_t{1} << std::min(failures, 16U))));
}

void Controller::Loop::on_primary(const Change& change) {
    const ObjectKey& key = change.object().key();
    if (change.kind == Change::Kind::Deleted) {
        queue_.forget(key);
        unseen_.forget(key);
        troubled_since_.erase(key);
    } else if (change.kind == Change::Kind::Added || !equal_but_for_status(*change.before, *change.now)) {
        queue_.add(key, change.initial ? Priority::Background : Priority::Fresh);
    }
    unpark();
}

void Controller::Loop::on_secondary(const Change& change, const Mapper& mapper) {
    // At the first list every primary object gets a pass anyway.
    if (!change.initial) {
        std::set<ObjectKey> keys;
        for (const std::optional<Object>* state : {&change.before, &change.now}) {
            if (!*state) continue;
            const std::vector<ObjectKey> mapped = mapper(**state);
            keys.insert(mapped.begin(), mapped.end());
        }
        for (const ObjectKey& key : keys) enqueue(key);
    }
    unpark();
}

void Controller::Loop::dispatch() {
    if (!running_ || dispatching_) return;
    dispatching_ = true;
    while (!stopped_ && queue_.working() < options_.concurrency) {
        const std::optional<ObjectKey> key = queue_.take();
        if (!key) break;
        if (runtime_.guard != nullptr && !runtime_.guard->covers(*key)) {
            leave_to_others(*key);
            continue;
        }
        if (!unseen_.settled(*key)) {
            park(*key);
            continue;
        }
        jobs_[*key] = runtime_.spawner.start(options_.name + " " + key->to_string(), work(Working(*this, *key)));
    }
    dispatching_ = false;
    runtime_.metrics.set("controller_runtime_active_workers", {options_.name}, static_cast<double>(queue_.working()));
}

void Controller::Loop::park(const ObjectKey& key) {
    parked_.insert(key);
    queue_.done(key);
    queue_.add_after(key, kUnseenMax);
}

void Controller::Loop::unpark() {
    const std::set<ObjectKey> parked = parked_;
    for (const ObjectKey& key : parked) {
        if (!unseen_.settled(key)) continue;
        parked_.erase(key);
        queue_.add(key);
    }
}

Log Controller::Loop::log_of(const Object& object) {
    const ObjectMeta& meta = object.meta();
    return runtime_.log.with({{key::kKind, options_.type.kind},
                              {key::kNamespace, meta.key.ns},
                              {key::kName, meta.key.name},
                              {key::kUid, meta.uid},
                              {key::kReconcileId, static_cast<std::int64_t>(next_pass_++)}});
}

Task<> Controller::Loop::work(Working working) {
    const ObjectKey key = working.key();
    parked_.erase(key);
    const std::optional<Object> object = cache_->find(key);
    if (object) {
        Pass::Moment moment{runtime_.clock.wall_now(), runtime_.clock.now() + options_.pass_timeout};
        Pass pass(options_.type, *object, moment, log_of(*object));
        const Instant begun = runtime_.clock.now();
        if (is_to_be_left_alone(pass)) {
            co_await leave_alone(pass);
        } else {
            Result<Recheck> result = co_await reconcile(pass);
            co_await settle(pass, std::move(result), begun);
        }
    } else {
        queue_.forget(key);
    }
    working.end();
    dispatch();
}

Task<Result<Recheck>> Controller::Loop::reconcile(Pass& pass) {
    std::string bug;
    try {
        co_return co_await with_deadline(runtime_.clock, pass.deadline(), reconciler_.run(pass), "reconciling")
            .attempt();
    } catch (const std::exception& escaped) {
        bug = escaped.what();
    } catch (...) {
        bug = "an exception of unknown type";
    }
    runtime_.metrics.add("controller_runtime_reconcile_panics_total", {options_.name}, 1);
    co_return Result<Recheck>(transient("InternalError", "a bug in the " + options_.name + " controller: " + bug));
}

History Controller::Loop::history_of(const ObjectKey& key, const Result<Recheck>& result) {
    History history;
    history.failures = queue_.failures(key);
    if (result.ok() || result.error().is_waiting()) {
        troubled_since_.erase(key);
        return history;
    }
    const Instant since = troubled_since_.emplace(key, runtime_.clock.now()).first->second;
    history.troubled_for = runtime_.clock.now() - since;
    return history;
}

Task<> Controller::Loop::settle(Pass& pass, Result<Recheck> result, Instant begun) {
    const History history = history_of(pass.key(), result);
    const Outcome outcome = outcome_of(result, history);
    count(outcome, result, begun);
    if (outcome.is_error) log_error(pass, result.error(), history.failures);
    Result<Unit> written = ok();
    if (!pass.finished()) {
        const bool settled = describe_outcome(pass, result, history);
        record_changes(pass);
        written = co_await write_status(pass, settled ? Settled::Yes : Settled::No);
    }
    expect(pass);
    if (written.ok()) {
        send_events(pass);
        requeue(pass.key(), outcome);
    } else {
        // Nobody has seen how it went: again, on the object as it is then.
        queue_.retry(pass.key(), written.error().retry_after());
    }
}

Task<Result<Unit>> Controller::Loop::write_status(Pass& pass, Settled settled) {
    const nlohmann::json patch = status_patch(pass, settled);
    if (patch.is_null()) co_return Result<Unit>(ok());
    const Target target(options_.type, pass.key(), "status");
    Result<Object> written = co_await runtime_.client.merge_patch(target, patch, "atoll-" + options_.name).attempt();
    if (written.ok()) {
        pass.wrote(std::move(written).value());
        co_return Result<Unit>(ok());
    }
    if (written.error().error_class() != ErrorClass::Conflict) {
        log_error(pass, written.error(), queue_.failures(pass.key()));
    }
    co_return Result<Unit>(written.error());
}

void Controller::Loop::expect(const Pass& pass) {
    for (const Pass::Written& written : pass.written()) {
        const Cache* cache = written.cache == nullptr ? cache_ : written.cache;
        unseen_.expect(pass.key(), *cache, written);
        if (!listening_.insert(cache).second) continue;
        // Not one that we look at for its objects: only to see our writes arrive.
        const_cast<Cache*>(cache)->subscribe([this](const Change&) { unpark(); });
    }
}

void Controller::Loop::requeue(const ObjectKey& key, const Outcome& outcome) {
    if (outcome.next == Outcome::Next::Backoff) {
        queue_.retry(key, outcome.delay);
        if (outcome.at_latest) queue_.add_after(key, *outcome.at_latest);
        return;
    }
    queue_.forget(key);
    if (outcome.next == Outcome::Next::After) queue_.add_after(key, *outcome.delay);
}

void Controller::Loop::send_events(const Pass& pass) {
    for (const Pass::Event& event : pass.events()) {
        runtime_.events.record(pass.subject(), event.type, event.reason, event.message);
    }
}

void Controller::Loop::count(const Outcome& outcome, const Result<Recheck>& result, Instant begun) {
    Metrics& metrics = runtime_.metrics;
    const double seconds = std::chrono::duration<double>(runtime_.clock.now() - begun).count();
    metrics.add("controller_runtime_reconcile_total", {options_.name, outcome.result}, 1);
    metrics.observe("controller_runtime_reconcile_time_seconds", {options_.name}, seconds);
    if (outcome.is_error) metrics.add("controller_runtime_reconcile_errors_total", {options_.name}, 1);
    if (outcome.is_terminal) metrics.add("controller_runtime_terminal_reconcile_errors_total", {options_.name}, 1);
    if (!result.ok() && result.error().message() == "timed out while reconciling") {
        metrics.add("controller_runtime_reconcile_timeouts_total", {options_.name}, 1);
    }
}

void Controller::Loop::log_error(const Pass& pass, const Error& error, unsigned failures) {
    if (!is_power_of_two(failures)) return;
    const bool person_needed = reaction(error.error_class()) != Reaction::Retry;
    const std::int64_t times = static_cast<std::int64_t>(failures) + 1;
    const std::initializer_list<LogField> fields = {{key::kError, error.message()},
                                                    {key::kReason, error.reason()},
                                                    {key::kClass, std::string(to_string(error.error_class()))},
                                                    {key::kCount, times}};
    if (person_needed) {
        pass.log().error("Failing a pass", fields);
    } else {
        pass.log().info("Trying again later", fields);
    }
}

Controller::Controller(Runtime runtime, ControllerOptions options, Reconciler& reconciler)
    : loop_(std::make_unique<Loop>(std::move(runtime), std::move(options), reconciler)) {}

Controller::~Controller() = default;

void Controller::watch_owned(const ResourceType& type) {
    const ResourceType owner = loop_->options().type;
    loop_->watch(Scope(type), [owner](const Object& child) { return owner_key(owner, child); });
}

void Controller::watch(const ResourceType& type, Mapper mapper) {
    loop_->watch(Scope(type), std::move(mapper));
}

void Controller::watch(const Scope& scope, Mapper mapper) {
    loop_->watch(scope, std::move(mapper));
}

void Controller::start() {
    loop_->start();
}

void Controller::hint(const ObjectKey& key) {
    loop_->hint(key);
}

const Cache& Controller::cache() const {
    return loop_->cache();
}

const std::string& Controller::name() const {
    return loop_->options().name;
}

bool Controller::synced() const {
    return loop_->synced();
}

bool Controller::at_rest() const {
    return loop_->at_rest();
}

void Controller::stop() {
    loop_->stop();
}

void Controller::measure() {
    loop_->queue().measure();
}

}  // namespace atl::kube
