#include <iostream>
#include <utility>

#include "controllers/mover.h"
#include "operator/commands/access.h"
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

Task<> finish(Running& running, controllers::Mover& mover, MoveOptions::Kind kind) {
    const auto code = co_await work(mover, kind).attempt();
    if (!code.ok()) std::cerr << "atoll move: " << code.error().message() << "\n";
    running.stop(code.ok() ? *code : 1);
}

Task<> give_up(Running& running) {
    std::cerr << "atoll move: stopped; the same command again goes on from here\n";
    running.stop(1);
    co_return;
}

Result<std::shared_ptr<kube::CredentialSource>> access_of(const kube::ClientConfig& config, Running& running) {
    return kube::make_credentials(config, running.files, running.loop);
}

}  // namespace

int move(const MoveOptions& options) {
    Running running(LogLevel::Error);
    auto refuse = [](const Error& error) {
        std::cerr << "atoll move: " << error.message() << "\n";
        return 1;
    };
    const auto from_config = read_config(options.from, running.files);
    if (!from_config.ok()) return refuse(Error(from_config.error()).during("--from"));
    const auto to_config = read_config(options.to, running.files);
    if (!to_config.ok()) return refuse(Error(to_config.error()).during("--to"));
    const auto from_access = access_of(*from_config, running);
    if (!from_access.ok()) return refuse(Error(from_access.error()).during("--from"));
    const auto to_access = access_of(*to_config, running);
    if (!to_access.ok()) return refuse(Error(to_access.error()).during("--to"));

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
    return running.run("move", finish(running, mover, options.kind), [&] { return give_up(running); });
}

}  // namespace atl::commands
