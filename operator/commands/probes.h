#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "operator/commands/probe_handler.h"
#include "operator/commands/running.h"
#include "operator/net/http_server.h"
#include "operator/observe/process.h"

namespace atl::commands {

/// Serves /metrics, /healthz and /readyz of this process. Ready means that its operator has read what it follows, and
/// what is added besides; healthy, that the loop answers.
class Probes {
public:
    struct Options {
        std::string address;
        std::uint16_t port = 0;  ///< 0: any that is free
    };
    /// Begins to listen. `running` outlives it. Errors: those of HttpServer::listen.
    static Result<std::unique_ptr<Probes>> open(Running& running, const Options& options);

    explicit Probes(Running& running);
    Probes(const Probes&) = delete;
    Probes& operator=(const Probes&) = delete;

    /// Asked for /readyz too.
    void add_readiness(std::string name, observe::HealthChecks::Check check) {
        readyz_.add(std::move(name), std::move(check));
    }

    /// "http://127.0.0.1:8081".
    std::string url() const;

private:
    std::optional<std::string> trouble() const;
    void measure();

    Running& running_;
    std::string address_;
    observe::ProcessFacts last_;
    observe::HealthChecks healthz_{"healthz"};
    observe::HealthChecks readyz_{"readyz"};
    ProbeHandler handler_;
    std::unique_ptr<net::HttpServer> server_;
};

}  // namespace atl::commands
