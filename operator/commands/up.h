#pragma once

#include <cstdint>
#include <string>

#include "operator/base/environment.h"
#include "operator/base/log.h"

namespace atl::commands {

/// What `atoll up` is told.
struct UpOptions {
    std::string data_dir;    ///< holds the database, its key, certificates and the token; made with mode 0700
    std::string kubeconfig;  ///< written for kubectl, mode 0600
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;         ///< of the API server; 0: the one of the last time, else any that is free
    std::uint16_t health_port = 0;  ///< of /metrics, /healthz and /readyz on loopback; 0: any that is free
    LogLevel log_level = LogLevel::Info;
};

/// Data directory and kubeconfig below $XDG_DATA_HOME or ~/.local/share.
UpOptions default_up_options(const Environment& environment);

/// Runs the embedded API server and the controllers in this process until SIGTERM or SIGINT; then stops within 10 s.
/// Returns the exit code; says on standard output where the kubeconfig is and what to do next, logs to standard error.
int up(const UpOptions& options);

}  // namespace atl::commands
