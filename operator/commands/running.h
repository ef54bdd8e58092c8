#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cloud/orchestrator.h"
#include "operator/base/log.h"
#include "operator/base/spawner.h"
#include "operator/commands/operator_process.h"
#include "operator/net/beast_transport.h"
#include "operator/net/event_loop.h"
#include "operator/net/system_environment.h"
#include "operator/net/system_files.h"
#include "operator/net/system_random.h"
#include "operator/observe/metric_store.h"

namespace atl::commands {

/// Production's bindings, and the one loop that everything in the process runs on.
class Running {
public:
    explicit Running(LogLevel log_level);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running();

    /// What an OperatorProcess is given.
    OperatorProcess::Outside outside();
    /// Options of a client whose requests are measured.
    kube::ClientOptions client_options();
    /// Runs `work`, then the loop, until stop(); `wind_down` runs once at SIGTERM or SIGINT. Returns the exit code.
    int run(std::string name, Task<> work, std::function<Task<>()> wind_down);
    /// Ends run() with the code.
    void stop(int code);

    net::EventLoop loop;
    net::SystemRandom random;
    net::SystemFiles files;
    net::SystemEnvironment environment;
    Log log;
    observe::MetricStore metrics;
    net::BeastTransport transport;
    cloud::Registry registry;
    std::unique_ptr<OperatorProcess> process;

private:
    std::unique_ptr<Spawner> spawner_;
    bool stopping_ = false;
    int code_ = 0;
};

/// How long running passes may take when the process is asked to stop: of 10 s in all.
inline constexpr std::chrono::seconds kGrace{8};

}  // namespace atl::commands
