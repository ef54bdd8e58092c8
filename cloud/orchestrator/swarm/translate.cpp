#include "cloud/orchestrator/swarm/translate.h"

#include <algorithm>

#include "cloud/docker/containers.h"
#include "cloud/docker/marks.h"
#include "cloud/docker/removal_order.h"
#include "cloud/orchestrator/swarm/kinds.h"

namespace atl::cloud::swarm {

namespace {

Error at_service(Error error, const Workload& workload, const std::string& below) {
    return std::move(error).at_field("spec.services[" + workload.path + "]." + below);
}

Properties ports_of(const Workload& workload, bool mesh) {
    Properties ports = Properties::array();
    for (const PublishedPort& port : workload.published) {
        ports.push_back({{"listen", port.listen},
                         {"target", port.container_port},
                         {"protocol", port.protocol == "UDP" ? "udp" : "tcp"},
                         {"mode", mesh ? "ingress" : "host"}});
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

Properties rollout_of(const Workload& workload, bool host_ports) {
    // A replacement that starts first waits for ever for a port of the host that the old copy holds.
    const bool start_first = workload.rollout.max_surge > 0 && !host_ports;
    const int at_once = start_first ? workload.rollout.max_surge : std::max(workload.rollout.max_unavailable, 1);
    return {{"parallelism", at_once},
            {"order", start_first ? "start-first" : "stop-first"},
            {"monitorSeconds", workload.rollout.monitor.count()},
            {"onFailure", "pause"}};
}

/// Adds the configs and secrets of the workload, and gives how the service refers to them.
Properties add_files(Desired& desired, const Workload& workload) {
    Properties files = Properties::array();
    for (const FileMount& file : workload.files) {
        Resource resource;
        // Data cannot be changed once it is there: other content is another thing, and the old one goes after the
        // update.
        resource.content_hash = docker::hash_of_file(workload, file);
        resource.key.kind = file.secret ? kSecret : kConfig;
        resource.key.name = workload.name + file.path + "@" + resource.content_hash;
        resource.content = file.content;
        files.push_back({{"source", make_reference({resource.key, "id"})},
                         {"name", resource.key.name},
                         {"secret", file.secret},
                         {"path", file.path},
                         {"mode", file.mode}});
        desired.add(std::move(resource));
    }
    return files;
}

Properties add_volumes(Desired& desired, const Workload& workload, std::vector<ResourceKey>& after) {
    Properties volumes = Properties::array();
    for (const VolumeMount& mount : workload.volumes) {
        const bool persistent = mount.kind == VolumeMount::Kind::Persistent;
        volumes.push_back({{"volume", persistent ? mount.volume : ""},
                           {"path", mount.path},
                           {"readOnly", mount.read_only},
                           {"retain", persistent && mount.retain}});
        if (!persistent || mount.retain) continue;  // what outlives its owner is made by the engine, by its name
        Resource volume;
        volume.key = {std::string(kVolume), mount.volume};
        volume.properties["machine"] = workload.machine;
        after.push_back(volume.key);
        desired.add(std::move(volume));
    }
    return volumes;
}

Result<Properties> constraints_of(const Workload& workload, const Endpoint& endpoint) {
    Properties constraints = Properties::array();
    if (!workload.machine_pool.empty()) {
        return at_service(unsupported("UnsupportedField", "a swarm of machines that are there already has no pools"),
                          workload, "placement.machinePool");
    }
    const bool has_volume = std::ranges::any_of(
        workload.volumes, [](const VolumeMount& mount) { return mount.kind == VolumeMount::Kind::Persistent; });
    std::string machine = workload.machine;
    // The engine's volumes are local to a machine: what has one stays where it is.
    if (machine.empty() && has_volume && endpoint.engines.size() > 1) machine = endpoint.engines.front().machine;
    if (machine.empty()) return constraints;
    const auto engine = std::ranges::find(endpoint.engines, machine, &Endpoint::Engine::machine);
    if (engine == endpoint.engines.end()) {
        return at_service(invalid("UnknownMachine", "there is no machine \"" + machine + "\" in this Cluster"),
                          workload, "placement.machine");
    }
    constraints.push_back("node.hostname==" + engine->hostname);
    return constraints;
}

Result<Unit> check_host_ports(const Workload& workload, const Endpoint& endpoint) {
    const std::size_t machines = std::max<std::size_t>(endpoint.engines.size(), 1);
    if (workload.published.empty() || has_routing_mesh(endpoint)) return ok();
    if (static_cast<std::size_t>(std::max(workload.replicas, 0)) <= machines) return ok();
    return at_service(
        unsupported("IngressUnavailable",
                    "port " + std::to_string(workload.published.front().listen) +
                        " is published on the machine itself, because its kernel is not known to have IPVS, so " +
                        std::to_string(machines) + " machines can run " + std::to_string(machines) + " copies, not " +
                        std::to_string(workload.replicas) + "; scale a service without a gateway, or add machines"),
        workload, "replicas");
}

/// The nodes of a swarm look for the image at its registry whenever they start a copy, and take their own if it fails.
Result<Unit> check_pull_policy(const Workload& workload) {
    if (workload.image_pull_policy != "Never") return ok();
    return at_service(
        unsupported("ImagePullPolicy",
                    "a swarm always looks for a newer image at the registry, and uses the machine's own if "
                    "there is none; it cannot be told never to"),
        workload, "container.imagePullPolicy");
}

Result<Resource> service_of(const Workload& workload, const Endpoint& endpoint, Desired& desired) {
    auto possible = check_host_ports(workload, endpoint);
    if (!possible.ok()) return std::move(possible).error();
    auto pulled = check_pull_policy(workload);
    if (!pulled.ok()) return std::move(pulled).error();
    auto constraints = constraints_of(workload, endpoint);
    if (!constraints.ok()) return std::move(constraints).error();
    const bool mesh = has_routing_mesh(endpoint);
    Resource service;
    service.key = {std::string(kService), workload.name};
    Properties& properties = service.properties;
    properties = docker::container_properties(workload);
    properties["imagePullPolicy"] = workload.image_pull_policy;
    properties["files"] = add_files(desired, workload);
    properties["volumes"] = add_volumes(desired, workload, service.after);
    properties["networks"] = Properties::array();
    if (!workload.group.empty()) {
        properties["networks"].push_back(
            {{"name", docker::network_name(workload.group)}, {"aliases", {workload.name}}});
    }
    properties["ports"] = ports_of(workload, mesh);
    properties["endpointMode"] = mesh ? "vip" : "dnsrr";
    properties["replicas"] = workload.replicas;
    properties["reservations"] = {{"cpuNano", workload.cpu_request_nano.value_or(0)},
                                  {"memoryBytes", workload.memory_request_bytes.value_or(0)}};
    properties["constraints"] = *constraints;
    properties["rollout"] = rollout_of(workload, !mesh && !workload.published.empty());
    return service;
}

}  // namespace

bool has_routing_mesh(const Endpoint& endpoint) {
    const auto fact = endpoint.facts.find("ipvs");
    return fact != endpoint.facts.end() && fact->second == "true";
}

Result<Desired> translate(const std::vector<Workload>& workloads, const Endpoint& endpoint) {
    Desired desired;
    docker::RemovalOrder order(workloads);
    for (const Workload& workload : workloads) {
        auto checked = docker::check_workload(workload);
        if (!checked.ok()) return std::move(checked).error().during("service \"" + workload.path + "\"");
        auto service = service_of(docker::with_secret_environment(workload), endpoint, desired);
        if (!service.ok()) return std::move(service).error().during("service \"" + workload.path + "\"");
        service->properties["removeBefore"] = order.providers_of(workload.name);
        desired.add(std::move(*service));
    }
    return desired;
}

Desired shared(const std::string& group) {
    Resource network;
    network.key = {std::string(kNetwork), group};
    network.properties = {{"driver", "overlay"}, {"attachable", true}};
    Desired desired;
    desired.add(std::move(network));
    return desired;
}

}  // namespace atl::cloud::swarm
