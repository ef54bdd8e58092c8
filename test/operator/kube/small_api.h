#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/kube/client.h"
#include "operator/net/server.h"
#include "test/sim/sim_loop.h"
#include "test/sim/sim_network.h"

namespace atl::kube {

/// A small API server for tests of the client and the machinery: stores anything under any type, keeps versions, uids,
/// generations and finalizers, lists in pages and watches. Odd answers are scripted with `intercept`. Not a model of
/// Kubernetes: no schema, no managed fields (apply is a merge).
class SmallApi final : public net::Handler {
public:
    explicit SmallApi(sim::SimLoop& loop) : loop_(loop) {}

    Task<> serve(const net::ServerRequest& request, net::ResponseWriter& writer) override;

    /// Asked first for every request; what it gives is the answer.
    std::function<std::optional<net::Response>(const net::ServerRequest&)> intercept;
    /// Asked first for every watch; gives the pieces to send, after which the stream ends cleanly.
    std::function<std::optional<std::vector<std::string>>(const net::ServerRequest&)> script_watch;
    /// Every request, as "METHOD target".
    std::vector<std::string> requests;
    /// Requests that change something.
    std::uint64_t writes = 0;
    /// How long a change takes to be seen by watchers.
    Duration watch_lag{0};

    /// Puts an object in place, as if someone had written it; gives it as stored.
    nlohmann::json put(const ResourceType& type, nlohmann::json object);
    void erase(const ResourceType& type, const ObjectKey& key);
    std::optional<nlohmann::json> get(const ResourceType& type, const ObjectKey& key) const;
    std::vector<nlohmann::json> all(const ResourceType& type) const;
    /// Watches from before now are answered 410 from now on.
    void compact() { compacted_ = version_; }
    /// Sends a bookmark to all watchers.
    void bookmark();
    /// Ends all watches cleanly.
    void end_watches();
    std::size_t count(const std::string& prefix) const;

private:
    struct Change {
        std::uint64_t version;
        std::string collection;
        std::string line;
        Instant visible;
    };
    struct Path {
        std::string collection;
        std::string ns;
        std::string name;
        std::string subresource;
        std::map<std::string, std::string> query;
    };
    static Path read(const std::string& target);
    Task<> watch(Path path, net::ResponseWriter& writer);
    net::Response answer(const net::ServerRequest& request);
    net::Response list(const Path& path);
    net::Response write(const net::ServerRequest& request, const Path& path);
    net::Response create(const Path& path, nlohmann::json object);
    net::Response change(const Path& path, const nlohmann::json& before, nlohmann::json after);
    net::Response remove(const net::ServerRequest& request, const Path& path);
    void log(const std::string& collection, const std::string& type, const nlohmann::json& object);
    void wake();
    std::string next_version() { return std::to_string(++version_); }

    sim::SimLoop& loop_;
    std::map<std::string, std::map<ObjectKey, nlohmann::json>> store_;
    std::vector<Change> log_;
    std::uint64_t version_ = 100;
    std::uint64_t compacted_ = 0;
    std::uint64_t next_uid_ = 1;
    std::uint64_t ended_ = 0;
    std::vector<Callback<Unit>> waiters_;
};

/// A loop, a network, the small server at http://api, and clients of it.
struct Given {
    explicit Given(std::uint64_t seed = 1);
    /// A client with a transport of its own.
    std::unique_ptr<Client> client(ClientOptions options = {});

    sim::SimLoop loop;
    sim::SimNetwork network;
    SmallApi api;
    net::Endpoint endpoint;
    std::vector<std::unique_ptr<sim::SimTransport>> transports;
};

/// The type of objects that the tests use.
inline const ResourceType kWidgets{"example.dev", "v1", "widgets", "Widget", true};
inline const ResourceType kGadgets{"example.dev", "v1", "gadgets", "Gadget", true};

/// {"metadata": {"namespace", "name"}, "spec": {}} of a widget.
nlohmann::json widget(const std::string& ns, const std::string& name);
/// A Status answer.
net::Response status_answer(int code, const std::string& reason, const std::string& message);

}  // namespace atl::kube
