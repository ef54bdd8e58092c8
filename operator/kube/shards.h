#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "operator/base/spawner.h"
#include "operator/kube/cache.h"
#include "operator/kube/lease.h"
#include "operator/kube/reflector.h"

namespace atl::kube {

/// How well the two go together: the same on every machine and in every version. Whoever has the highest weight for a
/// thing gets it (rendezvous hashing), so that one more or less of many moves only its own share.
std::uint64_t rendezvous_weight(std::string_view owner, std::string_view thing);
/// Which of so many shards an object belongs to, by its namespace and name alone.
std::size_t shard_of(const ObjectKey& key, std::size_t shards);

/// Which of the members each shard is for, alike for all who see the same members: the one of highest weight that has
/// not its fair share (rounded up) yet. None without members.
std::vector<std::string> spread_shards(std::size_t shards, const std::set<std::string>& members);

struct ShardOptions {
    std::size_t count = 1;    ///< of shards; the same for all replicas, else two may work on one object
    std::string member_name;  ///< of this process's own Lease: a DNS label, unique for each process
    LeaseOptions lease;       ///< key: the prefix of the Leases ("atoll": atoll-shard-0, …), identity, times
};

/// The share of one of several replicas that all work: objects are spread over shards by rendezvous hashing, each shard
/// has a Lease, and whoever holds it works on the shard's objects.
///
/// Each replica keeps a Lease of its own that says it lives, and sees those of the others. The shard's Lease is for the
/// living replica that spread_shards() names. Contesting --(taken)--> Held --(another is preferred)--> Draining: no new
/// passes; once the running ones have ended, the Lease is given back --> Contesting. Held or Draining --(not renewed in
/// time)--> Lost: what works on the shard is cut off, and nothing at all may be written until it is --> Contesting.
/// So no object is ever worked on by two replicas, and a shard whose replica crashed is taken over once its Lease has
/// run out, 15 s after the last renewal. What was sent before a loss may still take effect, as with any lease.
class Shards final : public WorkGuard {
public:
    using Selection = std::function<bool(const ObjectKey&)>;
    /// What a change of the share means for those who work.
    struct Workers {
        std::function<void(const Selection&)> take_up;
        std::function<void(const Selection&)> drop;
        std::function<bool(const Selection&)> works_on;
    };

    Shards(Client& client, Random& random, Executor& executor, Log log, Metrics& metrics, ShardOptions options);
    ~Shards() override;

    /// Becomes a member, and takes and gives shards until release() or the end.
    void start(Workers workers);
    /// Gives everything back, so that the others need not wait; after all work has ended. For good.
    Task<> release();

    bool covers(const ObjectKey& key) const override;
    bool may_write() const override;
    /// How many shards are held, and how many replicas are seen to live.
    std::size_t held() const;
    std::size_t members() const { return living().size(); }

private:
    enum class State { Contesting, Held, Draining, Lost };
    struct Shard {
        std::string name;
        State state = State::Contesting;
        std::unique_ptr<LeaseElection> election;
        std::unique_ptr<Spawner> contest;  ///< runs the election
        bool is_held() const { return state == State::Held || state == State::Draining; }
    };
    /// Another's sign of life: when, by our clock, it was last seen to change.
    struct Sign {
        Instant seen{};
        Duration duration{};
    };
    Task<> live();
    Task<> look_after();
    Task<> give_back(std::size_t index);
    Task<> remove_dead_members();
    void step();
    void step(std::size_t index);
    void contest(std::size_t index);
    void note(const Change& change);
    void tell_failure(const Result<Unit>& result) const;
    std::set<std::string> living() const;
    bool wants(std::size_t index) const;
    Selection objects_of(std::size_t index) const;
    LeaseOptions lease_named(const std::string& name) const;

    Client& client_;
    Clock& clock_;
    Random& random_;
    Executor& executor_;
    Log log_;
    Metrics& metrics_;
    ShardOptions options_;
    Workers workers_;
    Cache leases_;
    Reflector reflector_;
    std::unique_ptr<LeaseElection> member_;
    std::map<std::string, Sign> signs_;
    std::vector<Shard> shards_;
    std::unique_ptr<Spawner> spawner_;
};

}  // namespace atl::kube
