#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "test/fakes/fake_parts.h"
#include "test/fakes/fake_timers.h"

namespace atl::fakes {

/// A swarm of one machine, as Docker 20.10 behaves: services with copies (tasks) that move in time, rolling updates
/// with pause and roll-back, host ports, configs, secrets, the one counter of versions, the refusals word by word (held
/// to test/data/docker/swarm-exchanges.json). Networks are of the engine and are here too, because services use them.
class FakeSwarm {
public:
    FakeSwarm(FakeTimers& timers, FakeWorld& world, FakeEventSink on_event);

    /// Answers what is about a swarm; nullopt for what is not.
    std::optional<FakeReply> answer(const FakeRequest& request);
    /// The member "Swarm" of GET /info.
    Json state() const;
    bool active() const { return active_; }
    /// Volumes that a copy of any service mounts.
    bool uses_volume(const std::string& name) const;
    /// Called with a volume that a starting copy needs, and its labels.
    std::function<void(const std::string&, const Json&)> on_volume;

    /// Whether a plain container is attached to the network of this name.
    std::function<bool(const std::string&)> network_in_use;
    /// Names of the networks.
    bool has_network(const std::string& name_or_id) const;

    /// Ends the container of a copy as if it had crashed; false if there is none.
    bool kill(const std::string& container, int exit_code);
    /// The engine starts again: everything that ran has died.
    void restart();
    /// Running containers of copies with these labels, as GET /containers/json lists them.
    Json containers(const std::vector<std::string>& labels) const;
    /// Containers that run now.
    int running() const;
    /// Whether a running copy publishes the port of the machine.
    bool listens(int port) const;
    /// Names of all that is there: "service web".
    std::vector<std::string> contents() const;
    /// How many mutating requests had an effect.
    int effects = 0;

private:
    struct Thing {  // network, config, secret
        Json body;
        std::string name;
    };
    struct Service {
        std::string id, name;
        Json spec, previous;
        Json update = Json::object();
        std::int64_t version = 0;
        std::string created, updated;
        int round = 0;           ///< rises with every POST: timers of an older update are void
        bool finishing = false;  ///< all copies are new, the monitor time runs
    };
    struct Copy {
        std::string id, service;
        int slot = 0;
        Json spec, ports, labels;
        std::string state = "new", desired = "running", message = "created", error, container, address, machine;
        int exit_code = 0;
        std::int64_t version = 0;
        std::string created, updated, stamp;
        Instant ran_at{};
        bool stopping = false;
        bool doomed = false;  ///< it ends at once: the update does not count it as running
        bool is_current(const Service& s) const;
    };

    struct End {
        std::string state, error;
        int exit_code = 0;
    };

    FakeReply answer_swarm(const FakeRequest& request);
    FakeReply answer_networks(const FakeRequest& request);
    FakeReply answer_files(const FakeRequest& request, const std::string& kind);
    FakeReply answer_services(const FakeRequest& request);
    FakeReply create_network(const FakeRequest& request);
    FakeReply create_file(const FakeRequest& request, const std::string& kind);
    FakeReply update_file(const FakeRequest& request, const std::string& kind, Thing& thing);
    FakeReply create_service(const FakeRequest& request);
    FakeReply update_service(const FakeRequest& request, Service& service);
    FakeReply remove_service(Service& service);
    FakeReply list_copies(const FakeRequest& request) const;
    FakeReply list_machines() const;
    std::optional<FakeReply> check_spec(Json& spec) const;
    std::string user_of(const std::string& member, const std::string& id) const;
    Service* find_service(const std::string& name_or_id);
    const Service* find_service(const std::string& name_or_id) const;
    Json service_json(const Service& service, bool with_status) const;
    Json copy_json(const Copy& copy) const;

    // fake_swarm_work.cpp: time passes.
    void work(const std::string& service_id);
    void work_update(Service& service);
    void finish_update(Service& service);
    void fail_update(Service& service, const Copy& copy);
    void create_copy(const Service& service, int slot, const std::string& desired);
    void schedule(const std::string& id);
    void prepare(const std::string& id);
    void start(const std::string& id);
    void run(const std::string& id);
    void fail(Copy& copy, const std::string& state, const std::string& error, int exit_code);
    void record_end(const std::string& id, const End& end);
    void replace_failed(const std::string& id);
    void stop(Copy& copy, const std::string& desired);
    void move(Copy& copy, const std::string& state, const std::string& message);
    void retry_pending();
    void prune(const std::string& service_id);
    std::vector<Copy*> copies_of(const std::string& service, int slot);
    Copy* find_copy(const std::string& id);
    std::string unplaceable(const Copy& copy) const;

    FakeTimers& timers_;
    FakeWorld& world_;
    FakeEventSink on_event_;
    bool active_ = false;
    Json spec_;
    std::string id_, machine_id_, address_;
    std::int64_t raft_ = 10;
    std::int64_t version_ = 10;  ///< of the swarm itself
    int next_id_ = 1;
    int next_address_ = 2;
    std::map<std::string, Thing> networks_;
    std::map<std::string, std::map<std::string, Thing>> files_;  // kind → id → config or secret
    std::map<std::string, Service> services_;
    std::map<std::string, Copy> copies_;
};

}  // namespace atl::fakes
