#include <algorithm>
#include <charconv>

#include "test/fakes/fake_swarm.h"

namespace atl::fakes {

namespace {

std::string rpc(const std::string& code, const std::string& text) {
    return "rpc error: code = " + code + " desc = " + text;
}

Json member(const Json& tree, std::initializer_list<const char*> path) {
    const Json* value = &tree;
    for (const char* step : path) {
        if (!value->is_object() || !value->contains(step)) return {};
        value = &(*value)[step];
    }
    return *value;
}

/// As the engine stores a specification: what is empty vanishes.
Json without_empty(const Json& value) {
    if (!value.is_object()) return value;
    Json result = Json::object();
    for (const auto& entry : value.items()) {
        const bool vanishes = entry.value().is_null() || (entry.value().is_array() && entry.value().empty());
        if (!vanishes) result[entry.key()] = without_empty(entry.value());
    }
    return result;
}

void add_defaults(Json& spec) {
    Json& copies = spec["TaskTemplate"];
    copies["ContainerSpec"]["Isolation"] = "default";
    copies["ForceUpdate"] = copies.value("ForceUpdate", 0);
    copies["Runtime"] = "container";
    if (copies.contains("RestartPolicy") && !copies["RestartPolicy"].contains("MaxAttempts")) {
        copies["RestartPolicy"]["MaxAttempts"] = 0;
    }
    if (!spec.contains("Labels")) spec["Labels"] = Json::object();
    if (spec.contains("UpdateConfig") && !spec["UpdateConfig"].contains("MaxFailureRatio")) {
        spec["UpdateConfig"]["MaxFailureRatio"] = 0;
    }
    if (!spec.contains("EndpointSpec")) spec["EndpointSpec"] = {{"Mode", "vip"}};
    if (!spec.contains("Mode")) spec["Mode"]["Replicated"]["Replicas"] = 1;
}

/// Fills a port's defaults in.
void complete_ports(Json& spec) {
    if (!spec["EndpointSpec"].contains("Ports")) return;
    for (Json& port : spec["EndpointSpec"]["Ports"]) {
        if (!port.contains("Protocol")) port["Protocol"] = "tcp";
        if (!port.contains("PublishMode")) port["PublishMode"] = "ingress";
    }
}

}  // namespace

std::optional<FakeReply> FakeSwarm::check_spec(Json& spec) const {
    const Json container = member(spec, {"TaskTemplate", "ContainerSpec"});
    if (!container.is_object()) return refuse(400, rpc("InvalidArgument", "TaskSpec: missing runtime"));
    for (const char* what : {"Secret", "Config"}) {
        const Json files = member(container, {(std::string(what) + "s").c_str()});
        if (!files.is_array()) continue;
        for (const Json& file : files) {
            const auto known = files_.find(what == std::string("Secret") ? "secret" : "config");
            const std::string id = file.value(std::string(what) + "ID", "");
            const bool found = known != files_.end() && known->second.contains(id) &&
                               known->second.at(id).name == file.value(std::string(what) + "Name", "");
            if (!found)
                return refuse(400, rpc("InvalidArgument", std::string("malformed ") +
                                                              (what == std::string("Secret") ? "secret" : "config") +
                                                              " reference"));
        }
    }
    const Json constraints = member(spec, {"TaskTemplate", "Placement", "Constraints"});
    if (constraints.is_array()) {
        for (const Json& constraint : constraints) {
            const std::string text = constraint.get<std::string>();
            if (text.find("==") == std::string::npos && text.find("!=") == std::string::npos) {
                return refuse(500, rpc("Unknown", "constraint expected one operator from ==, !="));
            }
        }
    }
    Json& copies = spec["TaskTemplate"];
    if (copies.contains("Networks")) {
        for (Json& use : copies["Networks"]) {
            const std::string target = use.value("Target", "");
            std::string id;
            for (const auto& [network_id, network] : networks_) {
                if (network_id == target || network.name == target) id = network_id;
            }
            if (id.empty()) return refuse(404, "network " + target + " not found");
            use["Target"] = id;
        }
    }
    const bool dnsrr = member(spec, {"EndpointSpec", "Mode"}) == "dnsrr";
    const Json ports = member(spec, {"EndpointSpec", "Ports"});
    if (dnsrr && ports.is_array()) {
        for (const Json& port : ports) {
            if (port.value("PublishMode", "ingress") == "host") continue;
            return refuse(400, rpc("InvalidArgument",
                                   "EndpointSpec: port published with ingress mode can't be used with dnsrr mode"));
        }
    }
    return std::nullopt;
}

FakeReply FakeSwarm::create_service(const FakeRequest& request) {
    Json spec = without_empty(request.body);
    if (auto refused = check_spec(spec)) return *refused;
    const std::string name = spec.value("Name", "");
    if (find_service(name) != nullptr) {
        return refuse(
            409, rpc("AlreadyExists", "name conflicts with an existing object: service " + name + " already exists"));
    }
    add_defaults(spec);
    complete_ports(spec);
    ++effects;
    Service service;
    service.id = fake_id("service", next_id_++, 25);
    service.name = name;
    service.spec = std::move(spec);
    service.version = ++raft_;
    service.created = service.updated = fake_time(timers_.clock());
    const std::string id = service.id;
    services_.emplace(id, std::move(service));
    work(id);
    return {201, {{"ID", id}}};
}

FakeReply FakeSwarm::update_service(const FakeRequest& request, Service& service) {
    const auto given = request.query.find("version");
    const std::string text = given == request.query.end() ? "" : given->second;
    std::int64_t version = -1;
    std::from_chars(text.data(), text.data() + text.size(), version);
    if (version < 0) {
        return refuse(
            400, "invalid service version '" + text + "': strconv.ParseUint: parsing \"" + text + "\": invalid syntax");
    }
    Json spec = without_empty(request.body);
    if (auto refused = check_spec(spec)) return *refused;
    if (spec.value("Name", "") != service.name)
        return refuse(501, rpc("Unimplemented", "renaming services is not supported"));
    if (!member(spec, {"Mode", "Replicated"}).is_object()) {
        return refuse(501, rpc("Unimplemented", "service mode change is not allowed"));
    }
    if (version != service.version) return refuse(500, rpc("Unknown", "update out of sequence"));
    add_defaults(spec);
    complete_ports(spec);
    ++effects;
    const bool replaces = spec["TaskTemplate"] != service.spec["TaskTemplate"] ||
                          member(spec, {"EndpointSpec", "Ports"}) != member(service.spec, {"EndpointSpec", "Ports"});
    service.previous = service.spec;
    service.spec = std::move(spec);
    service.version = ++raft_;
    service.updated = fake_time(timers_.clock());
    service.update = Json::object();
    ++service.round;
    service.finishing = false;
    bool dirty = replaces;
    for (const auto& [id, copy] : copies_) {
        if (copy.service == service.id && (copy.desired == "running" || copy.desired == "ready") &&
            !copy.is_current(service))
            dirty = true;
    }
    if (dirty) {
        service.update = {
            {"State", "updating"}, {"StartedAt", fake_time(timers_.clock())}, {"Message", "update in progress"}};
    }
    work(service.id);
    return {200, {{"Warnings", nullptr}}};
}

FakeReply FakeSwarm::remove_service(Service& service) {
    ++effects;
    const std::string id = service.id;
    services_.erase(id);
    for (auto& [copy_id, copy] : copies_) {
        if (copy.service == id) stop(copy, "remove");
    }
    return {200, Json()};
}

Json FakeSwarm::copy_json(const Copy& copy) const {
    Json spec = copy.spec;
    spec.erase("Runtime");
    Json status = {
        {"Timestamp", copy.stamp}, {"State", copy.state}, {"Message", copy.message}, {"PortStatus", Json::object()}};
    if (!copy.error.empty()) status["Err"] = copy.error;
    if (!copy.machine.empty()) {
        status["ContainerStatus"] = {
            {"ContainerID", copy.container}, {"PID", copy.state == "running" ? 4242 : 0}, {"ExitCode", copy.exit_code}};
    }
    if (copy.state == "running" && copy.ports.is_array()) {
        Json& ports = status["PortStatus"]["Ports"];
        for (const Json& port : copy.ports) {
            if (port.value("PublishMode", "") != "host") continue;
            ports.push_back(port);
            ports.push_back(port);  // for IPv4 and IPv6
        }
    }
    Json json = {{"ID", copy.id}, {"Version", {{"Index", copy.version}}}, {"Labels", Json::object()}, {"Spec", spec}};
    json["CreatedAt"] = copy.created;
    json["UpdatedAt"] = copy.updated;
    json["ServiceID"] = copy.service;
    json["Slot"] = copy.slot;
    if (!copy.machine.empty()) json["NodeID"] = copy.machine;
    json["Status"] = status;
    json["DesiredState"] = copy.desired;
    if (!spec.contains("Networks")) return json;
    for (const Json& use : spec["Networks"]) {
        const auto network = networks_.find(use.value("Target", ""));
        if (network == networks_.end()) continue;
        Json attachment;
        attachment["Network"] = {{"ID", network->first},
                                 {"Spec",
                                  {{"Name", network->second.name},
                                   {"Labels", network->second.body["Labels"]},
                                   {"DriverConfiguration", {{"Name", "overlay"}}},
                                   {"Attachable", network->second.body["Attachable"]},
                                   {"Scope", "swarm"}}}};
        attachment["Addresses"] = {copy.address + "/24"};
        json["NetworksAttachments"].push_back(attachment);
    }
    return json;
}

FakeReply FakeSwarm::list_copies(const FakeRequest& request) const {
    const auto filters = request.filters();
    std::set<std::string> services;
    if (const auto wanted = filters.find("service"); wanted != filters.end()) {
        for (const std::string& name : wanted->second) {
            const Service* service = find_service(name);
            if (service == nullptr) return refuse(404, "service " + name + " not found");
            services.insert(service->id);
        }
    }
    Json list = Json::array();
    for (const auto& [id, copy] : copies_) {
        if (!services.empty() && !services.contains(copy.service)) continue;
        // By the labels of the service, also after it has gone.
        const auto labels = filters.find("label");
        if (labels != filters.end() && !has_labels(copy.labels, labels->second)) continue;
        list.push_back(copy_json(copy));
    }
    return {200, list};
}

FakeReply FakeSwarm::list_machines() const {
    Json machine = {{"ID", machine_id_},
                    {"Version", {{"Index", 9}}},
                    {"Spec", {{"Labels", Json::object()}, {"Role", "manager"}, {"Availability", "active"}}}};
    machine["Description"] = {{"Hostname", world_.hostname},
                              {"Resources", {{"NanoCPUs", 2000000000}, {"MemoryBytes", 16000000000}}}};
    machine["Status"] = {{"State", "ready"}, {"Addr", address_}};
    machine["ManagerStatus"] = {{"Leader", true}, {"Reachability", "reachable"}, {"Addr", address_ + ":2377"}};
    return {200, Json::array({machine})};
}

bool FakeSwarm::uses_volume(const std::string& name) const {
    return std::ranges::any_of(copies_, [&](const auto& entry) {
        const Json mounts = member(entry.second.spec, {"ContainerSpec", "Mounts"});
        if (!mounts.is_array() || entry.second.container.empty()) return false;
        return std::ranges::any_of(mounts, [&](const Json& mount) { return mount.value("Source", "") == name; });
    });
}

bool FakeSwarm::kill(const std::string& container, int exit_code) {
    for (auto& [id, copy] : copies_) {
        if (copy.container != container || copy.state != "running") continue;
        fail(copy, "failed", "task: non-zero exit (" + std::to_string(exit_code) + ")", exit_code);
        return true;
    }
    return false;
}

Json FakeSwarm::containers(const std::vector<std::string>& labels) const {
    Json list = Json::array();
    for (const auto& [id, copy] : copies_) {
        if (copy.state != "running") continue;
        const Json container = copy.spec["ContainerSpec"];
        Json own = container.value("Labels", Json::object());
        own["com.docker.swarm.task.id"] = id;
        if (!has_labels(own, labels)) continue;
        const std::string image = container.value("Image", "");
        list.push_back({{"Id", copy.container}, {"Image", image}, {"Labels", own}, {"State", "running"}});
        list.back()["ImageID"] = "sha256:" + fake_id(image, 0, 64);
    }
    return list;
}

void FakeSwarm::restart() {
    std::vector<std::string> alive;
    for (const auto& [id, copy] : copies_) {
        if (copy.state == "running" || copy.state == "starting") alive.push_back(id);
    }
    for (const std::string& id : alive) {
        if (Copy* copy = find_copy(id)) fail(*copy, "failed", "task: non-zero exit (137)", 137);
    }
}

int FakeSwarm::running() const {
    return static_cast<int>(
        std::ranges::count_if(copies_, [](const auto& entry) { return entry.second.state == "running"; }));
}

bool FakeSwarm::has_network(const std::string& name_or_id) const {
    return std::ranges::any_of(
        networks_, [&](const auto& entry) { return entry.first == name_or_id || entry.second.name == name_or_id; });
}

bool FakeSwarm::listens(int port) const {
    return std::ranges::any_of(copies_, [&](const auto& entry) {
        if (entry.second.state != "running" || !entry.second.ports.is_array()) return false;
        return std::ranges::any_of(entry.second.ports, [&](const Json& p) {
            return p.value("PublishedPort", 0) == port && p.value("PublishMode", "") == "host";
        });
    });
}

}  // namespace atl::fakes
