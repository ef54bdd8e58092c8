#include "cloud/orchestrator/swarm/service_spec.h"

#include <algorithm>

#include "cloud/docker/containers.h"
#include "cloud/docker/marks.h"
#include "cloud/docker/volumes.h"
#include "cloud/orchestrator/swarm/kinds.h"
#include "operator/base/digest.h"

namespace atl::cloud::swarm {

namespace {

using docker::at;
using docker::is_true_at;
using docker::list_at;
using docker::number_at;
using docker::text_at;

constexpr std::int64_t kNano = 1'000'000'000;
constexpr std::string_view kRemoveBeforeLabel = "dev.atoll.remove-before";

Json labels_json(const docker::Labels& labels) {
    return Json(labels);
}

/// Takes members away that are null, empty or zero: the API leaves them out too.
Json without_empty(Json object) {
    for (auto member = object.begin(); member != object.end();) {
        const Json& value = *member;
        const bool empty = value.is_null() || (value.is_structured() && value.empty()) || value == "" || value == 0;
        member = empty ? object.erase(member) : std::next(member);
    }
    return object;
}

Json files_for(const Properties& properties, const Owner& owner, bool secret) {
    const std::string what = secret ? "Secret" : "Config";
    Json files = Json::array();
    for (const Json& file : list_at(properties, {"files"})) {
        if (is_true_at(file, {"secret"}) != secret) continue;
        const ResourceKey key{std::string(secret ? kSecret : kConfig), text_at(file, {"name"})};
        Json target = {
            {"Name", text_at(file, {"path"})}, {"UID", "0"}, {"GID", "0"}, {"Mode", number_at(file, {"mode"})}};
        files.push_back({{what + "ID", text_at(file, {"source"})},
                         {what + "Name", docker::name_on_engine(owner, key)},
                         {"File", std::move(target)}});
    }
    return files;
}

Json container_for(const Properties& properties, const ServiceIdentity& identity) {
    docker::Labels labels = docker::marks_of(identity.owner, identity.name);
    labels[std::string(docker::kRevisionLabel)] = revision_of(properties);
    Json container = {{"Image", text_at(properties, {"image"})},
                      {"Labels", labels_json(labels)},
                      {"Command", list_at(properties, {"command"})},
                      {"Args", list_at(properties, {"args"})},
                      {"Env", list_at(properties, {"env"})},
                      {"Dir", text_at(properties, {"workingDir"})},
                      {"Healthcheck", docker::health_check_for_engine(at(properties, {"healthCheck"}))},
                      {"Mounts", docker::mounts_for(at(properties, {"volumes"}), identity.owner, std::string(kVolume))},
                      {"Secrets", files_for(properties, identity.owner, true)},
                      {"Configs", files_for(properties, identity.owner, false)}};
    container = without_empty(std::move(container));
    container["Init"] = is_true_at(properties, {"init"});
    // Zero is a time too: it must not become the engine's default.
    container["StopGracePeriod"] = number_at(properties, {"stopGraceSeconds"}) * kNano;
    return container;
}

Json resources_for(const Properties& properties) {
    const auto amounts = [&](std::string_view name) {
        return without_empty({{"NanoCPUs", number_at(properties, {name, "cpuNano"})},
                              {"MemoryBytes", number_at(properties, {name, "memoryBytes"})}});
    };
    return without_empty({{"Limits", amounts("limits")}, {"Reservations", amounts("reservations")}});
}

Json networks_for(const Properties& properties) {
    Json networks = Json::array();
    for (const Json& network : list_at(properties, {"networks"})) {
        networks.push_back({{"Target", text_at(network, {"name"})}, {"Aliases", list_at(network, {"aliases"})}});
    }
    return networks;
}

Json ports_for(const Properties& properties) {
    Json ports = Json::array();
    for (const Json& port : list_at(properties, {"ports"})) {
        ports.push_back({{"Protocol", text_at(port, {"protocol"})},
                         {"TargetPort", number_at(port, {"target"})},
                         {"PublishedPort", number_at(port, {"listen"})},
                         {"PublishMode", text_at(port, {"mode"})}});
    }
    return ports;
}

Json update_for(const Properties& properties) {
    const Json& rollout = at(properties, {"rollout"});
    return {{"Parallelism", number_at(rollout, {"parallelism"})},
            {"FailureAction", text_at(rollout, {"onFailure"})},
            {"Monitor", number_at(rollout, {"monitorSeconds"}) * kNano},
            {"MaxFailureRatio", 0},
            {"Order", text_at(rollout, {"order"})}};
}

std::string joined(const Json& names) {
    std::string text;
    for (const Json& name : names) {
        if (name.is_string()) text += (text.empty() ? "" : ",") + name.get<std::string>();
    }
    return text;
}

Json split(const std::string& text) {
    Json names = Json::array();
    std::string name;
    for (const char c : text + ",") {
        if (c != ',') {
            name += c;
        } else if (!name.empty()) {
            names.push_back(std::exchange(name, ""));
        }
    }
    return names;
}

Json volumes_from(const Json& mounts) {
    Json volumes = Json::array();
    for (const Json& mount : mounts) {
        const auto labels = docker::texts_at(mount, {"VolumeOptions", "Labels"});
        const auto name = labels.find(std::string(docker::kNameLabel));
        Json volume = {{"volume", name != labels.end() ? name->second : text_at(mount, {"Source"})},
                       {"path", text_at(mount, {"Target"})},
                       {"readOnly", is_true_at(mount, {"ReadOnly"})},
                       {"retain", labels.contains(std::string(docker::kRetainLabel))}};
        if (text_at(mount, {"Type"}) != "volume") volume["type"] = text_at(mount, {"Type"});
        volumes.push_back(std::move(volume));
    }
    return volumes;
}

void add_files_from(const Json& container, bool secret, const NamesById& names, Json& files) {
    const std::string what = secret ? "Secret" : "Config";
    for (const Json& file : list_at(container, {what + "s"})) {
        const std::string id = text_at(file, {what + "ID"});
        const auto name = names.files.find(id);
        files.push_back({{"source", id},
                         {"name", name == names.files.end() ? text_at(file, {what + "Name"}) : name->second},
                         {"secret", secret},
                         {"path", text_at(file, {"File", "Name"})},
                         {"mode", number_at(file, {"File", "Mode"})}});
    }
}

Json networks_from(const Json& list, const NamesById& names) {
    Json networks = Json::array();
    for (const Json& network : list) {
        const std::string id = text_at(network, {"Target"});
        const auto name = names.networks.find(id);
        networks.push_back({{"name", name == names.networks.end() ? id : name->second},
                            {"aliases", docker::strings_or_empty(at(network, {"Aliases"}))}});
    }
    return networks;
}

Json ports_from(const Json& list) {
    Json ports = Json::array();
    for (const Json& port : list) {
        const std::string mode = text_at(port, {"PublishMode"});
        const std::string protocol = text_at(port, {"Protocol"});
        ports.push_back({{"listen", number_at(port, {"PublishedPort"})},
                         {"target", number_at(port, {"TargetPort"})},
                         {"protocol", protocol.empty() ? "tcp" : protocol},
                         {"mode", mode.empty() ? "ingress" : mode}});
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

Json amounts_from(const Json& amounts) {
    return {{"cpuNano", number_at(amounts, {"NanoCPUs"})}, {"memoryBytes", number_at(amounts, {"MemoryBytes"})}};
}

/// The block's absence means one copy at a time; its presence without the member means all at once.
Json rollout_from(const Json& update) {
    const std::string order = text_at(update, {"Order"});
    const std::string action = text_at(update, {"FailureAction"});
    return {{"parallelism", update.is_object() ? number_at(update, {"Parallelism"}) : 1},
            {"order", order.empty() ? "stop-first" : order},
            {"monitorSeconds", number_at(update, {"Monitor"}, 5 * kNano) / kNano},
            {"onFailure", action.empty() ? "pause" : action}};
}

/// Files in the order of their paths, secrets and configs mixed, as translate makes them.
Json files_from(const Json& container, const NamesById& names) {
    Json files = Json::array();
    add_files_from(container, true, names, files);
    add_files_from(container, false, names, files);
    const auto by_path = [](const Json& a, const Json& b) { return text_at(a, {"path"}) < text_at(b, {"path"}); };
    std::sort(files.begin(), files.end(), by_path);
    return files;
}

}  // namespace

Json service_spec(const Properties& properties, const ServiceIdentity& identity) {
    docker::Labels labels = docker::marks_of(identity.owner, identity.name);
    const std::string before = joined(list_at(properties, {"removeBefore"}));
    if (!before.empty()) labels[std::string(kRemoveBeforeLabel)] = before;
    Json copies;
    copies["ContainerSpec"] = container_for(properties, identity);
    copies["Resources"] = resources_for(properties);
    copies["RestartPolicy"] = {{"Condition", "any"}};
    copies["Placement"] = without_empty({{"Constraints", list_at(properties, {"constraints"})}});
    copies["Networks"] = networks_for(properties);
    copies["ForceUpdate"] = identity.force_update;
    Json spec;
    spec["Name"] = docker::name_on_engine(identity.owner, {std::string(kService), identity.name});
    spec["Labels"] = labels_json(labels);
    spec["TaskTemplate"] = std::move(copies);
    spec["Mode"]["Replicated"]["Replicas"] = number_at(properties, {"replicas"});
    spec["UpdateConfig"] = update_for(properties);
    spec["EndpointSpec"] = {{"Mode", text_at(properties, {"endpointMode"})}, {"Ports", ports_for(properties)}};
    return spec;
}

Properties service_properties(const Json& spec, const NamesById& names) {
    const Json& copies = at(spec, {"TaskTemplate"});
    const Json& container = at(copies, {"ContainerSpec"});
    const std::string mode = text_at(spec, {"EndpointSpec", "Mode"});
    const auto labels = docker::texts_at(spec, {"Labels"});
    const auto before = labels.find(std::string(kRemoveBeforeLabel));
    Properties properties;
    properties["image"] = text_at(container, {"Image"});
    for (const auto& [name, member] : {std::pair("command", "Command"), {"args", "Args"}, {"env", "Env"}}) {
        properties[name] = list_at(container, {member});
    }
    properties["workingDir"] = text_at(container, {"Dir"});
    properties["init"] = is_true_at(container, {"Init"});
    properties["stopGraceSeconds"] = number_at(container, {"StopGracePeriod"}, 10 * kNano) / kNano;
    properties["healthCheck"] = docker::health_check_from_engine(at(container, {"Healthcheck"}));
    properties["volumes"] = volumes_from(list_at(container, {"Mounts"}));
    properties["files"] = files_from(container, names);
    properties["limits"] = amounts_from(at(copies, {"Resources", "Limits"}));
    properties["reservations"] = amounts_from(at(copies, {"Resources", "Reservations"}));
    properties["constraints"] = list_at(copies, {"Placement", "Constraints"});
    properties["networks"] = networks_from(list_at(copies, {"Networks"}), names);
    properties["replicas"] = number_at(spec, {"Mode", "Replicated", "Replicas"}, -1);
    properties["rollout"] = rollout_from(at(spec, {"UpdateConfig"}));
    properties["endpointMode"] = mode.empty() ? "vip" : mode;
    properties["ports"] = ports_from(list_at(spec, {"EndpointSpec", "Ports"}));
    properties["removeBefore"] = split(before == labels.end() ? "" : before->second);
    return properties;
}

std::string revision_of(const Properties& properties) {
    Properties relevant = properties;
    for (const char* name : {"replicas", "rollout", "removeBefore"}) relevant.erase(name);
    return sha256_hex(relevant.dump(-1, ' ', false, Json::error_handler_t::replace)).substr(0, 12);
}

}  // namespace atl::cloud::swarm
