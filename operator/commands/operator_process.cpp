#include "operator/commands/operator_process.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/types.h"

namespace atl::commands {

namespace {

using namespace std::chrono_literals;

// For passes to end by themselves when the process is to stop: a hand-over takes at most 2 s.
constexpr Duration kSoftStop = 1500ms;
constexpr Duration kStopLook = 20ms;

Spawner::OnFailure report_to(const Log& log) {
    return [log](const std::string& name, const Error& error, bool) {
        log.error("Losing a task", {{key::kName, name}, {key::kError, error.message()}});
    };
}

/// A part of a Lease's name that no other process has: the end of the identity, which is random. A host's name before
/// it may have anything in it.
std::string member_name(const std::string& identity) {
    return identity.substr(identity.rfind('_') + 1);
}

}  // namespace

OperatorProcess::OperatorProcess(Outside outside, std::shared_ptr<kube::CredentialSource> credentials, Options options)
    : outside_(outside),
      options_(std::move(options)),
      spawner_(std::make_unique<Spawner>(outside_.executor, report_to(outside_.log))),
      election_spawner_(std::make_unique<Spawner>(outside_.executor, report_to(outside_.log))),
      election_client_(outside_.transport, outside_.clock, credentials, options_.client),
      election_(make_election()),
      shards_(make_shards()),
      leased_(guard() ? std::make_unique<kube::LeasedTransport>(outside_.transport, *guard()) : nullptr),
      client_(way_out(), outside_.clock, credentials, options_.client),
      caches_(client_, outside_.random, *spawner_, outside_.log),
      events_(client_, outside_.random, *spawner_, {}) {}

OperatorProcess::~OperatorProcess() {
    spawner_.reset();  // tasks go before what they use
    election_spawner_.reset();
}

std::unique_ptr<kube::LeaseElection> OperatorProcess::make_election() {
    if (!options_.election || options_.shards > 0) return nullptr;
    auto election = std::make_unique<kube::LeaseElection>(election_client_, outside_.random, outside_.log,
                                                          outside_.metrics, *options_.election);
    election->on_leading = [this] { controllers_->start(); };
    election->on_lost = options_.on_lost;
    return election;
}

std::unique_ptr<kube::Shards> OperatorProcess::make_shards() {
    if (!options_.election || options_.shards == 0) return nullptr;
    kube::ShardOptions shards{options_.shards, member_name(options_.election->identity), *options_.election};
    return std::make_unique<kube::Shards>(election_client_, outside_.random, outside_.executor, outside_.log,
                                          outside_.metrics, std::move(shards));
}

const kube::WorkGuard* OperatorProcess::guard() const {
    if (shards_) return shards_.get();
    return election_ ? &election_->guard() : nullptr;
}

net::Transport& OperatorProcess::way_out() {
    return leased_ ? static_cast<net::Transport&>(*leased_) : outside_.transport;
}

void OperatorProcess::start() {
    spawner_->start("operator", run());
}

Task<controllers::Installation> OperatorProcess::installation() {
    for (Duration pause = 500ms;; pause = std::min<Duration>(pause * 2, 15s)) {
        auto found =
            co_await controllers::find_or_make_installation(election_client_, outside_.random, options_.name_space)
                .attempt();
        if (found.ok()) co_return std::move(*found);
        outside_.log.error("Waiting for the API server", {{key::kError, found.error().message()}});
        co_await sleep_for(outside_.clock, pause);
    }
}

void OperatorProcess::begin(controllers::Installation installation) {
    kube::Runtime runtime{outside_.clock, outside_.random,  *spawner_,    client_, caches_,
                          events_,        outside_.metrics, outside_.log, guard()};
    controllers_ = std::make_unique<controllers::Controllers>(controllers::Controllers::Setting{
        runtime, outside_.registry, {way_out(), outside_.clock, outside_.random}, std::move(installation)});
    follow_installation();
}

/// `atoll move` brings the identity of what it moves, while we run.
void OperatorProcess::follow_installation() {
    kube::Scope scope(controllers::types::kSecret, options_.name_space);
    scope.field_selector = std::string("metadata.name=") + controllers::kInstallationSecret;
    caches_.of(scope).subscribe([this](const kube::Change& change) {
        if (!change.now) return;
        auto read = controllers::installation_in(*change.now);
        if (read.ok()) controllers_->adopt(*std::move(read));
    });
}

Task<> OperatorProcess::run() {
    controllers::Installation found = co_await installation();
    begin(std::move(found));
    if (election_) {
        election_spawner_->start("election", election_->run());
        co_return;
    }
    controllers_->start();
    if (shards_) start_shards();
}

void OperatorProcess::start_shards() {
    using Selection = kube::Shards::Selection;
    kube::Shards::Workers workers;
    workers.take_up = [this](const Selection& which) { controllers_->take_up(which); };
    workers.drop = [this](const Selection& which) { controllers_->drop(which); };
    workers.works_on = [this](const Selection& which) { return controllers_->works_on(which); };
    shards_->start(std::move(workers));
}

Task<> OperatorProcess::stop(Duration grace) {
    if (controllers_) controllers_->stop();
    const Instant begun = outside_.clock.now();
    const Instant soft_end = begun + std::min<Duration>(grace, leased_ ? kSoftStop : grace);
    while (!at_rest() && outside_.clock.now() < soft_end) co_await sleep_for(outside_.clock, kStopLook);
    if (!leased_) co_return;
    // A pass that goes on can only read from here on, so the next one need not wait for its end.
    leased_->shut();
    while (leased_->writes_under_way() > 0 && outside_.clock.now() < begun + grace) {
        co_await sleep_for(outside_.clock, kStopLook);
    }
    election_spawner_.reset();
    if (election_ && election_->is_leader()) co_await election_->release();
    if (shards_) co_await shards_->release();
}

bool OperatorProcess::ready() const {
    return controllers_ != nullptr && controllers_->synced() && !caches_.refused();
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
