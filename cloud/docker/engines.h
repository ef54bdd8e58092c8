#pragma once

#include <string>
#include <vector>

#include "cloud/orchestrator.h"

namespace atl::cloud::docker {

/// A machine that is there already, and its engine.
struct EngineMachine {
    std::string machine;  ///< graph name
    std::string host;     ///< "unix:///var/run/docker.sock", "tcp://10.0.0.5:2376"
    std::string address;  ///< for peers and published ports
    std::string tls_secret;
    net::Endpoint where;
};

/// Reads an engine's URL: unix:///path or tcp://host:port. Without TLS, tcp is for loopback only. Invalid otherwise,
/// with what is allowed.
Result<net::Endpoint> parse_engine_host(const std::string& host, bool with_tls);

/// Reads {host, tlsSecretRef: {name}} at `field`; without TLS settings yet.
Result<EngineMachine> engine_machine(const Properties& engine, const std::string& field);

/// The resource of a machine that is there already.
Resource machine_resource(const EngineMachine& machine);

/// The world with every engine that answers, whoever has it: for clearing, where only what carries a mark is touched.
World with_engines_of_others(World world);

/// The engines of all Ready machines of the world, in the order of their names, those of `first` first.
Result<Endpoint> endpoint_of_machines(const World& world, const std::string& first);

/// Whether all that the text names is this host.
bool is_loopback(std::string_view host);

}  // namespace atl::cloud::docker
