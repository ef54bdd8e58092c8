#include "cloud/docker/engines.h"

#include <algorithm>
#include <charconv>

#include "cloud/docker/values.h"

namespace atl::cloud::docker {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kAllowed = "; allowed are unix:///path and tcp://host:port";

Error bad_host(const std::string& host, const std::string& why) {
    return invalid("InvalidEngineHost", "engine host \"" + host + "\" " + why + std::string(kAllowed));
}

}  // namespace

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<net::Endpoint> parse_engine_host(const std::string& host, bool with_tls) {
    constexpr std::string_view kUnix = "unix://";
    constexpr std::string_view kTcp = "tcp://";
    net::Endpoint endpoint;
    if (host.starts_with(kUnix)) {
        endpoint.scheme = net::Scheme::Unix;
        endpoint.host = host.substr(kUnix.size());
        if (!endpoint.host.starts_with('/')) return bad_host(host, "has no absolute path");
        return endpoint;
    }
    if (!host.starts_with(kTcp)) return bad_host(host, "has another scheme");
    const std::string rest = host.substr(kTcp.size());
    const auto colon = rest.rfind(':');
    if (colon == std::string::npos || colon == 0) return bad_host(host, "has no host or no port");
    endpoint.host = rest.substr(0, colon);
    if (endpoint.host.starts_with('[') && endpoint.host.ends_with(']')) {
        endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
    }
    const char* end = rest.data() + rest.size();
    const auto parsed = std::from_chars(rest.data() + colon + 1, end, endpoint.port);
    if (parsed.ec != std::errc() || parsed.ptr != end || endpoint.port == 0) {
        return bad_host(host, "has no port between 1 and 65535");
    }
    endpoint.scheme = with_tls ? net::Scheme::Https : net::Scheme::Http;
    if (!with_tls && !is_loopback(endpoint.host)) {
        return invalid("EngineWithoutTls", "engine host \"" + host +
                                               "\" would be reached without proof of who is who; name a Secret in "
                                               "tlsSecretRef, or use a unix socket");
    }
    return endpoint;
}

Result<EngineMachine> engine_machine(const Properties& engine, const std::string& field) {
    EngineMachine machine;
    machine.host = text_at(engine, {"host"});
    if (machine.host.empty()) machine.host = "unix:///var/run/docker.sock";
    machine.tls_secret = text_at(engine, {"tlsSecretRef", "name"});
    auto where = parse_engine_host(machine.host, !machine.tls_secret.empty());
    if (!where.ok()) return std::move(where).error().at_field(field + ".host");
    machine.where = *where;
    machine.address = machine.where.scheme == net::Scheme::Unix ? "127.0.0.1" : machine.where.host;
    return machine;
}

Resource machine_resource(const EngineMachine& machine) {
    Resource resource;
    resource.key = {"machine", machine.machine};
    resource.properties = {{"engine", machine.host}};
    return resource;
}

World with_engines_of_others(World world) {
    for (const Stranger& other : world.strangers) {
        if (other.key.kind != "machine") continue;
        Observed machine;
        machine.key = other.key;
        machine.id = other.id;
        machine.state = State::Ready;
        machine.outputs = other.outputs;
        world.resources.push_back(std::move(machine));
    }
    world.strangers.clear();
    return world;
}

Result<Endpoint> endpoint_of_machines(const World& world, const std::string& first) {
    std::vector<const Observed*> machines;
    std::string missing;
    for (const Observed& observed : world.resources) {
        if (observed.key.kind != "machine") continue;
        if (observed.state == State::Ready)
            machines.push_back(&observed);
        else
            missing += (missing.empty() ? "" : ", ") + observed.key.name + " (" + observed.message + ")";
    }
    if (machines.empty()) {
        for (const Stranger& other : world.strangers) missing += (missing.empty() ? "" : ", ") + other.message;
        const std::string what = missing.empty() ? "no machine is there yet" : "no machine is ready: " + missing;
        return Error::waiting("NoMachine", what, 5s);
    }
    std::ranges::sort(machines, {}, [&](const Observed* m) { return std::pair(m->key.name != first, m->key.name); });
    Endpoint endpoint;
    for (const Observed* machine : machines) {
        const auto output = [&](const char* name) {
            const auto found = machine->outputs.find(name);
            return found == machine->outputs.end() ? std::string() : found->second;
        };
        Endpoint::Engine engine{machine->key.name, {}, output("address"), output("hostname"), output("tlsSecret")};
        auto where = parse_engine_host(output("engine"), !engine.tls_secret.empty());
        if (!where.ok()) return std::move(where).error();
        engine.where = *where;
        endpoint.engines.push_back(std::move(engine));
    }
    endpoint.url = endpoint.engines.front().where.to_string();
    return endpoint;
}

}  // namespace atl::cloud::docker
