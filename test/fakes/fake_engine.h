#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "operator/net/server.h"
#include "test/fakes/fake_containers.h"
#include "test/fakes/fake_swarm.h"

namespace atl::fakes {

/// A Docker engine at wire level: /version, /info, volumes, networks, images, plain containers, a swarm of one machine,
/// events. Every request is answered at once and as a whole, so a caller that breaks off sees either no effect or all
/// of it; what takes time (copies starting, updates rolling) goes by the clock. The same clock and requests give the
/// same answers.
class FakeEngine final : public net::Handler {
public:
    explicit FakeEngine(Clock& clock);
    ~FakeEngine() override;

    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override;

    /// The world around it: images that are there, ports that others hold.
    FakeWorld& world() { return world_; }
    FakeContainers& containers() { return containers_; }
    FakeSwarm& swarm() { return swarm_; }

    /// Ends a container's process as if it had crashed; false if no such container runs.
    bool kill(const std::string& container, int exit_code);
    /// Stops hard and starts again: what ran has died, what is stored is there.
    void restart();
    /// Containers that run.
    int running() const { return swarm_.running() + containers_.running(); }
    /// Whether something answers at a port of the machine.
    bool listens(int port) const { return swarm_.listens(port) || containers_.listens(port); }
    /// Names of everything that is there, sorted: "service web", "volume data". Empty after everything is gone.
    std::vector<std::string> contents() const;
    /// Requests served, and how many of them changed something.
    int requests = 0;
    int effects() const { return effects_ + swarm_.effects + containers_.effects; }

private:
    FakeReply answer(const FakeRequest& request);
    FakeReply answer_truly(const FakeRequest& request);
    FakeReply answer_volumes(const FakeRequest& request);
    FakeReply answer_images(const FakeRequest& request) const;
    Json inform() const;
    Task<> stream_events(FakeRequest request, net::ResponseWriter& writer);
    void publish(const std::string& action, const std::string& container, const Json& labels);
    void ensure_volume(const std::string& name, const Json& labels);

    struct Subscriber;
    FakeTimers timers_;
    FakeWorld world_;
    FakeSwarm swarm_;
    FakeContainers containers_;
    std::map<std::string, Json> volumes_;
    std::vector<std::weak_ptr<Subscriber>> subscribers_;
    int effects_ = 0;
};

}  // namespace atl::fakes
