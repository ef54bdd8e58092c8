#include "test/sweep/engine_view.h"

#include <algorithm>

namespace atl::sweep {

namespace {

net::Endpoint engine() {
    net::Endpoint endpoint;
    endpoint.scheme = net::Scheme::Unix;
    endpoint.host = "/var/run/docker.sock";
    return endpoint;
}

nlohmann::json member(const nlohmann::json& tree, std::initializer_list<const char*> path) {
    nlohmann::json at = tree;
    for (const char* name : path) {
        if (!at.is_object() || !at.contains(name)) return nullptr;
        at = nlohmann::json(at[name]);
    }
    return at;
}

std::string text(const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string describe_service(const nlohmann::json& body) {
    const nlohmann::json container = member(body, {"Spec", "TaskTemplate", "ContainerSpec"});
    return " image=" + text(member(container, {"Image"})) + " env=" + member(container, {"Env"}).dump() +
           " command=" + member(container, {"Command"}).dump() + member(container, {"Args"}).dump() +
           " replicas=" + member(body, {"Spec", "Mode", "Replicated", "Replicas"}).dump();
}

}  // namespace

nlohmann::json EngineView::ask(const std::string& method, const std::string& target, const nlohmann::json& body) {
    net::Request request;
    request.endpoint = engine();
    request.method = method;
    request.target = target;
    request.headers.set("Content-Type", "application/json");
    if (!body.is_null()) request.body = body.dump();
    const auto reply = sim::run(loop_, transport_.send(request, {loop_.now() + std::chrono::seconds(10)}));
    if (!reply.ok() || reply->status >= 300) return nullptr;
    return nlohmann::json::parse(reply->body.empty() ? "{}" : reply->body, nullptr, false);
}

nlohmann::json EngineView::get(const std::string& target) {
    return ask("GET", target);
}

void EngineView::post(const std::string& target, const nlohmann::json& body) {
    if (ask("POST", target, body).is_null()) throw std::runtime_error("the fake engine refuses " + target);
}

void EngineView::add_strangers() {
    post("/networks/create", {{"Name", "foreign"}, {"Driver", "bridge"}, {"CheckDuplicate", true}});
    post("/volumes/create", {{"Name", "foreign"}});
}

std::vector<std::string> EngineView::missing_strangers() {
    std::vector<std::string> missing;
    for (const char* target : {"/networks/foreign", "/volumes/foreign"}) {
        if (get(target).is_null()) missing.emplace_back(target);
    }
    return missing;
}

std::vector<EngineView::Thing> EngineView::marked() {
    std::vector<Thing> things;
    auto add = [&](const std::string& kind, const nlohmann::json& list, std::initializer_list<const char*> labels) {
        if (!list.is_array()) return;
        for (const nlohmann::json& body : list) {
            const nlohmann::json found = member(body, labels);
            if (!member(found, {"dev.atoll.owner"}).is_null()) things.push_back({kind, found, body});
        }
    };
    add("service", get("/services"), {"Spec", "Labels"});
    add("config", get("/configs"), {"Spec", "Labels"});
    add("secret", get("/secrets"), {"Spec", "Labels"});
    add("network", get("/networks"), {"Labels"});
    add("volume", member(get("/volumes"), {"Volumes"}), {"Labels"});
    add("swarm", nlohmann::json::array({get("/swarm")}), {"Spec", "Labels"});
    return things;
}

std::vector<std::string> EngineView::describe_marked() {
    std::vector<std::string> lines;
    for (const Thing& thing : marked()) {
        std::string line = thing.kind + " " + text(member(thing.labels, {"dev.atoll.name"})) + " of " +
                           text(member(thing.labels, {"dev.atoll.object"}));
        if (thing.kind == "service") line += describe_service(thing.body);
        lines.push_back(std::move(line));
    }
    std::ranges::sort(lines);
    return lines;
}

std::vector<std::string> EngineView::services() {
    std::vector<std::string> names;
    const nlohmann::json list = get("/services");
    if (!list.is_array()) return names;
    for (const nlohmann::json& service : list) names.push_back(text(member(service, {"Spec", "Name"})));
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> EngineView::marked_keys() {
    std::vector<std::string> keys;
    for (const Thing& thing : marked()) {
        keys.push_back(thing.kind + " " + text(member(thing.labels, {"dev.atoll.owner"})) + " " +
                       text(member(thing.labels, {"dev.atoll.name"})));
    }
    return keys;
}

}  // namespace atl::sweep
