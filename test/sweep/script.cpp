#include "test/sweep/script.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "controllers/instance_summary.h"
#include "controllers/types.h"
#include "operator/base/manifest.h"

namespace atl::sweep {

namespace {

using namespace controllers::types;

/// The manifests of examples/local-swarm.
std::vector<nlohmann::json> example() {
    std::vector<nlohmann::json> objects;
    for (const char* file : {"cluster.yaml", "stack.yaml"}) {
        const std::string path = std::string(ATOLL_SOURCE_DIR) + "/examples/local-swarm/" + file;
        std::ifstream stream(path);
        std::stringstream text;
        text << stream.rdbuf();
        auto documents = parse_manifests(text.str());
        if (!documents.ok()) throw std::runtime_error(path + ": " + documents.error().message());
        for (const auto& document : *documents) objects.push_back(document.object);
    }
    return objects;
}

bool is_ready(World& world, const kube::ResourceType& type, const std::string& name) {
    const auto found = world.find(type, name);
    if (!found) return false;
    const auto object = kube::Object::from_json(*found);
    return object.ok() && controllers::is_ready(*object);
}

void create_and_wait(World& world) {
    apply_example(world);
    if (!world.until([&] { return example_is_ready(world); }, std::chrono::minutes(10))) {
        world.violate("the example did not become Ready without faults");
    }
    world.run_for(std::chrono::seconds(30));
}

bool has_ready_copies(World& world, const std::string& name, int copies) {
    const auto instance = world.find(kServiceInstance, name);
    return instance && is_ready(world, kServiceInstance, name) &&
           instance->value("status", nlohmann::json::object()).value("readyReplicas", 0) == copies;
}

void scale(World& world) {
    world.merge(kServiceInstance, "shop-store", {{"spec", {{"replicas", 3}}}});
}

void update(World& world) {
    auto stack = world.find(kStack, "shop");
    if (!stack) return world.violate("the Stack is gone");
    nlohmann::json services = (*stack)["spec"]["services"];
    for (auto& service : services) {
        if (service["name"] == "web") service["container"]["env"] = {{{"name", "COLOR"}, {"value", "green"}}};
    }
    world.merge(kStack, "shop", {{"spec", {{"services", services}}}});
}

bool is_updated(World& world) {
    if (!example_is_ready(world)) return false;
    return std::ranges::any_of(picture(world),
                               [](const std::string& line) { return line.find("COLOR=green") != std::string::npos; });
}

}  // namespace

void apply_example(World& world) {
    for (const nlohmann::json& object : example()) world.apply(object);
}

void apply_stack(World& world) {
    for (const nlohmann::json& object : example()) {
        if (object["kind"] == "Stack") world.apply(object);
    }
}

bool example_is_ready(World& world) {
    return is_ready(world, kCluster, "local") && is_ready(world, kStack, "shop");
}

void remove_example(World& world) {
    for (const nlohmann::json& object : example()) {
        const std::string name = object["metadata"]["name"];
        if (object["kind"] == "Stack") world.remove(kStack, name);
        if (object["kind"] == "Cluster") world.remove(kCluster, name);
    }
}

bool all_gone(World& world) {
    for (const auto& type : {kCluster, kStack, kServiceInstance, kMachine}) {
        if (!world.list(type).empty()) return false;
    }
    return true;
}

std::vector<Script> scripts() {
    return {
        {"create", [](World&) {}, apply_example, example_is_ready},
        {"scale", create_and_wait, scale,
         [](World& world) { return has_ready_copies(world, "shop-store", 3) && example_is_ready(world); }},
        {"update", create_and_wait, update, is_updated},
        {"delete", create_and_wait, remove_example, all_gone},
    };
}

std::vector<std::string> picture(World& world) {
    std::vector<std::string> lines = world.engine().describe_marked();
    for (const auto& type : {kCluster, kStack, kServiceInstance, kMachine}) {
        for (const nlohmann::json& object : world.list(type)) {
            lines.push_back(type.kind + " " + object["metadata"]["name"].get<std::string>() + " " +
                            object["spec"].dump());
        }
    }
    std::ranges::sort(lines);
    return lines;
}

}  // namespace atl::sweep
