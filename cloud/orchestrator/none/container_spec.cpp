#include "cloud/orchestrator/none/container_spec.h"

#include <algorithm>

#include "cloud/docker/containers.h"
#include "cloud/docker/errors.h"
#include "cloud/docker/marks.h"
#include "cloud/docker/volumes.h"
#include "cloud/orchestrator/none/kinds.h"
#include "operator/base/time.h"

namespace atl::cloud::none {

namespace {

using docker::at;
using docker::list_at;
using docker::number_at;
using docker::text_at;

std::string port_key(const Json& port) {
    return std::to_string(number_at(port, {"target"})) + "/" + text_at(port, {"protocol"});
}

Json host_config(const Properties& properties, const Owner& owner) {
    Json config;
    config["Init"] = docker::is_true_at(properties, {"init"});
    config["RestartPolicy"] = {{"Name", "unless-stopped"}};
    config["NanoCpus"] = number_at(properties, {"limits", "cpuNano"});
    config["Memory"] = number_at(properties, {"limits", "memoryBytes"});
    config["Mounts"] = docker::mounts_for(at(properties, {"volumes"}), owner, std::string(kVolume));
    for (const Json& port : list_at(properties, {"ports"})) {
        const std::string listen = std::to_string(number_at(port, {"listen"}));
        config["PortBindings"][port_key(port)].push_back({{"HostPort", listen}});
    }
    const std::string network = text_at(properties, {"network", "name"});
    if (!network.empty()) config["NetworkMode"] = network;
    return config;
}

std::int64_t seconds_of(const std::string& time) {
    const auto parsed = parse_rfc3339(time);
    return parsed ? std::chrono::duration_cast<std::chrono::seconds>(parsed->time_since_epoch()).count() : 0;
}

/// "running" for what runs or will run again by itself.
std::string live_state(const std::string& status) {
    return status == "restarting" ? "running" : status;
}

/// Why the last check failed: its exit code and the first words of what it printed.
std::string failed_check(const Json& health) {
    constexpr std::size_t kMost = 200;
    const Json& log = list_at(health, {"Log"});
    if (log.empty() || number_at(log.back(), {"ExitCode"}) == 0) return "";
    const std::string output = text_at(log.back(), {"Output"});
    std::size_t end = std::min({output.find('\n'), output.size(), kMost});
    while (end > 0 && end < output.size() && (static_cast<unsigned char>(output[end]) & 0xC0U) == 0x80U) --end;
    const std::string line = output.substr(0, end);
    return " (exit code " + std::to_string(number_at(log.back(), {"ExitCode"})) + (line.empty() ? "" : ": " + line) +
           ")";
}

void judge(Observed& container, const Json& state) {
    const std::string status = text_at(state, {"Status"});
    const std::string health = text_at(state, {"Health", "Status"});
    const std::string error = docker::steady_text(text_at(state, {"Error"}));
    container.state = status == "running" && (health.empty() || health == "healthy") ? State::Ready : State::Pending;
    if (status == "removing") container.state = State::Deleting;
    if (container.state == State::Ready) return;
    container.message = status;
    if (status == "running") container.message = "health check: " + health + failed_check(at(state, {"Health"}));
    if (status == "restarting" || status == "exited") {
        container.message += " with exit code " + std::to_string(number_at(state, {"ExitCode"}));
    }
    if (!error.empty()) container.message = error;
}

Json detail_of(const Json& inspected, std::int64_t engine_time) {
    const Json& state = at(inspected, {"State"});
    const std::int64_t started = seconds_of(text_at(state, {"StartedAt"}));
    Json detail = {{"status", text_at(state, {"Status"})},       {"restarts", number_at(inspected, {"RestartCount"})},
                   {"exitCode", number_at(state, {"ExitCode"})}, {"finishedAt", text_at(state, {"FinishedAt"})},
                   {"image", text_at(inspected, {"Image"})},     {"address", ""}};
    detail["ageSeconds"] = engine_time > started && started > 0 ? engine_time - started : 0;
    for (const Json& network : at(inspected, {"NetworkSettings", "Networks"})) {
        const std::string address = text_at(network, {"IPAddress"});
        if (!address.empty()) detail["address"] = address;
    }
    return detail;
}

}  // namespace

Json container_spec(const Properties& properties, const Owner& owner, const Resource& resource) {
    docker::Labels labels = docker::marks_of(owner, resource.key.name);
    labels[std::string(docker::kSpecLabel)] = properties.dump(-1, ' ', false, Json::error_handler_t::replace);
    labels[std::string(docker::kContentLabel)] = resource.content_hash;
    Json spec;
    spec["Image"] = text_at(properties, {"image"});
    if (!list_at(properties, {"command"}).empty()) spec["Entrypoint"] = properties["command"];
    if (!list_at(properties, {"args"}).empty()) spec["Cmd"] = properties["args"];
    spec["Env"] = list_at(properties, {"env"});
    spec["WorkingDir"] = text_at(properties, {"workingDir"});
    spec["StopTimeout"] = number_at(properties, {"stopGraceSeconds"});
    spec["Labels"] = labels;
    const Json check = docker::health_check_for_engine(at(properties, {"healthCheck"}));
    if (!check.is_null()) spec["Healthcheck"] = check;
    for (const Json& port : list_at(properties, {"ports"})) spec["ExposedPorts"][port_key(port)] = Json::object();
    spec["HostConfig"] = host_config(properties, owner);
    const std::string network = text_at(properties, {"network", "name"});
    if (!network.empty()) {
        spec["NetworkingConfig"]["EndpointsConfig"][network]["Aliases"] = list_at(properties, {"network", "aliases"});
    }
    return spec;
}

Observed container_in(const Json& inspected, const std::string& machine, std::int64_t engine_time) {
    const docker::Labels labels = docker::texts_at(inspected, {"Config", "Labels"});
    const auto label = [&](std::string_view name) {
        const auto found = labels.find(std::string(name));
        return found == labels.end() ? std::string() : found->second;
    };
    Observed container;
    container.key = {std::string(kContainer), label(docker::kNameLabel)};
    container.id = text_at(inspected, {"Id"});
    container.content_hash = label(docker::kContentLabel);
    const Json spec = Json::parse(label(docker::kSpecLabel), nullptr, false);
    if (spec.is_object()) container.properties = spec;
    container.properties["state"] = live_state(text_at(inspected, {"State", "Status"}));
    container.properties["machine"] = machine;
    container.outputs = {{"id", container.id}, {"machine", machine}};
    container.detail = detail_of(inspected, engine_time);
    for (const Json& mount : list_at(inspected, {"Mounts"})) container.uses.push_back(text_at(mount, {"Name"}));
    judge(container, at(inspected, {"State"}));
    return container;
}

}  // namespace atl::cloud::none
