#include "test/contract/given.h"

#include "cloud/infrastructure/existing/existing.h"
#include "cloud/infrastructure/local/local.h"
#include "cloud/orchestrator/none/none.h"
#include "cloud/orchestrator/swarm/swarm.h"

namespace atl::contract {

namespace {

using namespace std::chrono_literals;

std::string describe(const Error& error) {
    return std::string(to_string(error.error_class())) + " " + error.reason() + ": " + error.message();
}

}  // namespace

Given::Given(const std::string& bench, const std::string& orchestrator) {
    if (bench == "fake") {
        own_bench_ = fake_bench();
        bench_ = own_bench_.get();
    } else {
        bench_ = real_bench(skip_);
    }
    if (bench_ == nullptr) return;
    topology.infrastructure_name = "local";
    topology.infrastructure = {{"engine", {{"host", bench_->engine_host()}}}};
    open(orchestrator);
}

Given::Given(Bench& bench, nlohmann::json machines, const std::string& orchestrator) : bench_(&bench) {
    topology.infrastructure_name = "existing";
    topology.infrastructure["machines"] = std::move(machines);
    open(orchestrator);
}

void Given::open(const std::string& orchestrator) {
    auto versions = std::make_shared<cloud::docker::Versions>();
    const bool local = topology.infrastructure_name == "local";
    infrastructure_ = local ? cloud::local::make_local(versions) : cloud::existing::make_existing(versions);
    orchestrator_ = orchestrator == "none" ? cloud::none::make_none(versions) : cloud::swarm::make_swarm(versions);
    topology.cluster = "c";
    account.infrastructure = topology.infrastructure;
    const std::string installation = "i-" + bench_->surroundings().random.name_suffix(6);
    cluster = {installation, "cluster-1", "Cluster", "default", "c"};
    stack = {installation, "stack-1", "Stack", "default", "test"};
    owner = {installation, "instance-1", "ServiceInstance", "default", "test-web"};
    cluster_driver = infrastructure_->open(account, orchestrator, bench_->surroundings());
}

Given::~Given() {
    if (up_ && bench_ != nullptr) cluster_down();
}

cloud::Desired Given::cluster_desired() const {
    cloud::Desired desired = infrastructure_->resources(topology).value();
    orchestrator_->extend(desired, topology);
    return desired;
}

Result<Unit> Given::round(cloud::Driver& with, const cloud::Owner& of, const cloud::Desired& desired) {
    const Instant deadline = bench_->surroundings().clock.now() + 30s;
    auto world = bench_->run(with.observe(of, deadline));
    if (!world.ok()) return world.error();
    const cloud::Plan plan = cloud::diff(desired, *world, with.kinds());
    last_plan_.clear();
    for (const cloud::Step& step : plan.steps) {
        last_plan_.push_back(std::string(to_string(step.op)) + " " + step.key.kind + " " + step.key.name);
    }
    auto applied = bench_->run(cloud::apply_all(plan, with, of, deadline));
    if (!applied.ok()) return applied.error();
    return cloud::finished(plan, desired, *world);
}

void Given::rounds(cloud::Driver& with, const cloud::Owner& of, const cloud::Desired& desired, Duration limit) {
    Clock& clock = bench_->surroundings().clock;
    const Instant end = clock.now() + limit;
    Result<Unit> result = round(with, of, desired);
    while (!result.ok() && clock.now() < end && reaction(result.error().error_class()) != Reaction::Stop) {
        bench_->pass_time(200ms);
        result = round(with, of, desired);
    }
    if (!result.ok()) ADD_FAILURE() << "not finished: " << describe(result.error());
}

void Given::cluster_up() {
    up_ = true;
    rounds(*cluster_driver, cluster, cluster_desired(), 30s);
    const auto world = bench_->run(cluster_driver->observe(cluster, bench_->surroundings().clock.now() + 10s));
    ASSERT_TRUE(world.ok()) << describe(world.error());
    auto found = orchestrator_->endpoint(*world);
    ASSERT_TRUE(found.ok()) << describe(found.error());
    endpoint = *found;
    driver = orchestrator_->connect(endpoint, bench_->surroundings());
    share();
}

void Given::cluster_down() {
    if (driver) {
        remove_workloads();
        unshare();
    }
    rounds(*cluster_driver, cluster, cloud::nothing(), 30s);
    up_ = false;
}

void Given::share() {
    rounds(*driver, stack, orchestrator_->shared("test", endpoint), 30s);
}

void Given::unshare() {
    rounds(*driver, stack, cloud::nothing(), 30s);
}

Result<Unit> Given::pass(const std::vector<cloud::Workload>& workloads) {
    auto desired = orchestrator_->translate(workloads, endpoint);
    if (!desired.ok()) return desired.error();
    return round(*driver, owner, *desired);
}

void Given::converge(const std::vector<cloud::Workload>& workloads, Duration limit) {
    auto desired = orchestrator_->translate(workloads, endpoint);
    ASSERT_TRUE(desired.ok()) << describe(desired.error());
    rounds(*driver, owner, *desired, limit);
}

cloud::WorkloadStatus Given::until(const std::vector<cloud::Workload>& workloads, cloud::WorkloadStatus::Phase phase,
                                   Duration limit) {
    Clock& clock = bench_->surroundings().clock;
    const Instant end = clock.now() + limit;
    cloud::WorkloadStatus status;
    while (clock.now() < end) {
        const auto result = pass(workloads);
        if (!result.ok() && !result.error().is_waiting()) ADD_FAILURE() << describe(result.error());
        status = orchestrator_->status(workloads, observe()).front();
        if (status.phase == phase && last_plan_.empty()) return status;
        if (status.phase == phase && phase != cloud::WorkloadStatus::Phase::Done) return status;
        bench_->pass_time(300ms);
    }
    ADD_FAILURE() << "phase not reached; message: " << status.message;
    return status;
}

void Given::remove_workloads() {
    rounds(*driver, owner, cloud::nothing(), 60s);
}

cloud::World Given::observe() {
    auto world = bench_->run(driver->observe(owner, bench_->surroundings().clock.now() + 10s));
    if (!world.ok()) ADD_FAILURE() << describe(world.error());
    return world.ok() ? *world : cloud::World{};
}

cloud::Plan Given::plan(const std::vector<cloud::Workload>& workloads) {
    auto desired = orchestrator_->translate(workloads, endpoint);
    return desired.ok() ? cloud::diff(*desired, observe(), driver->kinds()) : cloud::Plan{};
}

cloud::Workload Given::page(const std::string& name) const {
    cloud::Workload workload = sleeper(name);
    workload.args = {"httpd", "-f", "-p", "80", "-h", "/www"};
    workload.ports = {{"http", 80, "TCP"}};
    return workload;
}

cloud::Workload Given::sleeper(const std::string& name) const {
    cloud::Workload workload;
    workload.path = workload.name = name;
    workload.group = "test";
    workload.hash_key = "key";
    workload.image = "busybox:local";
    workload.command = {"/bin/busybox"};
    workload.args = {"sleep", "100000"};
    workload.stop_grace = 1s;
    workload.rollout.monitor = 1s;
    return workload;
}

}  // namespace atl::contract
