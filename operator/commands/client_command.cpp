#include "operator/commands/client_command.h"

#include <iostream>

#include "operator/commands/access.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

Task<> finish(Running& running, Task<int> work, std::string name) {
    const auto code = co_await std::move(work).attempt();
    running.stop(code.ok() ? *code : refuse(name, code.error()));
}

Task<> give_up(Running& running, std::string last_words) {
    if (!last_words.empty()) std::cerr << last_words << "\n";
    running.stop(1);
    co_return;
}

}  // namespace

int run_client_command(const ClientCommand& command, const ClientWork& work) {
    Running running(LogLevel::Error);
    const auto access = find_access(command.kubeconfig, running.files, running.environment, running.loop);
    if (!access.ok()) return refuse(command.name, access.error());
    kube::Client client(running.transport, running.loop, *access);
    return run_command(running, command.name, work(client, running.loop));
}

int run_command(Running& running, const std::string& name, Task<int> work, const std::string& if_stopped) {
    const std::string last_words = if_stopped.empty() ? "" : "atoll " + name + ": " + if_stopped;
    return running.run(name, finish(running, std::move(work), name), [&] { return give_up(running, last_words); });
}

int refuse(const std::string& name, const Error& error) {
    std::cerr << "atoll " << name << ": " << error.message() << "\n";
    return 1;
}

}  // namespace atl::commands
