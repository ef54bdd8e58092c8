#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cloud/docker/client.h"
#include "cloud/docker/engines.h"
#include "cloud/docker/marks.h"
#include "cloud/driver.h"

namespace atl::cloud::docker {

/// What one engine says of itself.
struct Survey {
    std::optional<Error> error;  ///< it did not answer
    Json info;
    bool claimed = false;  ///< somebody's Cluster has it
    Labels claim;          ///< whose

    bool in_swarm() const { return swarm_state() != "inactive" && !asks_to_join(); }
    /// It has asked to join a swarm that has not taken it (yet): it is a member of none, and none knows it.
    bool asks_to_join() const {
        return (swarm_state() == "pending" || swarm_state() == "error") && text_at(info, {"Swarm", "NodeID"}).empty();
    }
    std::string swarm_state() const { return text_at(info, {"Swarm", "LocalNodeState"}); }
};

/// Machines that are there already, through their engines: kind `machine`, and the forming of a swarm from them (kinds
/// `swarm/swarm`, `swarm/member`).
///
/// A machine is "made" by claiming its engine: a volume of a fixed name whose labels say which Cluster has it. Creating
/// it twice gives the first one, so two Clusters cannot both get an engine; the second is refused: EngineInUse,
/// looked at again. So is a Cluster that wants to form a swarm from an engine which is in a swarm without our mark. A
/// swarm carries the mark as its labels; only our own is ever left.
class Machines final : public Driver {
public:
    static constexpr std::string_view kClaim = "atoll-engine";

    Machines(std::vector<EngineMachine> engines, Surroundings surroundings, std::shared_ptr<Versions> versions);

    /// What is known of the engines' own machine ("ipvs"): becomes outputs of the swarm.
    void set_facts(std::map<std::string, std::string> facts) { facts_ = std::move(facts); }

    std::span<const Kind> kinds() const override;
    Task<World> observe(Owner owner, Instant deadline) override;
    Task<std::vector<Accepted>> apply(Batch batch, Instant deadline) override;
    Task<std::vector<Marked>> marked(std::string installation, Instant deadline) override;
    Task<> remove_marked(std::string installation, Marked what, Instant deadline) override;

private:
    Client client(const EngineMachine& engine) const;
    const EngineMachine* find(const std::string& machine) const;
    Task<Survey> survey(EngineMachine engine, Instant deadline);
    Task<std::vector<Survey>> survey_all(Instant deadline);
    Observed observe_machine(const EngineMachine& engine, const Survey& survey, const Owner& owner) const;
    Task<> observe_swarm(World& world, const std::vector<Survey>& surveys, Owner owner, Instant deadline);

    Task<> run(Owner owner, Step step, Instant deadline);
    Task<> claim(Owner owner, EngineMachine engine, Instant deadline);
    Task<> release(Owner owner, EngineMachine engine, Instant deadline);
    Task<> form_swarm(Owner owner, EngineMachine engine, Instant deadline);
    Task<> join_swarm(Owner owner, Step step, EngineMachine engine, Instant deadline);
    Task<> unmark_swarm(Owner owner, EngineMachine engine, Instant deadline);
    Task<> end_asking(EngineMachine engine, Survey now, Instant deadline);
    Task<> leave_swarm(Owner owner, EngineMachine engine, Instant deadline);
    Task<> until_no_copies(Owner owner, EngineMachine engine, Instant deadline);
    Task<> remove_member(Owner owner, Step step, EngineMachine engine, Instant deadline);
    Task<Client> manager(Owner owner, Instant deadline);

    std::vector<EngineMachine> engines_;
    Surroundings surroundings_;
    std::shared_ptr<Versions> versions_;
    std::map<std::string, std::string> facts_;
};

/// Where a swarm of this owner listens on a machine that has only loopback addresses: an address of 127.0.0.0/8 and a
/// data port of its own, so that several engines of one host do not meet.
struct LoopbackPlace {
    std::string address;
    int data_port = 0;
};
LoopbackPlace loopback_place(const Owner& owner);

}  // namespace atl::cloud::docker
