#include "test/sweep/replica.h"

#include <utility>

namespace atl::sweep {

namespace {

bool is_work(const net::Request& request) {
    return request.method != "GET" && request.method != "HEAD" && request.target.find("/leases") == std::string::npos;
}

}  // namespace

Replica::Replica(World& world, std::string name, std::size_t shards)
    : world_(world), computer_(world.loop()), transport_(world.network()), way_out_(computer_.through(transport_)) {
    transport_.fault = [this](const sim::Call& call, sim::Point point) {
        if (point == sim::Point::BeforeSend && is_work(call.request)) {
            writes.emplace_back(world_.loop().now(), call.request.method + " " + call.request.target);
        }
        return fault ? fault(call, point) : sim::Fault::None;
    };
    commands::OperatorProcess::Options options;
    options.election.emplace();
    options.election->key = kube::ObjectKey("atoll-system", "atoll");
    options.election->identity = name + "_" + name;
    options.shards = shards;
    // The process ends: its exit is not from within one of its own tasks.
    options.on_lost = [this] {
        lost_ = true;
        world_.loop().post([this] { process_.reset(); });
    };
    const commands::OperatorProcess::Outside outside{computer_,       computer_,   world.loop().random(), *way_out_,
                                                     Metrics::none(), Log::none(), world.registry()};
    process_ = std::make_unique<commands::OperatorProcess>(outside, world.credentials(), options);
    process_->start();
}

Replica::~Replica() {
    process_.reset();
}

void Replica::crash() {
    process_.reset();
}

Duration Replica::end() {
    using namespace std::chrono_literals;
    const Instant begun = world_.loop().now();
    const auto ended = sim::run(world_.loop(), process_->stop(8s));
    if (!ended.ok()) world_.violate("stop: " + ended.error().message());
    process_.reset();
    return world_.loop().now() - begun;
}

bool Replica::covers(const kube::ObjectKey& key) const {
    return process_ && process_->guard()->covers(key);
}

}  // namespace atl::sweep
