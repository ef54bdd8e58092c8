#include "cloud/docker/containers.h"

#include <algorithm>
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

constexpr const char* kSecretEnvironment = "/run/secrets/atoll-environment";

bool is_shell_name(const std::string& name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
    return std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

Result<Unit> check_secret_environment(const Workload& workload) {
    for (const EnvVar& variable : workload.secret_env) {
        const std::string where = field(workload, "container.env[" + variable.name + "]");
        if (!is_shell_name(variable.name)) {
            return invalid("InvalidVariableName",
                           "a secret environment variable reaches the container through a shell, which "
                           "cannot name \"" +
                               variable.name + "\"; use letters, digits and _ only")
                .at_field(where);
        }
        if (!workload.command.empty()) continue;
        return unsupported(
                   "SecretInEnvironment",
                   "the secret value of " + variable.name +
                       " would be readable in the engine; set container.command, so that a shell can put it into "
                       "the environment, or mount the Secret as a file and set " +
                       variable.name + "_FILE to its path")
            .at_field(where);
    }
    return ok();
}

/// The value as one word of the shell.
std::string quoted(const std::string& value) {
    std::string text = "'";
    for (const char c : value) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

/// Ends with 0 if something listens on the port: read from the kernel's own table, so it needs no program.
std::string listening_script(std::uint16_t port) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string hex;
    for (int shift = 12; shift >= 0; shift -= 4) hex += kDigits[(port >> static_cast<unsigned>(shift)) & 0xFU];
    return "for table in /proc/net/tcp /proc/net/tcp6; do [ -r $table ] || continue; while read -r line; do case $line "
           "in "
           "*:" +
           hex + "\\ *:0000\\ 0A\\ *) exit 0;; esac; done <$table; done; exit 1";
}

/// No option for a limit: the engine ends a check at its timeout, and `wget -T` of Debian's busybox crashes. A tool
/// that could not run or was killed (126 and above) has said nothing about the program: then the port decides.
std::string http_script(const Probe& probe) {
    const std::string url = quoted("http://127.0.0.1:" + std::to_string(probe.port) + probe.http_path);
    return "code=127; if command -v curl >/dev/null; then curl -fsS -o /dev/null " + url +
           "; code=$?; elif command -v wget >/dev/null; then wget -q -O /dev/null " + url +
           "; code=$?; fi; [ $code -ge 126 ] || exit $code; " + listening_script(probe.port);
}

Result<Unit> check_link(const Workload& workload, const WorkloadLink& link) {
    if (link.port == link.provider_port || link.port == 0) return ok();
    return unsupported("PortsDiffer", "\"" + workload.path + "\" consumes \"" + link.name + "\" on port " +
                                          std::to_string(link.port) + ", but \"" + link.provider +
                                          "\" provides it on port " + std::to_string(link.provider_port) +
                                          "; nothing translates ports here: use the same number at both ends")
        .at_field(field(workload, "consumes[" + link.name + "].port"));
}

/// A container has one check.
Result<Unit> check_probes(const Workload& workload) {
    if (!workload.startup) return ok();
    return unsupported("StartupProbe",
                       "a Docker engine knows one check a container, and none for its start alone; use readinessProbe "
                       "with initialDelaySeconds")
        .at_field(field(workload, "container.startupProbe"));
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
    auto probes = check_probes(workload);
    if (!probes.ok()) return probes;
    auto secrets = check_secret_environment(workload);
    if (!secrets.ok()) return secrets;
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

Workload with_secret_environment(Workload workload) {
    if (workload.secret_env.empty()) return workload;
    std::string lines;
    for (const EnvVar& variable : workload.secret_env) lines += variable.name + "=" + quoted(variable.value) + "\n";
    workload.files.push_back({kSecretEnvironment, std::move(lines), true, 0444});
    std::ranges::sort(workload.files, {}, &FileMount::path);
    const std::string script = "set -a; . " + std::string(kSecretEnvironment) + "; set +a; exec \"$@\"";
    const std::vector<std::string> shell = {"/bin/sh", "-c", script, "sh"};
    workload.command.insert(workload.command.begin(), shell.begin(), shell.end());
    workload.secret_env.clear();
    return workload;
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
    if (!probe) return {};
    Properties check;
    const bool http = !probe->http_path.empty();
    check["command"] = probe->command;
    if (probe->command.empty()) {
        check["command"] = {"/bin/sh", "-c", http ? http_script(*probe) : listening_script(probe->port)};
    }
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
    if (workload.readiness && workload.liveness) {
        notes.push_back("livenessProbe: not run, because the engine knows one check a container, the readinessProbe");
    }
    const std::optional<Probe>& probe = probe_of(workload);
    if (probe && probe->command.empty()) {
        const std::string what = probe->http_path.empty() ? "" : ", and curl or wget, else only the port is looked at";
        notes.push_back("probe of port " + std::to_string(probe->port) +
                        ": runs as a script inside the container; the image needs /bin/sh" + what);
    }
    if (!workload.secret_env.empty()) {
        notes.push_back("secret environment variables: read from a file by /bin/sh, which the image needs");
    }
    for (const VolumeMount& mount : workload.volumes) {
        if (!mount.size_bytes) continue;
        notes.push_back("volume \"" + mount.volume + "\": the engine's local volumes have no limit of size");
    }
    return notes;
}

}  // namespace atl::cloud::docker
