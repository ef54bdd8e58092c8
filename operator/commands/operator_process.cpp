#include "operator/commands/operator_process.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace atl::commands {

namespace {

using namespace std::chrono_literals;

Spawner::OnFailure report_to(const Log& log) {
    return [log](const std::string& name, const Error& error, bool) {
        log.error("Losing a task", {{key::kName, name}, {key::kError, error.message()}});
    };
}

}  // namespace

OperatorProcess::OperatorProcess(Outside outside, std::shared_ptr<kube::CredentialSource> credentials, Options options)
    : outside_(outside),
      options_(std::move(options)),
      spawner_(std::make_unique<Spawner>(outside_.executor, report_to(outside_.log))),
      client_(outside_.transport, outside_.clock, credentials, options_.client),
      election_client_(outside_.transport, outside_.clock, credentials, options_.client),
      caches_(client_, outside_.random, *spawner_, outside_.log),
      events_(client_, outside_.random, *spawner_, {}) {}

OperatorProcess::~OperatorProcess() {
    spawner_.reset();  // tasks go before what they use
}

void OperatorProcess::start() {
    spawner_->start("operator", run());
}

Task<controllers::Installation> OperatorProcess::installation() {
    for (Duration pause = 500ms;; pause = std::min<Duration>(pause * 2, 15s)) {
        auto found =
            co_await controllers::find_or_make_installation(client_, outside_.random, options_.name_space).attempt();
        if (found.ok()) co_return std::move(*found);
        outside_.log.error("Waiting for the API server", {{key::kError, found.error().message()}});
        co_await sleep_for(outside_.clock, pause);
    }
}

void OperatorProcess::begin(controllers::Installation installation) {
    const kube::LeaseGuard* guard = election_ ? &election_->guard() : nullptr;
    if (election_) leased_ = std::make_unique<kube::LeasedTransport>(outside_.transport, election_->guard());
    net::Transport& transport = leased_ ? static_cast<net::Transport&>(*leased_) : outside_.transport;
    kube::Runtime runtime{outside_.clock, outside_.random,  *spawner_,    client_, caches_,
                          events_,        outside_.metrics, outside_.log, guard};
    controllers_ = std::make_unique<controllers::Controllers>(controllers::Controllers::Setting{
        runtime, outside_.registry, {transport, outside_.clock, outside_.random}, std::move(installation)});
}

Task<> OperatorProcess::run() {
    controllers::Installation found = co_await installation();
    if (options_.election) {
        election_ = std::make_unique<kube::LeaseElection>(election_client_, outside_.random, outside_.log,
                                                          outside_.metrics, *options_.election);
    }
    begin(std::move(found));
    if (!election_) {
        controllers_->start();
        co_return;
    }
    election_->on_leading = [this] { controllers_->start(); };
    election_->on_lost = options_.on_lost;
    co_await election_->run();
}

Task<> OperatorProcess::stop(Duration grace) {
    if (controllers_) controllers_->stop();
    const Instant end = outside_.clock.now() + grace;
    while (!at_rest() && outside_.clock.now() < end) co_await sleep_for(outside_.clock, 20ms);
    if (election_ && election_->is_leader()) co_await election_->release();
}

bool OperatorProcess::ready() const {
    return controllers_ != nullptr && controllers_->synced();
}

std::string OperatorProcess::trouble() const {
    if (controllers_ == nullptr) return "the installation was not read yet";
    return caches_.trouble();
}

kube::AdmissionAnswer OperatorProcess::judge(const kube::AdmissionCall& call) const {
    return controllers_ == nullptr ? kube::AdmissionAnswer() : controllers_->judge(call);
}

bool OperatorProcess::at_rest() const {
    return controllers_ == nullptr || controllers_->at_rest();
}

}  // namespace atl::commands
