#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crds/meta.h"

namespace atl::crds {

/// core/v1 ConfigMapKeySelector and SecretKeySelector.
struct KeySelector {
    std::string name;
    std::string key;
    bool optional = false;  ///< true: no error if the object or the key is missing
    bool operator==(const KeySelector&) const = default;
};

/// A union: exactly one member is set.
struct EnvSource {
    std::optional<KeySelector> config_map_key_ref;
    std::optional<KeySelector> secret_key_ref;
    bool operator==(const EnvSource&) const = default;
};

/// One variable of the environment: a value, or where it comes from.
struct EnvVar {
    std::string name;
    std::optional<std::string> value;
    std::optional<EnvSource> value_from;
    bool operator==(const EnvVar&) const = default;
};

struct ObjectSelector {
    std::string name;
    bool optional = false;
    bool operator==(const ObjectSelector&) const = default;
};

/// All keys of a ConfigMap or a Secret as variables. A union: exactly one of the two references is set.
struct EnvFrom {
    std::string prefix;
    std::optional<ObjectSelector> config_map_ref;
    std::optional<ObjectSelector> secret_ref;
    bool operator==(const EnvFrom&) const = default;
};

struct ContainerPort {
    std::string name;
    std::int64_t container_port = 0;
    std::string protocol = "TCP";  ///< TCP or UDP
    bool operator==(const ContainerPort&) const = default;
};

struct VolumeMount {
    std::string name;  ///< a volume of the Stack
    std::string mount_path;
    std::string sub_path;  ///< one key of a configMap or secret: mount_path is then the file
    bool read_only = false;
    bool operator==(const VolumeMount&) const = default;
};

/// Quantities as written ("500m", "64Mi"); empty if not set.
struct ResourceAmounts {
    std::optional<IntOrString> cpu;
    std::optional<IntOrString> memory;
    bool operator==(const ResourceAmounts&) const = default;
};
struct ResourceRequirements {
    ResourceAmounts requests;
    ResourceAmounts limits;
    bool operator==(const ResourceRequirements&) const = default;
};

struct ExecAction {
    std::vector<std::string> command;
    bool operator==(const ExecAction&) const = default;
};
struct HttpGetAction {
    std::string path = "/";
    IntOrString port;  ///< number, or name of a port of the container
    bool operator==(const HttpGetAction&) const = default;
};
struct TcpSocketAction {
    IntOrString port;
    bool operator==(const TcpSocketAction&) const = default;
};

/// core/v1 Probe. A union: exactly one action is set.
struct Probe {
    std::optional<ExecAction> exec;
    std::optional<HttpGetAction> http_get;
    std::optional<TcpSocketAction> tcp_socket;
    std::int64_t initial_delay_seconds = 0;
    std::int64_t period_seconds = 10;
    std::int64_t timeout_seconds = 1;
    std::int64_t failure_threshold = 3;
    bool operator==(const Probe&) const = default;
};

/// core/v1 Container, as far as back ends can do it.
struct Container {
    std::string image;
    std::string image_pull_policy = "IfNotPresent";  ///< Always, IfNotPresent or Never
    std::vector<std::string> command;
    std::vector<std::string> args;
    std::string working_dir;
    std::vector<EnvVar> env;
    std::vector<EnvFrom> env_from;
    std::vector<ContainerPort> ports;
    ResourceRequirements resources;
    std::vector<VolumeMount> volume_mounts;
    std::optional<Probe> liveness_probe;
    std::optional<Probe> readiness_probe;
    std::optional<Probe> startup_probe;
    bool operator==(const Container&) const = default;
    /// The port of that name, or nullptr.
    const ContainerPort* find_port(std::string_view name) const;
};

/// The number of a probe's port, whether it is given as a number or by name; nullopt if there is no such port.
std::optional<std::uint16_t> port_number(const Container& container, const IntOrString& port);

}  // namespace atl::crds
