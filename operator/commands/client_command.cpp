#include "operator/commands/client_command.h"

#include <iostream>

#include "operator/commands/access.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

Task<> finish(Running& running, Task<int> work, std::string name) {
    const auto code = co_await std::move(work).attempt();
    if (!code.ok()) std::cerr << "atoll " << name << ": " << code.error().message() << "\n";
    running.stop(code.ok() ? *code : 1);
}

Task<> give_up(Running& running) {
    running.stop(1);
    co_return;
}

}  // namespace

int run_client_command(const ClientCommand& command, const ClientWork& work) {
    Running running(LogLevel::Error);
    const auto access = find_access(command.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) {
        std::cerr << "atoll " << command.name << ": " << access.error().message() << "\n";
        return 1;
    }
    kube::Client client(running.transport, running.loop, *access);
    return running.run(command.name, finish(running, work(client, running.loop), command.name),
                       [&] { return give_up(running); });
}

}  // namespace atl::commands
