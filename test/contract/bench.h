#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cloud/orchestrator.h"
#include "operator/base/root_task.h"
#include "test/fakes/fake_parts.h"
#include "test/sim/sim_network.h"

namespace atl::contract {

/// What a contract test runs on: an engine, a way to it and a clock. The same tests run on the fake engine in virtual
/// time and on a real one.
class Bench {
public:
    virtual ~Bench() = default;
    virtual cloud::Surroundings surroundings() = 0;
    /// URL of the engine.
    virtual std::string engine_host() = 0;
    /// Runs the loop until the predicate holds, or for so long. Returns the predicate.
    virtual bool drive(const std::function<bool()>& done, Duration limit) = 0;
    /// The engine's answer to a request of a stranger (another client than ours), as JSON.
    virtual nlohmann::json as_stranger(const std::string& method, const std::string& path,
                                       const nlohmann::json& body) = 0;
    /// What a published port answers; empty if nothing does. The fake engine answers "page" for a copy that runs.
    virtual std::string fetch(int port) = 0;
    /// The same, waiting until something answers: a copy runs a moment before its program listens.
    std::string page_at(int port, Duration limit = std::chrono::seconds(20)) {
        const Instant end = surroundings().clock.now() + limit;
        std::string page = fetch(port);
        while (page.empty() && surroundings().clock.now() < end) {
            pass_time(std::chrono::milliseconds(200));
            page = fetch(port);
        }
        return page;
    }
    /// Stops the engine hard and starts it again, with what it has on its disk.
    virtual void restart_engine() = 0;
    /// Another program of the machine takes the port, and gives it back.
    virtual void hold_port(int port) = 0;
    virtual void free_port(int port) = 0;
    /// Whether answers come from real programs: then what a page says can be compared.
    virtual bool is_real() const = 0;
    /// The wire to a fake engine, where faults can be put; nullptr for a real one.
    virtual sim::SimTransport* wire() { return nullptr; }
    /// What an engine that is a fake stands in; nullptr for a real one.
    virtual fakes::FakeWorld* fake_world() { return nullptr; }
    /// Names of all that a fake engine holds.
    virtual std::vector<std::string> contents() { return {}; }
    /// How many requests have changed something in a fake engine.
    virtual int effects() { return 0; }

    template <class T>
    Result<typename Task<T>::Value> run(Task<T> task, Duration limit = std::chrono::seconds(60)) {
        std::optional<Result<typename Task<T>::Value>> outcome;
        std::exception_ptr bug;
        RootTask<T> root(std::move(task), [&](auto result, std::exception_ptr escaped) {
            bug = escaped;
            outcome.emplace(std::move(result));
        });
        root.start();
        drive([&] { return outcome.has_value(); }, limit);
        if (bug) std::rethrow_exception(bug);
        if (!outcome) return transient("Stuck", "the task did not end within the limit");
        return std::move(*outcome);
    }
    void pass_time(Duration duration) {
        drive([] { return false; }, duration);
    }
};

/// Two hosts with an engine each.
class PairBench {
public:
    virtual ~PairBench() = default;
    virtual Bench& bench() = 0;
    /// The list for infrastructure.existing.
    virtual nlohmann::json machines() = 0;
    /// What a URL answers when it is asked on one of the hosts (0 or 1).
    virtual std::string fetch_from(int machine, const std::string& url) = 0;
    /// Whether the first host throws away what comes to its TCP port.
    virtual void block(int port, bool blocked) = 0;
};
std::unique_ptr<PairBench> real_pair(std::string& reason);

/// A Docker engine of our own; nullptr, with the reason, where there cannot be one. One for the whole program.
Bench* real_bench(std::string& reason);
/// The fake engine; a new one each time.
std::unique_ptr<Bench> fake_bench();

}  // namespace atl::contract
