#include <algorithm>

#include "test/fakes/fake_swarm.h"

namespace atl::fakes {

namespace {

using namespace std::chrono_literals;

bool is_alive(const std::string& state) {
    return state == "assigned" || state == "preparing" || state == "starting" || state == "running";
}

bool is_over(const std::string& state) {
    return state == "shutdown" || state == "failed" || state == "rejected" || state == "complete";
}

Json member(const Json& tree, std::initializer_list<const char*> path) {
    const Json* value = &tree;
    for (const char* step : path) {
        if (!value->is_object() || !value->contains(step)) return {};
        value = &(*value)[step];
    }
    return *value;
}

Duration nanoseconds(const Json& value, Duration otherwise) {
    return value.is_number() ? Duration(std::chrono::nanoseconds(value.get<std::int64_t>())) : otherwise;
}

std::vector<int> host_ports(const Json& ports) {
    std::vector<int> result;
    if (!ports.is_array()) return result;
    for (const Json& port : ports) {
        if (port.value("PublishMode", "ingress") == "host") result.push_back(port.value("PublishedPort", 0));
    }
    return result;
}

}  // namespace

bool FakeSwarm::Copy::is_current(const Service& s) const {
    return spec == s.spec["TaskTemplate"] && ports == member(s.spec, {"EndpointSpec", "Ports"});
}

FakeSwarm::Copy* FakeSwarm::find_copy(const std::string& id) {
    const auto found = copies_.find(id);
    return found == copies_.end() ? nullptr : &found->second;
}

std::vector<FakeSwarm::Copy*> FakeSwarm::copies_of(const std::string& service, int slot) {
    std::vector<Copy*> found;
    for (auto& [id, copy] : copies_) {
        if (copy.service == service && copy.slot == slot) found.push_back(&copy);
    }
    std::ranges::sort(found, {}, [](const Copy* copy) { return std::pair(copy->created, copy->version); });
    return found;
}

void FakeSwarm::move(Copy& copy, const std::string& state, const std::string& message) {
    copy.state = state;
    copy.message = message;
    copy.version = ++raft_;
    copy.updated = copy.stamp = fake_time(timers_.clock());
}

void FakeSwarm::create_copy(const Service& service, int slot, const std::string& desired) {
    Copy copy;
    copy.id = fake_id("task", next_id_++, 25);
    copy.service = service.id;
    copy.slot = slot;
    copy.spec = service.spec["TaskTemplate"];
    copy.ports = member(service.spec, {"EndpointSpec", "Ports"});
    copy.labels = service.spec["Labels"];
    copy.desired = desired;
    copy.created = fake_time(timers_.clock());
    copy.address = "10.0.8." + std::to_string(next_address_++ % 250 + 2);
    move(copy, "new", "created");
    const std::string id = copy.id;
    copies_.emplace(id, std::move(copy));
    timers_.after(100ms, [this, id] { schedule(id); });
}

std::string FakeSwarm::unplaceable(const Copy& copy) const {
    const Json constraints = member(copy.spec, {"Placement", "Constraints"});
    if (constraints.is_array()) {
        for (const Json& constraint : constraints) {
            const std::string text = constraint.get<std::string>();
            const bool fits = text == "node.role==manager" || text == "node.hostname==" + world_.hostname ||
                              text == "node.id==" + machine_id_;
            if (!fits) return "scheduling constraints not satisfied on 1 node";
        }
    }
    const Json memory = member(copy.spec, {"Resources", "Reservations", "MemoryBytes"});
    if (memory.is_number() && memory.get<std::int64_t>() > 16'000'000'000) return "insufficient resources on 1 node";
    for (const int port : host_ports(copy.ports)) {
        for (const auto& [id, other] : copies_) {
            const auto held = host_ports(other.ports);
            if (id != copy.id && is_alive(other.state) && std::ranges::find(held, port) != held.end()) {
                return "host-mode port already in use on 1 node";
            }
        }
    }
    return "";
}

void FakeSwarm::schedule(const std::string& id) {
    Copy* copy = find_copy(id);
    if (copy == nullptr || (copy->state != "new" && copy->state != "pending")) return;
    const std::string reason = unplaceable(*copy);
    if (!reason.empty()) {
        const std::string error = "no suitable node (" + reason + ")";
        if (copy->error == error) return;
        copy->error = error;
        move(*copy, "pending", "pending task scheduling");
        return;
    }
    copy->error.clear();
    copy->machine = machine_id_;
    move(*copy, "assigned", "scheduler assigned task to node");
    timers_.after(100ms, [this, id] { prepare(id); });
}

void FakeSwarm::prepare(const std::string& id) {
    Copy* copy = find_copy(id);
    if (copy == nullptr || copy->state != "assigned" || copy->stopping) return;
    move(*copy, "preparing", "preparing");
    const std::string image = copy->spec["ContainerSpec"].value("Image", "");
    if (!world_.images.contains(image)) return fail(*copy, "rejected", "No such image: " + image, 0);
    if (copy->desired == "ready") {
        const Duration delay = nanoseconds(member(copy->spec, {"RestartPolicy", "Delay"}), 5s);
        timers_.after(delay, [this, id] {
            Copy* waiting = find_copy(id);
            if (waiting == nullptr || waiting->desired != "ready") return;
            waiting->desired = "running";
            start(id);
        });
        return;
    }
    timers_.after(200ms, [this, id] { start(id); });
}

void FakeSwarm::start(const std::string& id) {
    Copy* copy = find_copy(id);
    if (copy == nullptr || copy->state != "preparing" || copy->stopping) return;
    move(*copy, "starting", "starting");
    copy->container = fake_id("container", next_id_++, 64);
    const Json mounts = member(copy->spec, {"ContainerSpec", "Mounts"});
    if (mounts.is_array() && on_volume) {
        for (const Json& mount : mounts) {
            if (mount.contains("Source")) on_volume(mount["Source"], member(mount, {"VolumeOptions", "Labels"}));
        }
    }
    for (const int port : host_ports(copy->ports)) {
        if (!world_.taken_ports.contains(port)) continue;
        return fail(*copy, "failed",
                    "starting container failed: driver failed programming external connectivity on endpoint: Error "
                    "starting userland proxy: listen tcp4 0.0.0.0:" +
                        std::to_string(port) + ": bind: address already in use",
                    128);
    }
    timers_.after(300ms, [this, id] { run(id); });
}

void FakeSwarm::run(const std::string& id) {
    Copy* copy = find_copy(id);
    if (copy == nullptr || copy->state != "starting" || copy->stopping) return;
    const Json container = copy->spec["ContainerSpec"];
    if (exit_code_of(member(container, {"Healthcheck", "Test"}), {}) > 0) {
        // A check that never passes: the copy stays "starting" until the retries are used up.
        const Duration period = nanoseconds(member(container, {"Healthcheck", "Interval"}), 30s);
        const Json retries = member(container, {"Healthcheck", "Retries"});
        timers_.after(period * (retries.is_number() ? retries.get<int>() : 3), [this, id] {
            Copy* sick = find_copy(id);
            if (sick == nullptr || sick->state != "starting" || sick->stopping) return;
            fail(*sick, "failed", "task: non-zero exit (143): dockerexec: unhealthy container", 143);
        });
        return;
    }
    copy->ran_at = timers_.clock().now();
    move(*copy, "running", "started");
    on_event_("start", copy->container, container.value("Labels", Json::object()));
    const int code = exit_code_of(container.value("Command", Json()), container.value("Args", Json()));
    if (code >= 0) {
        copy->doomed = true;
        timers_.after(100ms, [this, id, code] {
            Copy* ending = find_copy(id);
            if (ending == nullptr || ending->state != "running" || ending->stopping) return;
            fail(*ending, "failed", "task: non-zero exit (" + std::to_string(code) + ")", code);
        });
    }
    work(copy->service);
}

void FakeSwarm::fail(Copy& copy, const std::string& state, const std::string& error, int exit_code) {
    if (copy.state == "running") {
        on_event_("die", copy.container, copy.spec["ContainerSpec"].value("Labels", Json::object()));
    }
    End end{state, error, exit_code};
    if (world_.record_lag == Duration(0)) return record_end(copy.id, end);
    timers_.after(world_.record_lag, [this, id = copy.id, end = std::move(end)] { record_end(id, end); });
}

void FakeSwarm::record_end(const std::string& id, const End& end) {
    Copy* const copy = find_copy(id);
    if (copy == nullptr || is_over(copy->state)) return;
    move(*copy, end.state, copy->message);
    copy->error = end.error;
    copy->exit_code = end.exit_code;
    // The orchestrator learns of it a moment later; until then the record still says that it should run.
    timers_.after(50ms, [this, id] { replace_failed(id); });
}

void FakeSwarm::replace_failed(const std::string& id) {
    Copy* const failed = find_copy(id);
    if (failed == nullptr) return;
    Copy& copy = *failed;
    const auto service = services_.find(copy.service);
    const bool wanted = copy.desired == "running" || copy.desired == "ready";
    if (service == services_.end() || !wanted) return retry_pending();
    copy.desired = "shutdown";
    const int slot = copy.slot;
    const bool current = copy.is_current(service->second);
    create_copy(service->second, slot, "ready");
    if (current) fail_update(service->second, copy);
    prune(service->first);
    work(service->first);
    retry_pending();
}

void FakeSwarm::stop(Copy& copy, const std::string& desired) {
    copy.desired = desired;
    copy.version = ++raft_;
    if (copy.stopping && !is_over(copy.state)) return;  // what is over may still have to be removed
    copy.stopping = true;
    const std::string id = copy.id;
    const bool runs = copy.state == "running";
    const Duration grace = nanoseconds(member(copy.spec, {"ContainerSpec", "StopGracePeriod"}), 10s);
    timers_.after(runs ? std::min<Duration>(grace, 1s) + 500ms : Duration(200ms), [this, id, runs] {
        Copy* stopped = find_copy(id);
        if (stopped == nullptr) return;
        if (!is_over(stopped->state)) {
            move(*stopped, "shutdown", "shutdown");
            stopped->exit_code = runs ? 143 : 0;
            if (runs)
                on_event_("die", stopped->container, stopped->spec["ContainerSpec"].value("Labels", Json::object()));
        }
        const std::string service = stopped->service;
        if (stopped->desired == "remove") copies_.erase(id);
        work(service);
        retry_pending();
    });
}

void FakeSwarm::retry_pending() {
    std::vector<std::string> pending;
    for (const auto& [id, copy] : copies_) {
        if (copy.state == "pending" && !copy.stopping) pending.push_back(id);
    }
    for (const std::string& id : pending) schedule(id);
}

void FakeSwarm::prune(const std::string& service_id) {
    constexpr std::size_t kHistory = 5;
    std::map<int, std::vector<Copy*>> over;
    for (auto& [id, copy] : copies_) {
        if (copy.service == service_id && is_over(copy.state)) over[copy.slot].push_back(&copy);
    }
    for (auto& [slot, copies] : over) {
        std::ranges::sort(copies, {}, [](const Copy* copy) { return std::pair(copy->created, copy->version); });
        for (std::size_t i = 0; i + kHistory < copies.size(); ++i) copies_.erase(copies[i]->id);
    }
}

void FakeSwarm::work(const std::string& service_id) {
    const auto found = services_.find(service_id);
    if (found == services_.end()) return;
    Service& service = found->second;
    const int replicas = member(service.spec, {"Mode", "Replicated", "Replicas"}).get<int>();
    std::set<int> present;
    for (auto& [id, copy] : copies_) {
        if (copy.service != service_id) continue;
        const bool wanted = copy.desired == "running" || copy.desired == "ready";
        if (wanted && is_over(copy.state) && copy.slot <= replicas) present.insert(copy.slot);  // replace_failed comes
        if (copy.slot > replicas && (wanted || copy.desired == "shutdown")) stop(copy, "remove");
        // A slot is free only when its last copy has really stopped.
        if (wanted || (copy.stopping && !is_over(copy.state))) present.insert(copy.slot);
    }
    for (int slot = 1; slot <= replicas; ++slot) {
        if (!present.contains(slot)) create_copy(service, slot, "running");
    }
    work_update(service);
    prune(service_id);
}

void FakeSwarm::work_update(Service& service) {
    const std::string state = service.update.value("State", "");
    if (state != "updating" && state != "rollback_started") return;
    const int replicas = member(service.spec, {"Mode", "Replicated", "Replicas"}).get<int>();
    const Json config = service.spec.value("UpdateConfig", Json::object());
    int allowed = config.value("Parallelism", service.spec.contains("UpdateConfig") ? 0 : 1);
    if (allowed == 0) allowed = replicas;
    const bool start_first = config.value("Order", "stop-first") == "start-first";
    int in_flight = 0;
    std::vector<Copy*> old;
    for (int slot = 1; slot <= replicas; ++slot) {
        Copy* dirty = nullptr;
        bool has_new = false;
        bool new_runs = false;
        for (Copy* copy : copies_of(service.id, slot)) {
            const bool wanted = copy->desired == "running" || copy->desired == "ready";
            if (!wanted) continue;
            if (!copy->is_current(service))
                dirty = copy;
            else
                has_new = true;
            if (copy->is_current(service) && copy->state == "running" && !copy->doomed) new_runs = true;
        }
        if (dirty != nullptr && new_runs)
            stop(*dirty, "shutdown");
        else if (dirty != nullptr && !has_new)
            old.push_back(dirty);
        else if (!new_runs)
            ++in_flight;
    }
    for (Copy* copy : old) {
        if (in_flight++ >= allowed) return;
        if (start_first)
            create_copy(service, copy->slot, "running");
        else
            stop(*copy, "shutdown");
    }
    if (in_flight == 0) finish_update(service);
}

void FakeSwarm::finish_update(Service& service) {
    if (service.finishing) return;
    service.finishing = true;
    const Duration monitor = nanoseconds(member(service.spec, {"UpdateConfig", "Monitor"}), 5s);
    timers_.after(monitor, [this, id = service.id, round = service.round] {
        const auto found = services_.find(id);
        if (found == services_.end() || found->second.round != round || !found->second.finishing) return;
        Json& update = found->second.update;
        const bool back = update["State"] == "rollback_started";
        update["State"] = back ? "rollback_completed" : "completed";
        update["Message"] = back ? "rollback completed" : "update completed";
        update["CompletedAt"] = fake_time(timers_.clock());
        found->second.version = ++raft_;
    });
}

void FakeSwarm::fail_update(Service& service, const Copy& copy) {
    const std::string state = service.update.value("State", "");
    if (state != "updating" && state != "rollback_started") return;
    const Duration monitor = nanoseconds(member(service.spec, {"UpdateConfig", "Monitor"}), 5s);
    if (copy.ran_at != Instant{} && timers_.clock().now() - copy.ran_at > monitor) return;
    service.finishing = false;
    service.version = ++raft_;
    const std::string action = member(service.spec, {"UpdateConfig"}).value("FailureAction", "pause");
    const std::string due = " due to failure or early termination of task " + copy.id;
    if (action == "continue") return;
    if (state == "rollback_started") {
        service.update["State"] = "rollback_paused";
        service.update["Message"] = "update paused" + due;
    } else if (action == "rollback" && !service.previous.is_null()) {
        // The manager itself rewrites the specification, and forgets what was before it.
        service.spec = service.previous;
        service.previous = Json();
        service.update["State"] = "rollback_started";
        service.update["Message"] = "update rolled back" + due;
    } else {
        service.update["State"] = "paused";
        service.update["Message"] = "update paused" + due;
    }
}

}  // namespace atl::fakes
