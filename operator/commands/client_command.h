#pragma once

#include <functional>
#include <string>

#include "operator/base/clock.h"
#include "operator/base/task.h"
#include "operator/kube/client.h"

namespace atl::commands {

class Running;

/// What a command that only asks an API server is made of: its name, for messages, and where the server is.
struct ClientCommand {
    std::string name;        ///< "guard"
    std::string kubeconfig;  ///< empty: see find_config()
};

/// The work of a command: gets the client and the clock, prints its answer, and returns the exit code. An Error of it
/// is printed, with exit code 1.
using ClientWork = std::function<Task<int>(kube::Client& client, Clock& clock)>;

/// Runs the work until it is done or the process is asked to stop (exit code 1). Returns the exit code.
int run_client_command(const ClientCommand& command, const ClientWork& work);

/// The same of any work. `if_stopped` is said when the process is asked to stop before the work is done; may be empty.
int run_command(Running& running, const std::string& name, Task<int> work, const std::string& if_stopped = "");

/// Says on standard error what is wrong with a command; returns the exit code, 1.
int refuse(const std::string& name, const Error& error);

}  // namespace atl::commands
