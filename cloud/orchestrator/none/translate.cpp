#include "cloud/orchestrator/none/translate.h"

#include <algorithm>
#include <set>

#include "cloud/docker/containers.h"
#include "cloud/docker/marks.h"
#include "cloud/docker/removal_order.h"
#include "cloud/docker/values.h"
#include "cloud/orchestrator/none/kinds.h"
#include "operator/base/base64.h"
#include "operator/base/digest.h"

namespace atl::cloud::none {

namespace {

Error at_service(Error error, const Workload& workload, const std::string& below) {
    return std::move(error).at_field("spec.services[" + workload.path + "]." + below);
}

/// The machine of a group: the same for all its workloads, and for each group another one where there are several.
Result<std::string> machine_of(const Workload& workload, const Endpoint& endpoint) {
    if (!workload.machine_pool.empty()) {
        return at_service(unsupported("UnsupportedField", "machines that are there already have no pools"), workload,
                          "placement.machinePool");
    }
    if (endpoint.engines.empty()) return workload.machine;  // a plan for a Cluster that is not there yet
    if (workload.machine.empty()) {
        const std::string digest = sha256_hex(workload.group).substr(0, 8);
        return endpoint.engines[std::stoul(digest, nullptr, 16) % endpoint.engines.size()].machine;
    }
    const auto engine = std::ranges::find(endpoint.engines, workload.machine, &Endpoint::Engine::machine);
    if (engine != endpoint.engines.end()) return workload.machine;
    return at_service(invalid("UnknownMachine", "there is no machine \"" + workload.machine + "\" in this Cluster"),
                      workload, "placement.machine");
}

Result<Unit> check_ports(const Workload& workload) {
    if (workload.published.empty() || workload.replicas <= 1) return ok();
    return at_service(unsupported("PortPublishedTwice", "port " + std::to_string(workload.published.front().listen) +
                                                            " of the machine can be published by 1 copy, not by " +
                                                            std::to_string(workload.replicas) +
                                                            "; scale a service without a gateway"),
                      workload, "replicas");
}

Properties ports_of(const Workload& workload) {
    Properties ports = Properties::array();
    for (const PublishedPort& port : workload.published) {
        ports.push_back({{"listen", port.listen},
                         {"target", port.container_port},
                         {"protocol", port.protocol == "UDP" ? "udp" : "tcp"}});
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

Properties files_of(const Workload& workload) {
    Properties files = Properties::array();
    for (const FileMount& file : workload.files) {
        files.push_back({{"path", file.path}, {"mode", file.mode}, {"content", docker::hash_of_file(workload, file)}});
    }
    return files;
}

Properties add_volumes(Desired& desired, const Workload& workload, const std::string& machine) {
    Properties volumes = Properties::array();
    for (const VolumeMount& mount : workload.volumes) {
        const bool persistent = mount.kind == VolumeMount::Kind::Persistent;
        volumes.push_back({{"volume", persistent ? mount.volume : ""},
                           {"path", mount.path},
                           {"readOnly", mount.read_only},
                           {"retain", persistent && mount.retain}});
        if (!persistent || mount.retain) continue;
        Resource volume;
        volume.key = {std::string(kVolume), mount.volume};
        volume.properties["machine"] = machine;
        desired.add(std::move(volume));
    }
    return volumes;
}

Properties properties_of(const Workload& workload, const std::string& machine, Desired& desired) {
    Properties properties = docker::container_properties(workload);
    properties["machine"] = machine;
    properties["state"] = "running";
    properties["imagePullPolicy"] = workload.image_pull_policy;
    properties["ports"] = ports_of(workload);
    properties["files"] = files_of(workload);
    properties["volumes"] = add_volumes(desired, workload, machine);
    properties["network"] = Properties::object();
    if (!workload.group.empty()) {
        properties["network"] = {{"name", docker::network_name(workload.group)}, {"aliases", {workload.name}}};
    }
    return properties;
}

void add_copies(Desired& desired, const Workload& workload, const Properties& properties) {
    const int at_once = std::max(workload.rollout.max_unavailable, 1);
    for (int copy = 0; copy < workload.replicas; ++copy) {
        Resource container;
        container.key = {std::string(kContainer), copy_name(workload, copy)};
        container.properties = properties;
        container.content = workload.files.empty() ? "" : pack_files(workload.files);
        if (!container.content.empty()) {
            container.content_hash = hmac_sha256_hex(workload.hash_key, container.content).substr(0, 12);
        }
        for (const VolumeMount& mount : workload.volumes) {
            const ResourceKey volume{std::string(kVolume), mount.volume};
            if (desired.resources.contains(volume)) container.after.push_back(volume);
        }
        if (copy >= at_once) container.change_after = {{std::string(kContainer), copy_name(workload, copy - at_once)}};
        desired.add(std::move(container));
    }
}

}  // namespace

std::string copy_name(const Workload& workload, int copy) {
    return workload.name + "/" + std::to_string(copy);
}

std::string pack_files(const std::vector<FileMount>& files) {
    Properties packed = Properties::object();
    for (const FileMount& file : files) packed[file.path] = encode_base64(file.content);
    return packed.dump(-1, ' ', false, Properties::error_handler_t::replace);
}

std::map<std::string, std::string> unpack_files(const std::string& content) {
    std::map<std::string, std::string> files;
    const Properties packed = Properties::parse(content, nullptr, false);
    for (const auto& [path, text] : docker::texts_at(packed, {})) files[path] = decode_base64(text).value_or("");
    return files;
}

Result<Desired> translate(const std::vector<Workload>& workloads, const Endpoint& endpoint) {
    Desired desired;
    docker::RemovalOrder order(workloads);
    for (const Workload& given : workloads) {
        const std::string what = "service \"" + given.path + "\"";
        auto checked = docker::check_workload(given);
        if (!checked.ok()) return std::move(checked).error().during(what);
        auto possible = check_ports(given);
        if (!possible.ok()) return std::move(possible).error().during(what);
        auto machine = machine_of(given, endpoint);
        if (!machine.ok()) return std::move(machine).error().during(what);
        const Workload workload = docker::with_secret_environment(given);
        Properties properties = properties_of(workload, *machine, desired);
        properties["removeBefore"] = order.providers_of(workload.name);
        add_copies(desired, workload, properties);
    }
    return desired;
}

Desired shared(const std::string& group, const Endpoint& endpoint) {
    Desired desired;
    for (const Endpoint::Engine& engine : endpoint.engines) {
        Resource network;
        network.key = {std::string(kNetwork), group + "@" + engine.machine};
        network.properties = {{"name", docker::network_name(group)}, {"machine", engine.machine}};
        desired.add(std::move(network));
    }
    return desired;
}

}  // namespace atl::cloud::none
