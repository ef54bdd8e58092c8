#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "test/fakes/fake_parts.h"
#include "test/fakes/fake_timers.h"

namespace atl::fakes {

/// Plain containers of an engine, as Docker 20.10 behaves: create, start, crash, restart by policy, stop, remove, files
/// put into them, ports that are taken.
class FakeContainers {
public:
    FakeContainers(FakeTimers& timers, FakeWorld& world, FakeEventSink on_event);

    /// Answers what is about containers; nullopt for what is not.
    std::optional<FakeReply> answer(const FakeRequest& request);
    bool uses_volume(const std::string& name) const;
    bool uses_network(const std::string& name) const;
    /// Called with a volume that a new container needs.
    std::function<void(const std::string&, const Json&)> on_volume;
    /// Whether there is a network of this name.
    std::function<bool(const std::string&)> has_network;

    bool kill(const std::string& id, int exit_code);
    void restart();
    int running() const;
    bool listens(int port) const;
    std::vector<std::string> contents() const;
    /// What was put into the container at the path; empty if nothing was. The archive as it came.
    std::string archive_of(const std::string& name) const;
    int effects = 0;

private:
    struct Container {
        std::string id, name;
        Json given;  ///< the body of create
        std::string state = "created", error, archive, address, started;
        int exit_code = 0;
        int restarts = 0;
        int life = 0;  ///< rises with every start: timers of an older life are void
        std::string health;
    };
    FakeReply create(const FakeRequest& request);
    FakeReply start(Container& container);
    FakeReply stop(Container& container);
    FakeReply remove(const FakeRequest& request, Container& container);
    Json inspect(const Container& container) const;
    Json summary(const Container& container) const;
    Container* find(const std::string& name_or_id);
    void live(Container& container);
    void die(Container& container, int exit_code);
    std::vector<int> ports_of(const Container& container) const;

    FakeTimers& timers_;
    FakeWorld& world_;
    FakeEventSink on_event_;
    std::map<std::string, Container> containers_;
    int next_id_ = 1;
};

}  // namespace atl::fakes
