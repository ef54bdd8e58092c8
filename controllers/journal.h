#pragma once

#include <optional>
#include <string>

#include "crds/service_instance.h"
#include "crds/stack.h"
#include "operator/base/clock.h"
#include "operator/kube/caches.h"
#include "operator/kube/pass.h"

namespace atl::controllers {

/// What a ServiceInstance must remember over restarts and moves: its rollouts. Lives in the Secret
/// `serviceinstance-<name>-journal`, which the instance owns; never only in the status.
struct Journal {
    /// The last revision that came up whole: its hash, and the two specs that it was compiled from.
    std::string good;
    std::string good_stack;     ///< spec of the Stack, JSON
    std::string good_instance;  ///< spec of the ServiceInstance, JSON
    /// The revision that failed, and why in the words of the back end; it is not tried again.
    std::string failed;
    std::string failure;
    /// The revision on its way, and since when (RFC 3339).
    std::string started;
    std::string started_at;
    bool operator==(const Journal&) const = default;
};

/// Reads and writes journals: reads from a cache of their own, writes by server-side apply.
class Journals {
public:
    Journals(kube::Client& client, kube::Caches& caches);

    Journal read(const kube::ObjectKey& instance) const;
    /// Writes the journal before anything that it speaks of is done; nothing if it has not changed.
    Task<> write(kube::Pass& instance, const Journal& journal);

private:
    kube::Client& client_;
    kube::Cache& cache_;
};

}  // namespace atl::controllers
