#include <filesystem>
#include <limits>

#include "crds/checker.h"
#include "operator/base/names.h"
#include "operator/base/quantity.h"

namespace atl::crds {

namespace {

int count_set(std::initializer_list<bool> members) {
    int count = 0;
    for (bool member : members) count += member ? 1 : 0;
    return count;
}

/// One path has one text: no slash at the end, no empty, "." or ".." step, and it is not the root.
bool is_canonical(const std::string& path) {
    const std::string normal = std::filesystem::path(path).lexically_normal();
    return path.starts_with('/') && !path.ends_with('/') && path.find("//") == std::string::npos && path == normal;
}

void check_words(Checker& checker, const std::string& field, const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) checker.printable(at(field, i), words[i]);
}

void check_env_from(Checker& checker, const std::string& field, const std::vector<EnvFrom>& sources) {
    for (std::size_t i = 0; i < sources.size(); ++i)
        if (count_set({sources[i].config_map_ref.has_value(), sources[i].secret_ref.has_value()}) != 1)
            checker.forbidden(at(field, i), "exactly one of configMapRef, secretRef must be set");
}

void check_ports(Checker& checker, const std::string& field, const std::vector<ContainerPort>& ports) {
    std::set<std::string> names;
    std::set<std::string> numbers;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const ContainerPort& port = ports[i];
        std::string here = at(field, i);
        for (const std::string& problem : port_name_errors(port.name))
            checker.invalid(here + ".name", port.name, problem);
        if (!names.insert(port.name).second) checker.duplicate(here + ".name", port.name);
        checker.port(here + ".containerPort", port.container_port);
        std::string number = std::to_string(port.container_port) + "/" + port.protocol;
        if (!numbers.insert(number).second) checker.duplicate(here + ".containerPort", number);
    }
}

void check_probe_port(Checker& checker, const std::string& field, const Container& container, const IntOrString& port) {
    if (port.is_number()) {
        checker.port(field, port.number());
    } else if (!container.find_port(port.text())) {
        checker.not_found(field, port.text(), "port of the container", names_of(container.ports));
    }
}

void check_probe(Checker& checker, const std::string& field, const Container& container,
                 const std::optional<Probe>& probe) {
    if (!probe) return;
    int actions = count_set({probe->exec.has_value(), probe->http_get.has_value(), probe->tcp_socket.has_value()});
    if (actions != 1) checker.forbidden(field, "exactly one of exec, httpGet, tcpSocket must be set");
    if (probe->exec && probe->exec->command.empty()) checker.required(field + ".exec.command", "the command to run");
    if (probe->exec) check_words(checker, field + ".exec.command", probe->exec->command);
    if (probe->http_get) check_probe_port(checker, field + ".httpGet.port", container, probe->http_get->port);
    if (probe->tcp_socket) check_probe_port(checker, field + ".tcpSocket.port", container, probe->tcp_socket->port);
}

/// What is reserved must not be more than what may be used.
void check_amount(Checker& checker, const std::string& field, const std::string& resource,
                  std::pair<const std::optional<IntOrString>&, const std::optional<IntOrString>&> amounts) {
    std::optional<Quantity> request, limit;
    if (amounts.first) request = check_quantity(checker, field + ".requests." + resource, *amounts.first);
    if (amounts.second) limit = check_quantity(checker, field + ".limits." + resource, *amounts.second);
    if (request && limit && *request > *limit)
        checker.invalid(field + ".requests." + resource, request->to_string(),
                        "must be at most the limit of " + limit->to_string());
    if (resource == "cpu" && limit && !limit->nano().ok())
        checker.invalid(field + ".limits.cpu", amounts.second->to_string(), limit->nano().error().message());
}

void check_resources(Checker& checker, const std::string& field, const ResourceRequirements& resources) {
    check_amount(checker, field, "cpu", {resources.requests.cpu, resources.limits.cpu});
    check_amount(checker, field, "memory", {resources.requests.memory, resources.limits.memory});
}

}  // namespace

