#include "test/fakes/fake_swarm.h"

#include <algorithm>

#include "operator/base/base64.h"

namespace atl::fakes {

namespace {

using namespace std::chrono_literals;

constexpr const char* kNotManager =
    "This node is not a swarm manager. Use \"docker swarm init\" or \"docker swarm join\" to connect this node to "
    "swarm and "
    "try again.";

std::string rpc(const std::string& code, const std::string& text) {
    return "rpc error: code = " + code + " desc = " + text;
}

/// What a reader asks for with insertDefaults=true.
void insert_defaults(Json& spec) {
    Json& copies = spec["TaskTemplate"];
    if (!copies["ContainerSpec"].contains("DNSConfig")) copies["ContainerSpec"]["DNSConfig"] = Json::object();
    for (const char* part : {"Resources", "Placement"}) {
        if (!copies.contains(part)) copies[part] = Json::object();
    }
    if (spec.contains("RollbackConfig")) return;
    spec["RollbackConfig"] = {{"Parallelism", 1},
                              {"FailureAction", "pause"},
                              {"Monitor", 5000000000},
                              {"MaxFailureRatio", 0},
                              {"Order", "stop-first"}};
}

bool matches_name(const FakeRequest& request, const std::string& name) {
    const auto filters = request.filters();
    const auto wanted = filters.find("name");
    if (wanted == filters.end()) return true;
    // By prefix: that is what the engine does.
    return std::ranges::any_of(wanted->second, [&](const std::string& prefix) { return name.starts_with(prefix); });
}

bool matches_labels(const FakeRequest& request, const Json& labels) {
    const auto filters = request.filters();
    const auto wanted = filters.find("label");
    return wanted == filters.end() || has_labels(labels, wanted->second);
}

}  // namespace

FakeSwarm::FakeSwarm(FakeTimers& timers, FakeWorld& world, FakeEventSink on_event)
    : timers_(timers), world_(world), on_event_(std::move(on_event)) {}

std::optional<FakeReply> FakeSwarm::answer(const FakeRequest& request) {
    if (request.path.empty()) return std::nullopt;
    const std::string& what = request.path[0];
    if (what == "swarm") return answer_swarm(request);
    if (what == "networks") return answer_networks(request);
    const bool ours =
        what == "configs" || what == "secrets" || what == "services" || what == "tasks" || what == "nodes";
    if (!ours) return std::nullopt;
    if (!active_) return refuse(503, kNotManager);
    if (what == "services") return answer_services(request);
    if (what == "tasks") return list_copies(request);
    if (what == "nodes") return list_machines();
    return answer_files(request, what == "configs" ? "config" : "secret");
}

FakeReply FakeSwarm::answer_swarm(const FakeRequest& request) {
    const std::string verb = request.path.size() > 1 ? request.path[1] : "";
    if (request.is("POST", 2) && verb == "init") {
        if (active_) {
            return refuse(
                503,
                "This node is already part of a swarm. Use \"docker swarm leave\" to leave this swarm and join "
                "another one.");
        }
        active_ = true;
        ++effects;
        id_ = fake_id("swarm", next_id_++, 25);
        machine_id_ = fake_id("node", next_id_++, 25);
        spec_ = request.body.value("Spec", Json::object());
        address_ = request.body.value("AdvertiseAddr", "127.0.0.1");
        return {200, machine_id_};
    }
    if (!active_) return refuse(503, kNotManager);
    if (request.is("POST", 2) && verb == "leave") {
        if (request.query.count("force") == 0)
            return refuse(503, "You are attempting to leave the swarm on a node that is participating as a manager.");
        active_ = false;
        ++effects;
        std::erase_if(networks_, [](const auto& entry) { return entry.second.body["Scope"] == "swarm"; });
        files_.clear();
        services_.clear();
        copies_.clear();
        return {200, Json()};
    }
    if (request.is("GET", 1)) {
        return {200,
                {{"ID", id_},
                 {"Version", {{"Index", version_}}},
                 {"Spec", spec_},
                 {"JoinTokens", {{"Worker", "SWMTKN-w"}, {"Manager", "SWMTKN-m"}}}}};
    }
    if (request.is("POST", 2) && verb == "update") {
        const auto given = request.query.find("version");
        if (given == request.query.end() || given->second != std::to_string(version_))
            return refuse(500, rpc("Unknown", "update out of sequence"));
        ++version_;
        ++effects;
        spec_ = request.body;
        return {200, Json()};
    }
    return refuse(404, "page not found");
}

Json FakeSwarm::state() const {
    if (!active_)
        return {{"NodeID", ""}, {"NodeAddr", ""},           {"LocalNodeState", "inactive"}, {"ControlAvailable", false},
                {"Error", ""},  {"RemoteManagers", nullptr}};
    Json state = {{"NodeID", machine_id_},
                  {"NodeAddr", address_},
                  {"LocalNodeState", "active"},
                  {"ControlAvailable", true},
                  {"Error", ""}};
    state["RemoteManagers"] = Json::array({{{"NodeID", machine_id_}, {"Addr", address_ + ":2377"}}});
    state["Cluster"] = {{"ID", id_}, {"Version", {{"Index", version_}}}, {"Spec", spec_}};
    return state;
}

FakeReply FakeSwarm::answer_networks(const FakeRequest& request) {
    if (request.is("POST", 2) && request.path[1] == "create") return create_network(request);
    if (request.is("GET", 1)) {
        Json list = Json::array();
        for (const auto& [id, network] : networks_) {
            if (matches_labels(request, network.body["Labels"]) && matches_name(request, network.name))
                list.push_back(network.body);
        }
        return {200, list};
    }
    if (request.path.size() != 2) return refuse(404, "page not found");
    for (const auto& [id, network] : networks_) {
        if (id != request.path[1] && network.name != request.path[1]) continue;
        if (request.method == "GET") return {200, network.body};
        const std::string user = user_of("Networks", id);
        if (!user.empty())
            return refuse(400, rpc("FailedPrecondition", "network " + id + " is in use by service " + user));
        if (network_in_use && network_in_use(network.name)) {
            return refuse(
                403, "error while removing network: network " + network.name + " id " + id + " has active endpoints");
        }
        ++effects;
        networks_.erase(id);
        return {204, Json()};
    }
    return refuse(404, "network " + request.path[1] + " not found");
}

FakeReply FakeSwarm::create_network(const FakeRequest& request) {
    const std::string name = request.body.value("Name", "");
    const std::string driver = request.body.value("Driver", "bridge");
    const bool overlay = driver == "overlay";
    if (overlay && !active_) return refuse(503, kNotManager);
    for (const auto& [id, network] : networks_) {
        // A bridge of the same name is made all the same, unless the caller asks to look.
        if (network.name == name && (overlay || request.body.value("CheckDuplicate", false))) {
            return refuse(409, "network with name " + name + " already exists");
        }
    }
    ++effects;
    const std::string id = fake_id("network", next_id_++, overlay ? 25 : 64);
    Json body = {{"Name", name},
                 {"Id", id},
                 {"Created", fake_time(timers_.clock())},
                 {"Scope", overlay ? "swarm" : "local"},
                 {"Driver", driver}};
    body["Attachable"] = request.body.value("Attachable", false);
    body["Labels"] = request.body.value("Labels", Json::object());
    networks_[id] = {body, name};
    return {201, {{"Id", id}, {"Warning", ""}}};
}

FakeReply FakeSwarm::create_file(const FakeRequest& request, const std::string& kind) {
    const std::string name = request.body.value("Name", "");
    for (const auto& [id, file] : files_[kind]) {
        if (file.name == name) return refuse(409, rpc("AlreadyExists", kind + " " + name + " already exists"));
    }
    const auto data = decode_base64(request.body.value("Data", ""));
    const std::size_t limit = kind == "secret" ? 512000 : 1024000;
    if (!data || data->empty() || data->size() >= limit) {
        return refuse(400, rpc("InvalidArgument",
                               kind + " data must be larger than 0 and less than " + std::to_string(limit) + " bytes"));
    }
    ++effects;
    const std::string id = fake_id(kind, next_id_++, 25);
    Json spec = {{"Name", name}, {"Labels", request.body.value("Labels", Json::object())}};
    if (kind == "config") spec["Data"] = request.body["Data"];  // a secret's is never given back
    Json body = {{"ID", id}, {"Version", {{"Index", ++raft_}}}, {"Spec", spec}};
    body["CreatedAt"] = body["UpdatedAt"] = fake_time(timers_.clock());
    files_[kind][id] = {body, name};
    return {201, {{"ID", id}}};
}

FakeReply FakeSwarm::answer_files(const FakeRequest& request, const std::string& kind) {
    if (request.is("POST", 2) && request.path[1] == "create") return create_file(request, kind);
    if (request.is("GET", 1)) {
        Json list = Json::array();
        for (const auto& [id, file] : files_[kind]) {
            if (matches_labels(request, file.body["Spec"]["Labels"])) list.push_back(file.body);
        }
        return {200, list};
    }
    for (auto& [id, file] : files_[kind]) {
        if (id != request.path[1] && file.name != request.path[1]) continue;
        if (request.is("GET", 2)) return {200, file.body};
        if (request.is("POST", 3)) return update_file(request, kind, file);
        const std::string user = user_of(kind == "secret" ? "Secrets" : "Configs", id);
        if (!user.empty()) {
            const std::string name = find_service(user)->name;
            return refuse(
                400, rpc("InvalidArgument", kind + " '" + file.name + "' is in use by the following service: " + name));
        }
        ++effects;
        files_[kind].erase(id);
        return {204, Json()};
    }
    return refuse(404, kind + " " + request.path[1] + " not found");
}

FakeReply FakeSwarm::update_file(const FakeRequest& request, const std::string& kind, Thing& thing) {
    const Json& spec = thing.body["Spec"];
    const bool same_data = !request.body.contains("Data") || (kind == "config" && request.body["Data"] == spec["Data"]);
    if (request.body.value("Name", "") != thing.name || !same_data) {
        return refuse(400, rpc("InvalidArgument", "only updates to Labels are allowed"));
    }
    thing.body["Spec"]["Labels"] = request.body.value("Labels", Json::object());
    thing.body["Version"]["Index"] = ++raft_;
    return {200, Json()};
}

std::string FakeSwarm::user_of(const std::string& member, const std::string& id) const {
    const std::string field = member == "Networks" ? "Target" : member.substr(0, member.size() - 1) + "ID";
    for (const auto& [service_id, service] : services_) {
        const Json& copies = service.spec["TaskTemplate"];
        const Json& holder = member == "Networks" ? copies : copies["ContainerSpec"];
        if (!holder.contains(member)) continue;
        for (const Json& use : holder[member]) {
            if (use.value(field, "") == id) return service_id;
        }
    }
    return "";
}

FakeSwarm::Service* FakeSwarm::find_service(const std::string& name_or_id) {
    for (auto& [id, service] : services_) {
        if (id == name_or_id || service.name == name_or_id) return &service;
    }
    return nullptr;
}

const FakeSwarm::Service* FakeSwarm::find_service(const std::string& name_or_id) const {
    return const_cast<FakeSwarm*>(this)->find_service(name_or_id);
}

FakeReply FakeSwarm::answer_services(const FakeRequest& request) {
    if (request.is("POST", 2) && request.path[1] == "create") return create_service(request);
    const bool with_status = request.query.count("status") > 0;
    if (request.is("GET", 1)) {
        Json list = Json::array();
        for (const auto& [id, service] : services_) {
            const bool fits = matches_labels(request, service.spec["Labels"]) && matches_name(request, service.name);
            if (fits) list.push_back(service_json(service, with_status));
        }
        return {200, list};
    }
    Service* service = find_service(request.path[1]);
    if (service == nullptr) return refuse(404, "service " + request.path[1] + " not found");
    if (request.is("GET", 2)) {
        Json json = service_json(*service, with_status);
        if (request.query.contains("insertDefaults")) insert_defaults(json["Spec"]);
        return {200, json};
    }
    if (request.is("DELETE", 2)) return remove_service(*service);
    if (request.is("POST", 3) && request.path[2] == "update") return update_service(request, *service);
    return refuse(404, "page not found");
}

Json FakeSwarm::service_json(const Service& service, bool with_status) const {
    Json json = {{"ID", service.id}, {"Version", {{"Index", service.version}}}, {"Spec", service.spec}};
    json["CreatedAt"] = service.created;
    json["UpdatedAt"] = service.updated;
    if (!service.previous.is_null()) json["PreviousSpec"] = service.previous;
    if (!service.update.empty()) json["UpdateStatus"] = service.update;
    json["Endpoint"]["Spec"] = Json::object();
    if (!with_status) return json;
    int runs = 0;
    for (const auto& [id, copy] : copies_) {
        if (copy.service == service.id && copy.desired == "running" && copy.state == "running") ++runs;
    }
    const int wanted = service.spec["Mode"]["Replicated"].value("Replicas", 0);
    json["ServiceStatus"] = {{"RunningTasks", runs}, {"DesiredTasks", wanted}, {"CompletedTasks", 0}};
    return json;
}

std::vector<std::string> FakeSwarm::contents() const {
    std::vector<std::string> names;
    for (const auto& [id, service] : services_) names.push_back("service " + service.name);
    for (const auto& [id, network] : networks_) names.push_back("network " + network.name);
    for (const auto& [kind, files] : files_) {
        for (const auto& [id, file] : files) names.push_back(kind + " " + file.name);
    }
    for (const auto& [id, copy] : copies_) names.push_back("copy " + id + " " + copy.state);
    if (active_) names.push_back("swarm " + id_);
    std::ranges::sort(names);
    return names;
}

}  // namespace atl::fakes
