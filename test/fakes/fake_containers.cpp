#include "test/fakes/fake_containers.h"

#include <algorithm>

namespace atl::fakes {

namespace {

using namespace std::chrono_literals;

Json member(const Json& tree, std::initializer_list<const char*> path) {
    const Json* value = &tree;
    for (const char* step : path) {
        if (!value->is_object() || !value->contains(step)) return {};
        value = &(*value)[step];
    }
    return *value;
}

}  // namespace

FakeContainers::FakeContainers(FakeTimers& timers, FakeWorld& world, FakeEventSink on_event)
    : timers_(timers), world_(world), on_event_(std::move(on_event)) {}

FakeContainers::Container* FakeContainers::find(const std::string& name_or_id) {
    for (auto& [id, container] : containers_) {
        if (id == name_or_id || container.name == name_or_id) return &container;
    }
    return nullptr;
}

std::optional<FakeReply> FakeContainers::answer(const FakeRequest& request) {
    if (request.path.empty() || request.path[0] != "containers") return std::nullopt;
    if (request.is("POST", 2) && request.path[1] == "create") return create(request);
    if (request.is("GET", 2) && request.path[1] == "json") {
        const auto filters = request.filters();
        const auto labels = filters.find("label");
        Json list = Json::array();
        for (const auto& [id, container] : containers_) {
            const bool shown = request.query.count("all") > 0 || container.state == "running";
            const Json own = container.given.value("Labels", Json::object());
            if (shown && (labels == filters.end() || has_labels(own, labels->second)))
                list.push_back(summary(container));
        }
        return FakeReply{200, list};
    }
    if (request.path.size() < 2) return refuse(404, "page not found");
    Container* container = find(request.path[1]);
    if (container == nullptr) return refuse(404, "No such container: " + request.path[1]);
    if (request.is("DELETE", 2)) return remove(request, *container);
    if (request.is("GET", 3) && request.path[2] == "json") return FakeReply{200, inspect(*container)};
    if (request.is("POST", 3) && request.path[2] == "start") return start(*container);
    if (request.is("POST", 3) && request.path[2] == "stop") return stop(*container);
    if (request.is("PUT", 3) && request.path[2] == "archive") {
        ++effects;
        container->archive = request.text;
        return FakeReply{200, Json()};
    }
    return refuse(404, "page not found");
}

FakeReply FakeContainers::create(const FakeRequest& request) {
    const auto name = request.query.find("name");
    const std::string image = request.body.value("Image", "");
    if (!world_.images.contains(image)) return refuse(404, "No such image: " + image);
    Container container;
    container.id = fake_id("plain", next_id_++, 64);
    container.name = name == request.query.end() ? container.id.substr(0, 12) : name->second;
    if (const Container* other = find(container.name)) {
        return refuse(409, "Conflict. The container name \"/" + container.name +
                               "\" is already in use by container \"" + other->id +
                               "\". You have to remove (or rename) that container to be able to reuse that name.");
    }
    ++effects;
    container.given = request.body;
    container.address = "172.20.0." + std::to_string(next_id_ % 250 + 2);
    for (const Json& mount : member(request.body, {"HostConfig", "Mounts"})) {
        if (on_volume && mount.contains("Source"))
            on_volume(mount["Source"], member(mount, {"VolumeOptions", "Labels"}));
    }
    const std::string id = container.id;
    containers_.emplace(id, std::move(container));
    return {201, {{"Id", id}, {"Warnings", Json::array()}}};
}

std::vector<int> FakeContainers::ports_of(const Container& container) const {
    std::vector<int> ports;
    const Json bindings = member(container.given, {"HostConfig", "PortBindings"});
    if (!bindings.is_object()) return ports;
    for (const auto& binding : bindings.items()) {
        for (const Json& host : binding.value()) ports.push_back(std::stoi(host.value("HostPort", "0")));
    }
    return ports;
}

FakeReply FakeContainers::start(Container& container) {
    if (container.state == "running") return {304, Json()};
    const Json networks = member(container.given, {"NetworkingConfig", "EndpointsConfig"});
    if (networks.is_object()) {
        for (const auto& network : networks.items()) {
            if (has_network && !has_network(network.key()))
                return refuse(404, "network " + network.key() + " not found");
        }
    }
    for (const int port : ports_of(container)) {
        const bool taken = world_.taken_ports.contains(port) || listens(port);
        if (!taken) continue;
        container.error = "driver failed programming external connectivity on endpoint " + container.name +
                          ": Bind for 0.0.0.0:" + std::to_string(port) + " failed: port is already allocated";
        return refuse(500, container.error);
    }
    ++effects;
    live(container);
    return {204, Json()};
}

void FakeContainers::live(Container& container) {
    container.state = "running";
    container.error.clear();
    container.started = fake_time(timers_.clock());
    const std::string id = container.id;
    const int life = ++container.life;
    on_event_("start", id, container.given.value("Labels", Json::object()));
    const Json test = member(container.given, {"Healthcheck", "Test"});
    container.health = test.is_array() ? "starting" : "";
    if (test.is_array()) {
        const bool healthy = exit_code_of(test, {}) < 0;
        timers_.after(1s, [this, id, life, healthy] {
            Container* checked = find(id);
            if (checked == nullptr || checked->life != life || checked->state != "running") return;
            checked->health = healthy ? "healthy" : "unhealthy";
            on_event_("health_status: " + checked->health, id, checked->given.value("Labels", Json::object()));
        });
    }
    const int code = exit_code_of(container.given.value("Entrypoint", Json()), container.given.value("Cmd", Json()));
    if (code < 0) return;
    timers_.after(200ms, [this, id, life, code] {
        Container* ending = find(id);
        if (ending != nullptr && ending->life == life && ending->state == "running") die(*ending, code);
    });
}

void FakeContainers::die(Container& container, int exit_code) {
    container.exit_code = exit_code;
    container.health.clear();
    on_event_("die", container.id, container.given.value("Labels", Json::object()));
    const std::string policy = member(container.given, {"HostConfig", "RestartPolicy"}).value("Name", "no");
    if (policy != "unless-stopped" && policy != "always") {
        container.state = "exited";
        return;
    }
    container.state = "restarting";
    const Duration delay = 100ms * (1 << std::min(container.restarts, 9));
    ++container.restarts;
    timers_.after(delay, [this, id = container.id, life = container.life] {
        Container* waiting = find(id);
        if (waiting != nullptr && waiting->life == life && waiting->state == "restarting") live(*waiting);
    });
}

FakeReply FakeContainers::stop(Container& container) {
    if (container.state != "running" && container.state != "restarting") return {304, Json()};
    ++effects;
    const bool ran = container.state == "running";
    container.state = "exited";
    container.exit_code = 143;
    ++container.life;
    if (ran) on_event_("die", container.id, container.given.value("Labels", Json::object()));
    return {204, Json()};
}

FakeReply FakeContainers::remove(const FakeRequest& request, Container& container) {
    const bool forced = request.query.count("force") > 0 && request.query.at("force") != "false";
    if ((container.state == "running" || container.state == "restarting") && !forced) {
        return refuse(409, "You cannot remove a running container " + container.id +
                               ". Stop the container before attempting removal or force remove");
    }
    ++effects;
    on_event_("destroy", container.id, container.given.value("Labels", Json::object()));
    containers_.erase(std::string(container.id));
    return {204, Json()};
}

Json FakeContainers::inspect(const Container& container) const {
    Json state = {{"Status", container.state},
                  {"Running", container.state == "running"},
                  {"Restarting", container.state == "restarting"}};
    state["ExitCode"] = container.exit_code;
    state["Error"] = container.error;
    state["StartedAt"] = container.started;
    if (!container.health.empty()) state["Health"] = {{"Status", container.health}};
    Json json = {
        {"Id", container.id}, {"Name", "/" + container.name}, {"State", state}, {"RestartCount", container.restarts}};
    json["Image"] = "sha256:" + fake_id(container.given.value("Image", ""), 0, 64);
    json["Config"] = {{"Image", container.given.value("Image", "")},
                      {"Labels", container.given.value("Labels", Json::object())}};
    json["HostConfig"] = container.given.value("HostConfig", Json::object());
    Json networks = member(container.given, {"NetworkingConfig", "EndpointsConfig"});
    if (!networks.is_object()) networks = Json::object();
    for (auto& network : networks) network["IPAddress"] = container.state == "running" ? container.address : "";
    json["NetworkSettings"]["Networks"] = networks;
    json["Mounts"] = Json::array();
    for (const Json& mount : member(container.given, {"HostConfig", "Mounts"})) {
        json["Mounts"].push_back(
            {{"Type", "volume"}, {"Name", mount.value("Source", "")}, {"Destination", mount.value("Target", "")}});
    }
    return json;
}

Json FakeContainers::summary(const Container& container) const {
    const Json whole = inspect(container);
    Json json = {
        {"Id", container.id}, {"Names", {"/" + container.name}}, {"Image", container.given.value("Image", "")}};
    json["ImageID"] = whole["Image"];
    json["Labels"] = whole["Config"]["Labels"];
    json["State"] = container.state;
    json["Status"] = container.state;
    json["NetworkSettings"] = whole["NetworkSettings"];
    json["Mounts"] = whole["Mounts"];
    json["Ports"] = Json::array();
    return json;
}

bool FakeContainers::uses_volume(const std::string& name) const {
    return std::ranges::any_of(containers_, [&](const auto& entry) {
        const Json mounts = member(entry.second.given, {"HostConfig", "Mounts"});
        return mounts.is_array() &&
               std::ranges::any_of(mounts, [&](const Json& mount) { return mount.value("Source", "") == name; });
    });
}

bool FakeContainers::uses_network(const std::string& name) const {
    return std::ranges::any_of(containers_, [&](const auto& entry) {
        return entry.second.state == "running" &&
               member(entry.second.given, {"NetworkingConfig", "EndpointsConfig"}).contains(name);
    });
}

bool FakeContainers::kill(const std::string& id, int exit_code) {
    Container* container = find(id);
    if (container == nullptr || container->state != "running") return false;
    die(*container, exit_code);
    return true;
}

void FakeContainers::restart() {
    for (auto& [id, container] : containers_) {
        if (container.state == "running") die(container, 137);
    }
}

int FakeContainers::running() const {
    return static_cast<int>(
        std::ranges::count_if(containers_, [](const auto& entry) { return entry.second.state == "running"; }));
}

bool FakeContainers::listens(int port) const {
    return std::ranges::any_of(containers_, [&](const auto& entry) {
        const auto ports = ports_of(entry.second);
        return entry.second.state == "running" && std::ranges::find(ports, port) != ports.end();
    });
}

std::vector<std::string> FakeContainers::contents() const {
    std::vector<std::string> names;
    for (const auto& [id, container] : containers_) names.push_back("container " + container.name);
    std::ranges::sort(names);
    return names;
}

std::string FakeContainers::archive_of(const std::string& name) const {
    const Container* container = const_cast<FakeContainers*>(this)->find(name);
    return container == nullptr ? "" : container->archive;
}

}  // namespace atl::fakes
