#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

namespace atl::cloud {

/// A port of a container, as core/v1 ContainerPort.
struct WorkloadPort {
    std::string name;
    std::uint16_t container_port = 0;
    std::string protocol = "TCP";
};

/// A published port: gateway listener to container port.
struct PublishedPort {
    std::uint16_t listen = 0;
    std::uint16_t container_port = 0;
    std::string protocol = "TCP";
    std::string gateway;  ///< for messages
};

/// A value of the environment; a secret one never enters properties, only through content.
struct EnvVar {
    std::string name;
    std::string value;
};

/// A file that the container sees. The content is held apart from everything that is logged, hashed in clear or shown.
struct FileMount {
    std::string path;  ///< absolute path in the container
    std::string content;
    bool secret = false;
    std::uint32_t mode = 0444;
};

struct VolumeMount {
    std::string volume;  ///< graph name of the volume
    std::string path;
    bool read_only = false;
    enum class Kind { Persistent, EmptyDir } kind = Kind::Persistent;
    bool retain = false;  ///< Persistent: survives the deletion of its owner
    std::optional<std::int64_t> size_bytes;
};

/// A health check by command, HTTP or TCP, as core/v1 Probe.
struct Probe {
    std::vector<std::string> command;
    std::string http_path;
    std::uint16_t port = 0;
    std::chrono::seconds initial_delay{0};
    std::chrono::seconds period{10};
    std::chrono::seconds timeout{1};
    int failure_threshold = 3;
};

/// What a container of another workload provides to this one.
struct WorkloadLink {
    std::string name;           ///< the consumed service's name: the consumer's own word
    std::uint16_t port = 0;     ///< the port that the consumer uses
    std::string provider;       ///< graph name of the provider's workload
    std::string provider_host;  ///< name under which the provider answers, where the orchestrator has DNS
    std::uint16_t provider_port = 0;
};

struct RolloutPolicy {
    int max_surge = 0;
    int max_unavailable = 1;
    std::chrono::seconds progress_deadline{600};
    std::chrono::seconds monitor{5};  ///< how long a new copy must stay up to count
};

/// One container with its copies: what an Orchestrator places. Neutral: no Kubernetes, no vendor.
struct Workload {
    std::string path;  ///< configuration path: "web", "forum/app"
    std::string name;  ///< graph name, a DNS label: unique per owner and also its DNS name
    std::string
        group;  ///< the Stack: workloads of one group share a network; unique in the Cluster ("namespace/stack")
    std::string hash_key;  ///< the installation's key, under which contents are hashed; leaves the process nowhere
    std::string image;
    std::string image_pull_policy = "IfNotPresent";
    std::vector<std::string> command;
    std::vector<std::string> args;
    std::string working_dir;
    std::vector<EnvVar> env;         ///< sorted by name
    std::vector<EnvVar> secret_env;  ///< as env, but never shown
    std::vector<WorkloadPort> ports;
    std::vector<PublishedPort> published;
    std::vector<FileMount> files;
    std::vector<VolumeMount> volumes;
    std::vector<WorkloadLink> links;
    std::optional<Probe> readiness;
    std::optional<Probe> liveness;
    std::optional<Probe> startup;
    int replicas = 1;
    std::optional<std::int64_t> cpu_limit_nano;
    std::optional<std::int64_t> memory_limit_bytes;
    std::optional<std::int64_t> cpu_request_nano;
    std::optional<std::int64_t> memory_request_bytes;
    RolloutPolicy rollout;
    std::chrono::seconds stop_grace{10};
    std::string machine_pool;  ///< placement; empty: anywhere
    std::string machine;
};

/// How the container before the present one ended.
struct Termination {
    std::string message;           ///< in the words of the engine; may be empty
    std::optional<int> exit_code;  ///< where the engine keeps it
    std::string finished_at;       ///< RFC 3339; empty where the engine did not say
    bool operator==(const Termination&) const = default;
};

/// One running (or failed) copy of a workload's container.
struct ContainerStatus {
    std::string path;
    std::string replica;  ///< slot or index
    std::string container_id;
    std::string machine;
    std::string address;
    std::vector<std::string> ports;  ///< "0.0.0.0:8080->80/tcp"
    std::string state;               ///< Pending, Starting, Running, Completed, Failed
    int restarts = 0;
    std::string last_error;  ///< why it does not run, or did not until a moment ago; empty for what runs steadily
    std::string image;       ///< as it was asked for: a name, with the digest if one was pinned
    std::string image_id;    ///< what that was resolved to on its machine: "sha256:…", where known
    std::optional<Termination> last_termination;
};

/// How far a workload is.
struct WorkloadStatus {
    std::string path;
    int desired = 0;
    int updated = 0;    ///< copies of the newest revision that run
    int available = 0;  ///< copies that run and are ready
    enum class Phase { Progressing, Done, Failed, RolledBack } phase = Phase::Progressing;
    std::string message;  ///< first error of a container or of the scheduler
    std::vector<ContainerStatus> containers;
    /// Notes for the conditions Emulated and warnings: "no IPVS on this kernel: published ports use host mode".
    std::vector<std::string> notes;
};

}  // namespace atl::cloud
