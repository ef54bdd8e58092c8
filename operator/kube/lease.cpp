#include "operator/kube/lease.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/base/deadline.h"
#include "operator/base/time.h"

namespace atl::kube {

namespace {

using nlohmann::json;

constexpr char kManager[] = "atoll-lease";
constexpr double kJitter = 0.2;
// Until another look at a lease that is free and not for us: somebody takes it soon, or it becomes ours to take.
constexpr Duration kUnwanted = std::chrono::milliseconds(250);

std::string text(const json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t number(const json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

}  // namespace

const ResourceType& lease_type() {
    static const ResourceType type{"coordination.k8s.io", "v1", "leases", "Lease", true};
    return type;
}

LeaseElection::LeaseElection(Client& client, Random& random, Log log, Metrics& metrics, LeaseOptions options)
    : client_(client),
      clock_(client.clock()),
      random_(random),
      log_(std::move(log)),
      metrics_(metrics),
      options_(std::move(options)),
      guard_(clock_) {
    metrics_.set("leader_election_master_status", {options_.key.name}, 0);
    metrics_.add("leader_election_slowpath_total", {options_.key.name}, 0);
}

Task<> LeaseElection::run() {
    co_await acquire();
    log_.info("Leading", {{key::kName, options_.identity}});
    metrics_.set("leader_election_master_status", {options_.key.name}, 1);
    if (on_leading) on_leading();
    co_await keep();
    guard_.until_.reset();
    metrics_.set("leader_election_master_status", {options_.key.name}, 0);
    log_.error("Losing the lease", {{key::kName, options_.identity}});
    if (on_lost) on_lost();
}

Task<> LeaseElection::acquire() {
    for (std::string told;;) {
        const Result<Unit> taken = co_await look_and_take().attempt();
        if (!taken.ok() && taken.error().message() != std::exchange(told, taken.error().message())) {
            log_.info("Waiting for a lease", {{key::kName, options_.key.name}, {key::kError, told}});
        }
        if (taken.ok() && guard_.valid()) co_return;
        if (taken.ok() && !is_free()) {
            co_await wait_for_turn();
        } else {
            co_await sleep_for(clock_, taken.ok() ? kUnwanted : jittered(options_.retry_period));
        }
    }
}

Task<> LeaseElection::look_and_take() {
    const Instant deadline = clock_.now() + request_timeout();
    co_await with_deadline(clock_, deadline, look(), "reading the lease");
    if (!is_free() || (options_.wants && !options_.wants())) co_return;
    co_await with_deadline(clock_, deadline, write(Claim::Take), "taking the lease");
}

Task<> LeaseElection::look() {
    const Target target(lease_type(), options_.key);
    const std::optional<Object> lease = co_await client_.find(target);
    if (lease) {
        see(*lease);
    } else {
        sight_.reset();
        holder_.clear();
    }
}

void LeaseElection::see(const Object& lease) {
    json spec = lease.member("spec");
    if (!spec.is_object()) spec = json::object();
    std::string record = spec.dump(-1, ' ', false, json::error_handler_t::replace);
    // By our own clock, since we last saw the record change: the times in it are another machine's.
    const bool same = sight_ && sight_->record == record && sight_->uid == lease.meta().uid;
    Sight sight;
    sight.changed = same ? sight_->changed : clock_.now();
    sight.uid = lease.meta().uid;
    sight.resource_version = lease.meta().resource_version;
    sight.holder = holder_ = text(spec, "holderIdentity");
    const std::int64_t duration = number(spec, "leaseDurationSeconds");
    sight.duration = duration > 0 ? std::chrono::seconds(duration) : options_.lease_duration;
    sight.transitions = number(spec, "leaseTransitions");
    sight.record = std::move(record);
    sight_ = std::move(sight);
}

bool LeaseElection::is_free() const {
    // Our own, after it was lost here: nobody else has taken it.
    return !sight_ || sight_->holder.empty() || sight_->holder == options_.identity || clock_.now() >= due();
}

Instant LeaseElection::due() const {
    return sight_->changed + sight_->duration;
}

Duration LeaseElection::request_timeout() const {
    return std::max<Duration>(std::chrono::seconds(1), options_.renew_deadline / 2);
}

Duration LeaseElection::jittered(Duration period) {
    const double factor = 1.0 + kJitter * random_.unit();
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(period) * factor);
}

Task<> LeaseElection::wait_for_turn() {
    const Result<Unit> watched = co_await with_deadline(clock_, due(), watch_until_free(), "waiting").attempt();
    if (watched.ok() || watched.error().reason() == "DeadlineExceeded") co_return;
    // No watch to be had: polling does it too.
    const Instant next = std::min(due(), clock_.now() + jittered(options_.retry_period));
    co_await sleep_until(clock_, next);
}

Task<> LeaseElection::watch_until_free() {
    Scope scope(lease_type(), options_.key.ns);
    scope.field_selector = "metadata.name=" + options_.key.name;
    WatchOptions options;
    options.resource_version = sight_->resource_version;
    const Instant seen = sight_->changed;
    std::unique_ptr<WatchStream> stream = co_await client_.watch(scope, options);
    for (;;) {
        const std::optional<WatchEvent> event = co_await stream->next();
        if (!event) co_await fail(transient("WatchEnded", "the watch of the lease ended"));
        if (event->kind == WatchEvent::Kind::Failed) co_await fail(*event->error);
        // Gone: there is nothing to wait for.
        if (event->kind == WatchEvent::Kind::Deleted) co_return;
        if (!event->object || event->object->key() != options_.key) continue;
        see(*event->object);
        // Ends also at each renewal: the caller sets its timer anew.
        if (sight_->changed != seen) co_return;
    }
}

Task<> LeaseElection::keep() {
    while (guard_.valid()) {
        co_await sleep_until(clock_, std::min(*guard_.until(), clock_.now() + jittered(options_.retry_period)));
        if (!guard_.valid()) co_return;
        const Instant deadline = std::min(*guard_.until(), clock_.now() + request_timeout());
        const Result<Unit> renewed =
            co_await with_deadline(clock_, deadline, write(Claim::Renew), "renewing").attempt();
        if (renewed.ok() || renewed.error().error_class() != ErrorClass::Conflict) continue;
        metrics_.add("leader_election_slowpath_total", {options_.key.name}, 1);
        const Result<Unit> looked = co_await with_deadline(clock_, deadline, look(), "reading the lease").attempt();
        if (looked.ok() && sight_ && !sight_->holder.empty() && sight_->holder != options_.identity) co_return;
    }
}

json LeaseElection::record(Claim claim) const {
    const std::string now = format_rfc3339_micro(clock_.wall_now());
    json spec = {{"renewTime", now}};
    if (claim == Claim::Release) {
        spec["holderIdentity"] = "";
        spec["leaseDurationSeconds"] = 1;
        return spec;
    }
    spec["holderIdentity"] = options_.identity;
    spec["leaseDurationSeconds"] = options_.lease_duration.count();
    if (claim == Claim::Take) {
        spec["acquireTime"] = now;
        const bool first = !sight_ || sight_->record == "{}";
        spec["leaseTransitions"] = first ? 0 : sight_->transitions + 1;
    }
    return spec;
}

Task<> LeaseElection::write(Claim claim) {
    const Instant sent = clock_.now();
    json lease;
    lease["spec"] = record(claim);
    if (sight_) {
        lease["metadata"] = {{"uid", sight_->uid}, {"resourceVersion", sight_->resource_version}};
        const Target target(lease_type(), options_.key);
        const Object written = co_await client_.merge_patch(target, lease, kManager);
        see(written);
    } else {
        lease["apiVersion"] = lease_type().api_version();
        lease["kind"] = lease_type().kind;
        lease["metadata"] = {{"name", options_.key.name}, {"namespace", options_.key.ns}};
        if (!options_.labels.empty()) lease["metadata"]["labels"] = options_.labels;
        const Object written = co_await client_.create(lease_type(), lease);
        see(written);
    }
    if (claim != Claim::Release) guard_.until_ = sent + options_.renew_deadline;
}

Task<> LeaseElection::release() {
    constexpr int kTries = 3;
    guard_.until_.reset();
    for (int i = 0; i < kTries && sight_ && sight_->holder == options_.identity; ++i) {
        const Instant deadline = clock_.now() + request_timeout();
        const Result<Unit> given =
            co_await with_deadline(clock_, deadline, write(Claim::Release), "releasing").attempt();
        if (given.ok() || given.error().error_class() != ErrorClass::Conflict) break;
        co_await with_deadline(clock_, deadline, look(), "reading the lease");
    }
    metrics_.set("leader_election_master_status", {options_.key.name}, 0);
}

}  // namespace atl::kube
