#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "cloud/orchestrator.h"
#include "operator/base/spawner.h"
#include "operator/kube/object.h"

namespace atl::controllers {

/// Listens to the back ends of Clusters, so that what happens to a container is seen within a second instead of at the
/// next recheck: follows each Cluster's orchestrator while at least one object has things there, and wakes the owner of
/// what a hint is about. Hints only save time; nothing depends on them.
///
/// A hint comes before its cause shows in the orchestrator's own lists (0.4 s later in a Swarm), so the owner is woken
/// at once and a few times more (kLooks). Hints during these looks do not wake by themselves, they make the looks begin
/// anew: however many come, an owner is woken at most once in 400 ms, and without hints never. What goes on and on, a
/// container that ends as soon as it is started, is looked at kBurst times, then once in kRefill.
///
/// Not to be destroyed before the Spawner is.
class Hints {
public:
    using Wake = std::function<void(const kube::ObjectKey& key)>;

    Hints(Spawner& spawner, cloud::Surroundings surroundings) : spawner_(spawner), surroundings_(surroundings) {}

    /// Whom to tell. Before the first attend().
    void on_hint(Wake wake) { wake_ = std::move(wake); }
    /// The owner has things on the Cluster: follow it, if that is not done yet, or its engines have changed.
    void attend(const cloud::Owner& owner, const std::string& cluster, const cloud::Orchestrator& orchestrator,
                const cloud::Endpoint& endpoint);
    /// The owner has nothing any more. A Cluster whose last owner leaves is followed no longer.
    void leave(const std::string& owner);
    /// Follows nothing and wakes nobody from now on: the controllers stop.
    void stop();

    /// When an owner is woken again after a hint, counted from the look before.
    static constexpr std::array<Duration, 3> kLooks = {std::chrono::milliseconds(400), std::chrono::milliseconds(500),
                                                       std::chrono::milliseconds(1100)};

    /// Looks that an owner may have in advance, and how long it takes to earn one.
    static constexpr int kBurst = 20;
    static constexpr Duration kRefill = std::chrono::seconds(5);

private:
    struct Followed {
        Spawner::JobId job = 0;
        std::string engines;
        std::set<std::string> owners;
    };
    struct Looks {
        Spawner::JobId job = 0;
        bool renewed = false;  ///< a hint came after the last look
    };
    void receive(const cloud::Hint& hint);
    Task<> look_again(std::string owner);
    void wake(const std::string& owner);
    Duration until_allowed(const std::string& owner) const;

    Spawner& spawner_;
    cloud::Surroundings surroundings_;
    Wake wake_;
    std::map<std::string, Followed> clusters_;    // by the Cluster's owner id
    std::map<std::string, cloud::Owner> owners_;  // by owner id
    std::map<std::string, Looks> looks_;          // by owner id
    std::map<std::string, Instant> earned_at_;    // by owner id: when all looks so far are earned
    bool stopped_ = false;
};

}  // namespace atl::controllers
