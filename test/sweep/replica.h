#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/commands/operator_process.h"
#include "test/sim/sim_process.h"
#include "test/sweep/world.h"

namespace atl::sweep {

/// One of several operators in a world: it can be stopped and go on, crash, and end in order.
class Replica {
public:
    /// shards: 0: with the others it elects a leader.
    Replica(World& world, std::string name, std::size_t shards);
    Replica(const Replica&) = delete;
    Replica& operator=(const Replica&) = delete;
    ~Replica();

    void pause() { computer_.pause(); }
    void go_on() { computer_.go_on(); }
    void crash();
    /// Ends as after SIGTERM; the virtual time that it took.
    Duration end();

    bool runs() const { return process_ != nullptr; }
    bool lost() const { return lost_; }
    /// Whether it may begin a pass of the object now.
    bool covers(const kube::ObjectKey& key) const;
    bool ready() const { return process_ && process_->ready(); }
    bool at_rest() const { return !process_ || process_->at_rest(); }
    /// When it last began to send a write, but to Leases; and to whom, since the last clear().
    std::vector<std::pair<Instant, std::string>> writes;
    /// Asked at each point of each call, after what is recorded.
    std::function<sim::Fault(const sim::Call&, sim::Point)> fault;
    sim::SimTransport& transport() { return transport_; }

private:
    World& world_;
    sim::SimProcess computer_;
    sim::SimTransport transport_;
    std::unique_ptr<net::Transport> way_out_;
    std::unique_ptr<commands::OperatorProcess> process_;
    bool lost_ = false;
};

}  // namespace atl::sweep
