#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/clock.h"
#include "operator/base/log.h"
#include "operator/base/metrics.h"
#include "operator/base/random.h"
#include "operator/kube/client.h"
#include "operator/kube/work_guard.h"

namespace atl::kube {

/// Whether this process may act, by its own monotonic clock: true from winning the lease until the renew deadline has
/// passed since the last renewal was *sent*. To be asked right before each external write.
class LeaseGuard final : public WorkGuard {
public:
    explicit LeaseGuard(const Clock& clock) : clock_(clock) {}
    bool covers(const ObjectKey&) const override { return valid(); }
    bool may_write() const override { return valid(); }
    bool valid() const { return until_ && clock_.now() < *until_; }
    /// When valid() turns false unless the lease is renewed; nothing if it is false.
    std::optional<Instant> until() const { return until_; }

private:
    friend class LeaseElection;
    const Clock& clock_;
    std::optional<Instant> until_;
};

/// coordination.k8s.io/v1 Lease.
const ResourceType& lease_type();

struct LeaseOptions {
    ObjectKey key{"default", "atoll"};  ///< of the Lease
    std::string identity;               ///< "<host name>_<uuid>"; unique for each process
    std::chrono::seconds lease_duration{15};
    std::chrono::seconds renew_deadline{10};
    std::chrono::seconds retry_period{2};
    std::map<std::string, std::string> labels;  ///< of a Lease that is made anew
    std::function<bool()> wants;                ///< whether to take a lease that is free; unset: always
};

/// Leader election by a coordination.k8s.io/v1 Lease, compatible with client-go's.
///
/// Standby --(lease free, or unchanged for its duration by our own clock)--> Leader --(renew deadline)--> Lost
/// Standby watches the Lease and sets a timer to its own sight of the last renewal; polling is the fallback. Times
/// written in the Lease are never compared with ours. A leader renews each retry period (with jitter); when it could
/// not for the renew deadline it is Lost, for good: the process must end, and what is under way is dropped. No fencing:
/// a request that was sent before may still take effect, so all writes are idempotent.
class LeaseElection {
public:
    LeaseElection(Client& client, Random& random, Log log, Metrics& metrics, LeaseOptions options);

    /// Waits until this process leads, then calls on_leading, then keeps the lease. Ends only when it is lost (after
    /// calling on_lost), or is dropped.
    Task<> run();
    /// Gives the lease back so that the next one need not wait; after all work has ended, once run() was dropped.
    Task<> release();

    std::function<void()> on_leading;
    std::function<void()> on_lost;
    bool is_leader() const { return guard_.valid(); }
    const LeaseGuard& guard() const { return guard_; }
    /// Who holds the lease, as last seen; empty if nobody.
    const std::string& holder() const { return holder_; }

private:
    /// The Lease as last seen, and when, by our clock, it was last seen to change.
    struct Sight {
        std::string uid;
        std::string resource_version;
        std::string record;  ///< the whole spec; anything that changes it is a renewal
        std::string holder;
        std::chrono::seconds duration{0};
        std::int64_t transitions = 0;
        Instant changed{};
    };
    enum class Claim { Take, Renew, Release };
    Task<> acquire();
    Task<> look_and_take();
    Task<> look();
    Task<> wait_for_turn();
    Task<> watch_until_free();
    Task<> keep();
    Task<> write(Claim claim);
    nlohmann::json record(Claim claim) const;
    void see(const Object& lease);
    bool is_free() const;
    Instant due() const;
    Duration request_timeout() const;
    Duration jittered(Duration period);

    Client& client_;
    Clock& clock_;
    Random& random_;
    Log log_;
    Metrics& metrics_;
    LeaseOptions options_;
    LeaseGuard guard_;
    std::optional<Sight> sight_;
    std::string holder_;
};

}  // namespace atl::kube
