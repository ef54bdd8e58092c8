#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "test/sim/sim_network.h"

namespace atl::sweep {

/// What a person sees on the engine, through its own API.
class EngineView {
public:
    EngineView(sim::SimLoop& loop, net::Transport& transport) : loop_(loop), transport_(transport) {}

    /// Makes a network and a volume that are not ours.
    void add_strangers();
    /// Those of them that are gone.
    std::vector<std::string> missing_strangers();
    /// Leaves the swarm as a person would, with force.
    void leave_swarm() { post("/swarm/leave?force=true", {}); }
    /// Everything that carries our mark, free of ids and times: "service shop-web image=… env=… replicas=…", sorted.
    std::vector<std::string> describe_marked();
    /// Names of all services, whoever has made them, sorted.
    std::vector<std::string> services();
    /// Whether the engine is in a swarm.
    bool has_swarm() { return !get("/swarm").is_null(); }
    /// One line for each thing that carries our mark: kind, owner and graph name. Two equal ones are duplicates.
    std::vector<std::string> marked_keys();
    /// A request of a person at the engine, and the answer; null where the engine refuses.
    nlohmann::json ask(const std::string& method, const std::string& target, const nlohmann::json& body = nullptr);

private:
    nlohmann::json get(const std::string& target);
    void post(const std::string& target, const nlohmann::json& body);
    struct Thing {
        std::string kind;
        nlohmann::json labels;
        nlohmann::json body;
    };
    std::vector<Thing> marked();

    sim::SimLoop& loop_;
    net::Transport& transport_;
};

}  // namespace atl::sweep
