#include <iostream>
#include <utility>

#include "controllers/mover.h"
#include "operator/commands/access.h"
#include "operator/commands/client_command.h"
#include "operator/commands/commands.h"
#include "operator/commands/running.h"

namespace atl::commands {

namespace {

Task<int> work(controllers::Mover& mover, MoveOptions::Kind kind) {
    if (kind == MoveOptions::Kind::Preview)
        co_await mover.preview();
    else
        co_await mover.run();
    co_return 0;
}

/// Access to one side, which the option names.
Result<std::shared_ptr<kube::CredentialSource>> access_of(const Result<kube::ClientConfig>& config,
                                                          const std::string& option, Running& running) {
    if (!config.ok()) return Error(config.error()).during(option);
    auto access = kube::make_credentials(*config, running.files, running.loop);
    if (!access.ok()) return Error(access.error()).during(option);
    return access;
}

}  // namespace

int move(const MoveOptions& options) {
    Running running(LogLevel::Error);
    const auto from_config = read_config(options.from, running.files);
    const auto from_access = access_of(from_config, "--from", running);
    if (!from_access.ok()) return refuse("move", from_access.error());
    const auto to_config = read_config(options.to, running.files);
    const auto to_access = access_of(to_config, "--to", running);
    if (!to_access.ok()) return refuse("move", to_access.error());

    kube::ClientOptions client;
    client.field_manager = "atoll-move";
    kube::Client from(running.transport, running.loop, *from_access, client);
    kube::Client to(running.transport, running.loop, *to_access, client);
    controllers::Mover::Options what;
    what.name_space = options.name_space.empty() ? from_config->default_namespace : options.name_space;
    if (options.all_namespaces) what.name_space.clear();
    what.installation_namespace = options.installation_namespace;
    what.patience = std::chrono::seconds(options.patience);
    auto say = [](const std::string& line) { std::cout << line << std::endl; };
    controllers::Mover mover({from, to, running.random, say}, what);
    return run_command(running, "move", work(mover, options.kind), "stopped; the same command again goes on from here");
}

}  // namespace atl::commands
