#include "operator/kube/shards.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/base/deadline.h"

namespace atl::kube {

namespace {

using namespace std::chrono_literals;

constexpr char kLabel[] = "atoll.dev/lease";
constexpr Duration kLook = 500ms;
constexpr Duration kDead = 5min;  // since its last sign of life; then its Lease is removed

Scope members_scope(const std::string& ns) {
    Scope scope(lease_type(), ns);
    scope.label_selector = std::string(kLabel) + "=member";
    return scope;
}

}  // namespace

std::uint64_t rendezvous_weight(std::string_view owner, std::string_view thing) {
    std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
    const auto mix = [&hash](std::string_view text) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
        hash = (hash ^ 0xffU) * 0x100000001b3U;
    };
    mix(owner);
    mix(thing);
    // Its high bits depend too little on the last characters: the finalizer of splitmix64.
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
    return hash ^ (hash >> 31U);
}

std::size_t shard_of(const ObjectKey& key, std::size_t shards) {
    const std::string thing = key.to_string();
    std::size_t best = 0;
    std::uint64_t highest = 0;
    for (std::size_t i = 0; i < shards; ++i) {
        const std::uint64_t weight = rendezvous_weight(std::to_string(i), thing);
        if (i > 0 && weight <= highest) continue;
        best = i;
        highest = weight;
    }
    return best;
}

std::vector<std::string> spread_shards(std::size_t shards, const std::set<std::string>& members) {
    std::vector<std::string> owners(shards);
    if (members.empty()) return owners;
    const std::size_t most = (shards + members.size() - 1) / members.size();
    std::map<std::string, std::size_t> load;
    for (std::size_t i = 0; i < shards; ++i) {
        const std::string thing = "shard-" + std::to_string(i);
        std::uint64_t highest = 0;
        for (const std::string& member : members) {
            const std::uint64_t weight = rendezvous_weight(member, thing);
            if (load[member] == most || weight < highest) continue;
            highest = weight;
            owners[i] = member;
        }
        ++load[owners[i]];
    }
    return owners;
}

// NOLINTNEXTLINE(readability-function-size): each parameter is one of the surroundings
Shards::Shards(Client& client, Random& random, Executor& executor, Log log, Metrics& metrics, ShardOptions options)
    : client_(client),
      clock_(client.clock()),
      random_(random),
      executor_(executor),
      log_(std::move(log)),
      metrics_(metrics),
      options_(std::move(options)),
      leases_(members_scope(options_.lease.key.ns)),
      reflector_(client_, random_, log_, leases_),
      spawner_(std::make_unique<Spawner>(executor_, nullptr)) {
    for (std::size_t i = 0; i < options_.count; ++i) {
        shards_.emplace_back().name = options_.lease.key.name + "-shard-" + std::to_string(i);
    }
    metrics_.set("atoll_shards", {}, 0);
    metrics_.set("atoll_shard_members", {}, 0);
}

Shards::~Shards() {
    spawner_.reset();
    for (Shard& shard : shards_) shard.contest.reset();
}

LeaseOptions Shards::lease_named(const std::string& name) const {
    LeaseOptions lease = options_.lease;
    lease.key.name = name;
    return lease;
}

void Shards::start(Workers workers) {
    workers_ = std::move(workers);
    LeaseOptions own = lease_named(options_.lease.key.name + "-member-" + options_.member_name);
    own.labels[kLabel] = "member";
    // Its name changes with each process: not for a metric's label.
    member_ = std::make_unique<LeaseElection>(client_, random_, log_, Metrics::none(), std::move(own));
    leases_.subscribe([this](const Change& change) { note(change); });
    for (std::size_t i = 0; i < shards_.size(); ++i) contest(i);
    spawner_->start("member", live());
    spawner_->start("members", reflector_.run());
    spawner_->start("shards", look_after());
}

Task<> Shards::live() {
    for (;;) co_await member_->run();
}

Task<> Shards::look_after() {
    for (Instant cleaned = clock_.now();;) {
        co_await sleep_for(clock_, kLook);
        step();
        if (clock_.now() - cleaned < kDead) continue;
        cleaned = clock_.now();
        tell_failure(co_await remove_dead_members().attempt());
    }
}

void Shards::note(const Change& change) {
    const std::string& name = change.object().key().name;
    if (!name.starts_with(options_.lease.key.name + "-member-")) return;
    const nlohmann::json spec = change.now ? change.now->member("spec") : nlohmann::json();
    const bool alive = spec.is_object() && spec.contains("holderIdentity") && spec["holderIdentity"] != "";
    if (alive) {
        signs_[name] = Sign{clock_.now(), options_.lease.lease_duration};
    } else if (change.now) {
        signs_[name] = Sign{clock_.now(), Duration::zero()};
    } else {
        signs_.erase(name);
    }
    step();
}

