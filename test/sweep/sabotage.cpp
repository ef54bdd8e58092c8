#include "test/sweep/sabotage.h"

#include <memory>

namespace atl::sweep {

namespace {

bool to_engine(const net::Request& request) {
    return request.endpoint.scheme == net::Scheme::Unix;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Runs `change` on the JSON body of requests of that method whose target contains `target`.
Tamper on(std::string method, std::string target, bool engine, std::function<void(nlohmann::json&)> change) {
    return [=](net::Request& request) {
        if (request.method != method || to_engine(request) != engine || !has(request.target, target)) return;
        nlohmann::json body = nlohmann::json::parse(request.body, nullptr, false);
        if (body.is_discarded()) return;
        change(body);
        request.body = body.dump();
    };
}

/// Makes requests of that method and target into reads that have no effect: the operator believes that they worked.
Tamper lose(std::string method, std::string target, bool engine, std::string instead) {
    return [=](net::Request& request) {
        if (request.method != method || to_engine(request) != engine || !has(request.target, target)) return;
        request.method = "GET";
        request.target = instead;
        request.body.clear();
    };
}

void walk(nlohmann::json& value, const std::string& key, const std::function<void(nlohmann::json&)>& change) {
    if (value.is_object()) {
        for (auto& [name, member] : value.items()) {
            if (name == key) change(member);
            walk(member, key, change);
        }
    } else if (value.is_array()) {
        for (auto& element : value) walk(element, key, change);
    }
}

void drop_key(nlohmann::json& value, const std::string& key) {
    if (value.is_object()) value.erase(key);
    if (value.is_structured()) {
        for (auto& member : value) drop_key(member, key);
    }
}

/// Appends a number that grows with each request.
Tamper rename_each_time(std::string target) {
    auto count = std::make_shared<int>(0);
    return on("POST", std::move(target), true, [count](nlohmann::json& body) {
        if (body.contains("Name")) body["Name"] = body["Name"].get<std::string>() + "-" + std::to_string(++*count);
    });
}

std::vector<Sabotage> on_records() {
    return {
        {"the finalizer is never written", "delete", false,
         [] {
             return on("PATCH", "", false, [](nlohmann::json& body) {
                 if (body.contains("metadata")) body["metadata"].erase("finalizers");
             });
         }},
        {"the owner id is not written with the finalizer", "create", false,
         [] { return on("PATCH", "", false, [](nlohmann::json& body) { drop_key(body, "atoll.dev/owner-id"); }); }},
        {"a create goes out without our mark", "create", false,
         [] {
             return on("POST", "/services/create", true,
                       [](nlohmann::json& body) { drop_key(body, "dev.atoll.owner"); });
         }},
        {"a network is made without our mark", "delete", false,
         [] {
             return on("POST", "/networks/create", true,
                       [](nlohmann::json& body) { drop_key(body, "dev.atoll.owner"); });
         }},
        {"the graph name is left out of the mark", "create", false,
         [] {
             return on("POST", "/services/create", true,
                       [](nlohmann::json& body) { drop_key(body, "dev.atoll.name"); });
         }},
        {"network names change with each try", "create", true, [] { return rename_each_time("/networks/create"); }},
    };
}

std::vector<Sabotage> on_deletion() {
    return {
        {"services are let go of, not removed", "delete", false,
         [] { return lose("DELETE", "/services/", true, "/v1.41/info"); }},
        {"networks are let go of, not removed", "delete", false,
         [] { return lose("DELETE", "/networks/", true, "/v1.41/info"); }},
        {"the swarm is never left", "delete", false, [] { return lose("POST", "/swarm/leave", true, "/v1.41/info"); }},
        {"ServiceInstances are orphaned by their Stack", "delete", false,
         [] { return lose("DELETE", "/serviceinstances/", false, "/version"); }},
        {"a removal goes by a name that a stranger has", "delete", false,
         [] {
             return Tamper([](net::Request& request) {
                 if (request.method == "DELETE" && to_engine(request) && has(request.target, "/services/")) {
                     request.target = request.target.substr(0, request.target.find("/services/")) + "/services/foreign";
                 }
             });
         }},
        {"the finalizer is never taken off", "delete", false,
         [] {
             return on("PATCH", "", false, [](nlohmann::json& body) {
                 if (body.contains("metadata") && body["metadata"].contains("finalizers") &&
                     (body["metadata"]["finalizers"].is_null() || body["metadata"]["finalizers"].empty())) {
                     body["metadata"].erase("finalizers");
                 }
             });
         }},
    };
}

std::vector<Sabotage> on_change() {
    return {
        {"the mark is lost on update", "scale", false,
         [] { return on("POST", "/update", true, [](nlohmann::json& body) { drop_key(body, "dev.atoll.owner"); }); }},
        {"the command is lost on update", "update", false,
         [] {
             return on("POST", "/update", true, [](nlohmann::json& body) {
                 drop_key(body, "Command");
                 drop_key(body, "Args");
             });
         }},
        {"replicas are never changed", "scale", false,
         [] { return on("POST", "/update", true, [](nlohmann::json& body) { drop_key(body, "Replicas"); }); }},
        {"the environment is lost on update", "update", false,
         [] { return on("POST", "/update", true, [](nlohmann::json& body) { drop_key(body, "Env"); }); }},
        {"the status is never written", "create", false, [] { return lose("PATCH", "/status", false, "/version"); }},
        {"observedGeneration is not written", "scale", false,
         [] {
             return on("PATCH", "/status", false, [](nlohmann::json& body) { drop_key(body, "observedGeneration"); });
         }},
        {"the operator writes into the spec", "create", false,
         [] {
             return on("PATCH", "/stacks/shop", false, [](nlohmann::json& body) {
                 if (!body.contains("status")) body["spec"]["services"][0]["description"] = "changed by the operator";
             });
         }},
        {"each status write differs", "create", false,
         [] {
             auto count = std::make_shared<int>(0);
             return on("PATCH", "/status", false, [count](nlohmann::json& body) {
                 walk(body, "message", [count](nlohmann::json& message) { message = std::to_string(++*count); });
             });
         }},
        {"the journal is not written", "update", false, [] { return lose("PATCH", "-journal", false, "/version"); }},
    };
}

}  // namespace

std::vector<Sabotage> sabotages() {
    std::vector<Sabotage> all;
    for (const auto& part : {on_records(), on_deletion(), on_change()}) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace atl::sweep
