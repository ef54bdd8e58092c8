#include "cloud/docker/containers.h"

#include <map>
#include <set>

#include "cloud/docker/values.h"
#include "operator/base/digest.h"

namespace atl::cloud::docker {

namespace {

constexpr std::int64_t kNano = 1'000'000'000;

std::string field(const Workload& workload, const std::string& below) {
    return "spec.services[" + workload.path + "]." + below;
}

Result<Unit> check_probe(const Workload& workload, const std::optional<Probe>& probe, const std::string& name) {
    if (!probe || !probe->command.empty()) return ok();
    const std::string url = "http://127.0.0.1:" + std::to_string(probe->port) + probe->http_path;
    return unsupported("UnsupportedField",
                       "a Docker engine runs health checks inside the container only; write the " + name +
                           " as exec, for instance [\"wget\", \"-q\", \"-O\", \"/dev/null\", \"" + url + "\"]")
        .at_field(field(workload, "container." + name));
}

Result<Unit> check_link(const Workload& workload, const WorkloadLink& link) {
    if (link.port == link.provider_port || link.port == 0) return ok();
    return unsupported("PortsDiffer", "\"" + workload.path + "\" consumes \"" + link.name + "\" on port " +
                                          std::to_string(link.port) + ", but \"" + link.provider +
                                          "\" provides it on port " + std::to_string(link.provider_port) +
                                          "; nothing translates ports here: use the same number at both ends")
        .at_field(field(workload, "consumes[" + link.name + "].port"));
}

Result<Unit> check_file(const Workload& workload, const FileMount& file) {
    constexpr std::size_t kSecretLimit = 512'000;
    constexpr std::size_t kConfigLimit = 1'024'000;
    const std::size_t limit = file.secret ? kSecretLimit : kConfigLimit;
    if (!file.content.empty() && file.content.size() < limit) return ok();
    return unsupported("FileSize", "the file " + file.path + " has " + std::to_string(file.content.size()) +
                                       " bytes; a Docker engine takes 1 to " + std::to_string(limit - 1))
        .at_field(field(workload, "container.volumeMounts"));
}

Result<Unit> check_ports(const Workload& workload) {
    std::set<std::pair<std::uint16_t, bool>> listened;
    for (const PublishedPort& port : workload.published) {
        if (listened.emplace(port.listen, port.protocol == "UDP").second) continue;
        return invalid("PortPublishedTwice",
                       "port " + std::to_string(port.listen) + " is published twice by \"" + workload.path + "\"")
            .at_field("spec.gateways[" + port.gateway + "].listeners");
    }
    return ok();
}

/// The prefix of a link's variables: "order-db" gives ORDER_DB.
std::string variable_prefix(const std::string& link) {
    std::string name;
    for (const char c : link) {
        const bool lower = c >= 'a' && c <= 'z';
        const bool kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name += lower ? static_cast<char>(c - 'a' + 'A') : kept ? c : '_';
    }
    return name;
}

const std::optional<Probe>& probe_of(const Workload& workload) {
    return workload.readiness ? workload.readiness : workload.liveness;
}

}  // namespace

Result<Unit> check_workload(const Workload& workload) {
    if (!workload.secret_env.empty()) {
        const std::string& name = workload.secret_env.front().name;
        return unsupported("SecretInEnvironment",
                           "the secret value of " + name +
                               " would be readable in the engine by everyone; mount the Secret as "
                               "a file and set " +
                               name + "_FILE to its path")
            .at_field(field(workload, "container.env[" + name + "]"));
    }
    for (const auto& [probe, name] :
         {std::pair(&workload.readiness, "readinessProbe"), {&workload.liveness, "livenessProbe"}}) {
        auto checked = check_probe(workload, *probe, name);
        if (!checked.ok()) return checked;
    }
    for (const WorkloadLink& link : workload.links) {
        auto checked = check_link(workload, link);
        if (!checked.ok()) return checked;
    }
    for (const FileMount& file : workload.files) {
        auto checked = check_file(workload, file);
        if (!checked.ok()) return checked;
    }
    return check_ports(workload);
}

std::vector<std::string> environment_of(const Workload& workload) {
    std::map<std::string, std::string> variables;
    for (const WorkloadLink& link : workload.links) {
        const std::string prefix = variable_prefix(link.name);
        const std::string port = std::to_string(link.provider_port);
        variables[prefix + "_HOST"] = link.provider_host;
        variables[prefix + "_PORT"] = port;
        variables[prefix + "_URL"] = "tcp://" + link.provider_host + ":" + port;
    }
    for (const EnvVar& variable : workload.env) variables[variable.name] = variable.value;
    std::vector<std::string> environment;
    for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
    return environment;
}

Properties health_check_of(const Workload& workload) {
    const std::optional<Probe>& probe = probe_of(workload);
    if (!probe || probe->command.empty()) return {};
    Properties check;
    check["command"] = probe->command;
    check["periodSeconds"] = probe->period.count();
    check["timeoutSeconds"] = probe->timeout.count();
    check["failureThreshold"] = probe->failure_threshold;
    check["initialDelaySeconds"] = probe->initial_delay.count();
    return check;
}

std::string hash_of_file(const Workload& workload, const FileMount& file) {
    return hmac_sha256_hex(workload.hash_key, file.content).substr(0, 12);
}

Properties container_properties(const Workload& workload) {
    Properties properties;
    properties["image"] = workload.image;
    properties["command"] = workload.command;
    properties["args"] = workload.args;
    properties["env"] = environment_of(workload);
    properties["workingDir"] = workload.working_dir;
    properties["init"] = true;
    properties["stopGraceSeconds"] = workload.stop_grace.count();
    properties["limits"] = {{"cpuNano", workload.cpu_limit_nano.value_or(0)},
                            {"memoryBytes", workload.memory_limit_bytes.value_or(0)}};
    properties["healthCheck"] = health_check_of(workload);
    return properties;
}

Properties health_check_for_engine(const Properties& check) {
    if (!check.is_object()) return {};
    Properties test = Properties::array({"CMD"});
    for (const Properties& word : list_at(check, {"command"})) test.push_back(word);
    return {{"Test", test},
            {"Interval", number_at(check, {"periodSeconds"}) * kNano},
            {"Timeout", number_at(check, {"timeoutSeconds"}) * kNano},
            {"Retries", number_at(check, {"failureThreshold"})},
            {"StartPeriod", number_at(check, {"initialDelaySeconds"}) * kNano}};
}

Properties health_check_from_engine(const Properties& check) {
    if (!check.is_object()) return {};
    Properties command = Properties::array();
    for (const Properties& word : list_at(check, {"Test"})) command.push_back(word);
    if (!command.empty() && command.front() == "CMD") command.erase(command.begin());
    return {{"command", command},
            {"periodSeconds", number_at(check, {"Interval"}) / kNano},
            {"timeoutSeconds", number_at(check, {"Timeout"}) / kNano},
            {"failureThreshold", number_at(check, {"Retries"})},
            {"initialDelaySeconds", number_at(check, {"StartPeriod"}) / kNano}};
}

Properties strings_or_empty(const Properties& list) {
    return list.is_array() ? list : Properties::array();
}

std::vector<std::string> notes_of(const Workload& workload) {
    std::vector<std::string> notes;
    if (workload.readiness) {
        notes.push_back("readinessProbe: the engine restarts a copy that is not ready for failureThreshold periods");
    }
    for (const VolumeMount& mount : workload.volumes) {
        if (!mount.size_bytes) continue;
        notes.push_back("volume \"" + mount.volume + "\": the engine's local volumes have no limit of size");
    }
    return notes;
}

}  // namespace atl::cloud::docker