std::set<std::string> Shards::living() const {
    std::set<std::string> names;
    for (const auto& [name, sign] : signs_) {
        if (clock_.now() < sign.seen + sign.duration) names.insert(name);
    }
    return names;
}

bool Shards::wants(std::size_t index) const {
    if (!member_ || !member_->is_leader() || !leases_.synced()) return false;
    const std::string own = options_.lease.key.name + "-member-" + options_.member_name;
    const std::set<std::string> all = living();
    // Not before we are seen: the others go by the same view.
    return all.contains(own) && spread_shards(shards_.size(), all)[index] == own;
}

Shards::Selection Shards::objects_of(std::size_t index) const {
    return [index, count = options_.count](const ObjectKey& key) { return shard_of(key, count) == index; };
}

void Shards::contest(std::size_t index) {
    Shard& shard = shards_[index];
    LeaseOptions lease = lease_named(shard.name);
    lease.wants = [this, index] { return wants(index); };
    shard.contest = std::make_unique<Spawner>(executor_, nullptr);
    shard.state = State::Contesting;
    shard.election = std::make_unique<LeaseElection>(client_, random_, log_, metrics_, std::move(lease));
    shard.election->on_leading = [this, index] {
        shards_[index].state = State::Held;
        workers_.take_up(objects_of(index));
    };
    shard.election->on_lost = [this, index] {
        shards_[index].state = State::Lost;
        workers_.drop(objects_of(index));
    };
    shard.contest->start(shard.name, shard.election->run());
}

void Shards::step() {
    for (std::size_t i = 0; i < shards_.size(); ++i) step(i);
    metrics_.set("atoll_shards", {}, static_cast<double>(held()));
    metrics_.set("atoll_shard_members", {}, static_cast<double>(members()));
}

void Shards::step(std::size_t index) {
    Shard& shard = shards_[index];
    if (shard.state == State::Lost && !workers_.works_on(objects_of(index))) contest(index);
    // Without a membership of our own there is nobody to drain for: the shard's own Lease decides.
    if (shard.state == State::Held && member_->is_leader() && !wants(index)) {
        shard.state = State::Draining;
        spawner_->start("give back " + shard.name, give_back(index));
    }
}

Task<> Shards::give_back(std::size_t index) {
    Shard& shard = shards_[index];
    while (shard.state == State::Draining && workers_.works_on(objects_of(index))) co_await sleep_for(clock_, 20ms);
    if (shard.state != State::Draining) co_return;
    shard.contest.reset();
    log_.info("Giving back a shard", {{key::kName, shard.name}});
    tell_failure(co_await shard.election->release().attempt());
    contest(index);
}

Task<> Shards::remove_dead_members() {
    const std::set<std::string> alive = living();
    for (const Object& lease : leases_.list()) {
        const auto sign = signs_.find(lease.key().name);
        if (alive.contains(lease.key().name) || sign == signs_.end()) continue;
        if (clock_.now() - sign->second.seen < kDead) continue;
        RemoveOptions options;
        options.preconditions.uid = lease.meta().uid;
        options.preconditions.resource_version = lease.meta().resource_version;
        const Target target(lease_type(), lease.key());
        co_await client_.remove(target, options);
    }
}

Task<> Shards::release() {
    spawner_.reset();
    for (Shard& shard : shards_) shard.contest.reset();
    if (!member_) co_return;
    // First that we leave: the others then know whose the shards are.
    tell_failure(co_await member_->release().attempt());
    for (Shard& shard : shards_) tell_failure(co_await shard.election->release().attempt());
    const Target own(lease_type(),
                     ObjectKey(options_.lease.key.ns, options_.lease.key.name + "-member-" + options_.member_name));
    co_await client_.remove(own);
}

void Shards::tell_failure(const Result<Unit>& result) const {
    // The others wait until it has run out; nothing depends on it.
    if (!result.ok()) log_.info("Leaving a lease as it is", {{key::kError, result.error().message()}});
}

bool Shards::covers(const ObjectKey& key) const {
    const Shard& shard = shards_[shard_of(key, options_.count)];
    return shard.state == State::Held && shard.election->is_leader();
}

bool Shards::may_write() const {
    // One that has run out and was not cut off yet closes the door for all: who is writing cannot be told here.
    return held() > 0 && std::ranges::all_of(shards_, [](const Shard& shard) {
               return shard.state != State::Lost && (!shard.is_held() || shard.election->is_leader());
           });
}

std::size_t Shards::held() const {
    return static_cast<std::size_t>(std::ranges::count_if(shards_, [](const Shard& shard) { return shard.is_held(); }));
}

}  // namespace atl::kube
