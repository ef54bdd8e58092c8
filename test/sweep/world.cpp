#include "test/sweep/world.h"

#include <stdexcept>
#include <utility>

#include "cloud/docker/client.h"
#include "cloud/infrastructure/local/local.h"
#include "cloud/orchestrator/swarm/swarm.h"
#include "controllers/types.h"
#include "operator/commands/operator_process.h"

namespace atl::sweep {

namespace {

using namespace std::chrono_literals;

constexpr const char* kEngine = "unix:///var/run/docker.sock";

bool is_write(const net::Request& request) {
    return request.method != "GET" && request.method != "HEAD";
}

/// Whether a write to the API server tells of the operator's doings only, and so may come at any time.
bool is_telling(const net::Request& request) {
    return request.target.find("/events") != std::string::npos || request.target.find("/leases") != std::string::npos;
}

}  // namespace

/// Plants a bug: changes what the operator sends.
class World::Tampering final : public net::Transport {
public:
    Tampering(net::Transport& transport, World& world) : transport_(transport), world_(world) {}
    Task<net::Response> send(net::Request request, net::Limits limits) override {
        if (world_.tamper) world_.tamper(request);
        return transport_.send(std::move(request), limits);
    }
    Task<net::StreamResponse> open(net::Request request, net::Limits limits) override {
        if (world_.tamper) world_.tamper(request);
        return transport_.open(std::move(request), limits);
    }

private:
    net::Transport& transport_;
    World& world_;
};

World::World(std::uint64_t seed)
    : loop_(seed),
      network_(loop_),
      api_(std::make_unique<ApiOnDisk>(loop_, network_)),
      engine_(std::make_unique<fakes::FakeEngine>(loop_)),
      transport_(std::make_unique<sim::SimTransport>(network_)),
      tampering_(std::make_unique<Tampering>(*transport_, *this)),
      user_transport_(network_),
      view_(loop_, user_transport_) {
    auto versions = std::make_shared<cloud::docker::Versions>();
    registry_.infrastructures["local"] = cloud::local::make_local(versions);
    registry_.orchestrators["swarm"] = cloud::swarm::make_swarm(versions);
    engine_->world().images.insert("atoll-demo:1");
    network_.serve(kEngine, engine_.get());
    transport_->fault = [this](const sim::Call& call, sim::Point point) { return watch(call, point); };
    transport_->crash = [this] { loop_.post([this] { crash(); }); };
}

World::~World() {
    process_.reset();
    network_.serve(kEngine, nullptr);
    user_.reset();
    api_.reset();
}

void World::boot(Operator which) {
    api_->start();
    user_ = std::make_unique<kube::Client>(user_transport_, loop_, api_->credentials());
    view_.add_strangers();
    const auto installed = sim::run(loop_, commands::install(*user_, "atoll-system"));
    if (!installed.ok()) throw std::runtime_error("install: " + installed.error().message());
    if (which == Operator::None) return;
    start_operator();
    run_for(10s);
}

void World::start_operator() {
    const commands::OperatorProcess::Outside outside{loop_,           loop_,       loop_.random(), *tampering_,
                                                     Metrics::none(), Log::none(), registry_};
    process_ =
        std::make_unique<commands::OperatorProcess>(outside, api_->credentials(), commands::OperatorProcess::Options{});
    process_->start();
}

void World::crash() {
    process_.reset();
    ++crashes;
    loop_.call_at(loop_.now() + 1s, [this] { start_operator(); });
}

/// Rules that hold at each call: what is created belongs to an object that has its finalizer and owner id already (I5).
sim::Fault World::watch(const sim::Call& call, sim::Point point) {
    const bool to_engine = call.request.endpoint.to_string() == kEngine;
    if (point == sim::Point::BeforeSend && is_write(call.request)) {
        if (to_engine) ++engine_writes_;
        if (!to_engine && !is_telling(call.request)) ++api_writes_;
    }
    const std::string& body = call.request.body;
    if (!to_engine && point == sim::Point::EffectDone && body.find("atoll.dev/owner-id") != std::string::npos) {
        const std::size_t value = body.find(':', body.find("atoll.dev/owner-id"));
        const std::size_t begin = body.find('"', value) + 1;
        recorded_owners_.insert(body.substr(begin, body.find('.', begin) - begin));
    }
    const std::size_t label = body.find("\"dev.atoll.owner\":\"");
    if (to_engine && point == sim::Point::BeforeSend && is_write(call.request) && label != std::string::npos) {
        const std::size_t begin = label + sizeof("\"dev.atoll.owner\":\"") - 1;
        const std::string owner = body.substr(begin, body.find('"', begin) - begin);
        if (!recorded_owners_.contains(owner)) violate("I5: " + call.request.target + " for an owner without a record");
    }
    return fault ? fault(call, point) : sim::Fault::None;
}

bool World::until(const std::function<bool()>& predicate, Duration limit) {
    const Instant end = loop_.now() + limit;
    while (loop_.now() < end) {
        if (predicate()) return true;
        loop_.run_for(100ms);
        if (transport_->calls() > call_limit_) {
            violate("I8: the operator runs in circles");
            return false;
        }
    }
    return predicate();
}

void World::run_for(Duration duration) {
    until([] { return false; }, duration);
}

void World::apply(const nlohmann::json& object) {
    nlohmann::json placed = object;
    placed["metadata"]["namespace"] = "default";
    const std::string kind = object["kind"];
    const auto type = kind == "Cluster"     ? controllers::types::kCluster
                      : kind == "Stack"     ? controllers::types::kStack
                      : kind == "ConfigMap" ? controllers::types::kConfigMap
                      : kind == "Secret"    ? controllers::types::kSecret
                                            : controllers::types::kServiceInstance;
    const kube::Target target(type, kube::ObjectKey("default", object["metadata"]["name"].get<std::string>()));
    const auto applied =
        sim::run(loop_, user_->apply(target, placed, kube::ApplyOptions{"person", kube::Takeover::Force}));
    if (!applied.ok()) throw std::runtime_error("apply " + kind + ": " + applied.error().message());
}

void World::merge(const kube::ResourceType& type, const std::string& name, const nlohmann::json& patch) {
    const kube::Target target(type, kube::ObjectKey("default", name));
    const auto patched = sim::run(loop_, user_->merge_patch(target, patch, "person"));
    if (!patched.ok()) throw std::runtime_error("patch " + name + ": " + patched.error().message());
}

void World::remove(const kube::ResourceType& type, const std::string& name) {
    const kube::Target target(type, kube::ObjectKey("default", name));
    const auto removed = sim::run(loop_, user_->remove(target));
    if (!removed.ok()) throw std::runtime_error("delete " + name + ": " + removed.error().message());
}

std::optional<nlohmann::json> World::find(const kube::ResourceType& type, const std::string& name) {
    const auto found = sim::run(loop_, user_->find(kube::Target(type, kube::ObjectKey("default", name))));
    if (!found.ok() || !*found) return std::nullopt;
    return (**found).json();
}

std::vector<nlohmann::json> World::list(const kube::ResourceType& type) {
    std::vector<nlohmann::json> objects;
    const auto page = sim::run(loop_, user_->list(kube::Scope(type, "default")));
    if (!page.ok()) return objects;
    for (const kube::Object& object : page->objects) objects.push_back(object.json());
    return objects;
}

}  // namespace atl::sweep