std::optional<Quantity> check_quantity(Checker& checker, const std::string& field, const IntOrString& amount) {
    const std::string text = amount.to_string();
    Result<Quantity> quantity = Quantity::parse(text);
    if (!quantity.ok()) {
        checker.invalid(field, text, quantity.error().message());
    } else if (quantity->is_negative()) {
        checker.invalid(field, text, "must not be negative");
    } else if (quantity->units() == std::numeric_limits<std::int64_t>::max()) {
        checker.invalid(field, text, "is too large: must be less than 8Ei, which is 2^63");
    } else {
        return *quantity;
    }
    return std::nullopt;
}

void check_env(Checker& checker, const std::string& field, const std::vector<EnvVar>& env) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < env.size(); ++i) {
        std::string here = at(field, i);
        if (env[i].name.empty() || env[i].name.find('=') != std::string::npos)
            checker.invalid(here + ".name", env[i].name, "must be a name without \"=\"");
        if (!names.insert(env[i].name).second) checker.duplicate(here + ".name", env[i].name);
        if (env[i].value) checker.printable(here + ".value", *env[i].value);
        if (!env[i].value_from) continue;
        if (env[i].value) checker.forbidden(here + ".valueFrom", "value and valueFrom exclude each other");
        const EnvSource& source = *env[i].value_from;
        if (count_set({source.config_map_key_ref.has_value(), source.secret_key_ref.has_value()}) != 1)
            checker.forbidden(here + ".valueFrom", "exactly one of configMapKeyRef, secretKeyRef must be set");
    }
}

void check_mounts(Checker& checker, const std::string& field, const std::vector<VolumeMount>& mounts,
                  const StackSpec& stack) {
    std::set<std::string> paths;
    for (std::size_t i = 0; i < mounts.size(); ++i) {
        const VolumeMount& mount = mounts[i];
        std::string here = at(field, i);
        if (!is_canonical(mount.mount_path) || mount.mount_path.find(':') != std::string::npos)
            checker.invalid(
                here + ".mountPath", mount.mount_path,
                "must be a path below the root, without \":\", a slash at its end, \"//\", \".\" or \"..\", "
                "such as /data");
        checker.printable(here + ".mountPath", mount.mount_path);
        if (!paths.insert(mount.mount_path).second) checker.duplicate(here + ".mountPath", mount.mount_path);
        const Volume* volume = stack.find_volume(mount.name);
        if (!volume) checker.not_found(here + ".name", mount.name, "volume in spec.volumes", names_of(stack.volumes));
        if (volume && !mount.sub_path.empty() && !volume->config_map && !volume->secret)
            checker.not_supported(
                here + ".subPath", mount.sub_path,
                "subPath names one key of a configMap or secret volume; mount this volume as a whole");
    }
}

void check_container(Checker& checker, const std::string& field, const Container& container, const StackSpec& stack) {
    if (container.image.empty()) checker.required(field + ".image", "the image to run");
    check_words(checker, field + ".command", container.command);
    check_words(checker, field + ".args", container.args);
    checker.printable(field + ".workingDir", container.working_dir);
    if (!container.working_dir.empty() && !container.working_dir.starts_with('/'))
        checker.invalid(field + ".workingDir", container.working_dir, "must be an absolute path, such as /srv");
    check_env(checker, field + ".env", container.env);
    check_env_from(checker, field + ".envFrom", container.env_from);
    check_ports(checker, field + ".ports", container.ports);
    check_resources(checker, field + ".resources", container.resources);
    check_mounts(checker, field + ".volumeMounts", container.volume_mounts, stack);
    check_probe(checker, field + ".livenessProbe", container, container.liveness_probe);
    check_probe(checker, field + ".readinessProbe", container, container.readiness_probe);
    check_probe(checker, field + ".startupProbe", container, container.startup_probe);
}

}  // namespace atl::crds
