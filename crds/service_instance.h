#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crds/container.h"
#include "crds/meta.h"
#include "crds/stack.h"

namespace atl::crds {

enum class RunState { Running, Stopped };

/// Settings of one container of the instance. An entry for a path that the service does not have is refused.
struct Configuration {
    std::string path;  ///< "web" for a plain service, "app" or "backend/store" inside a composite
    std::optional<std::int64_t> replicas;
    std::vector<EnvVar> env;                 ///< merged by name over the service's own
    std::vector<VolumeMount> volume_mounts;  ///< merged by mountPath over the service's own
    std::optional<Placement> placement;
};

struct ServiceInstanceSpec {
    LocalReference stack_ref;
    std::string service;
    std::optional<LocalReference> cluster_ref;  ///< unset: the Stack's Cluster
    std::int64_t replicas = 1;
    RunState state = RunState::Running;
    bool paused = false;
    DeletionPolicy deletion_policy = DeletionPolicy::Delete;
    bool deletion_protection = false;
    std::vector<Configuration> configuration;

    const Configuration* find_configuration(std::string_view path) const;
};

/// One running, starting or failed container. Keyed by path and replica.
struct ContainerStatus {
    struct Termination {
        std::string message;  ///< in the words of the engine
        std::optional<std::int64_t> exit_code;
        std::string finished_at;  ///< RFC 3339
        bool operator==(const Termination&) const = default;
    };

    std::string path;
    std::string replica;
    std::string container_id;
    std::string machine;
    std::string address;
    std::vector<std::string> ports;
    std::string state;  ///< Pending, Starting, Running, Completed, Failed
    std::int64_t restarts = 0;
    std::string last_error;  ///< why it does not run; empty for what runs steadily
    std::string image;       ///< as it was asked for
    std::string image_id;    ///< what was resolved
    std::optional<Termination> last_termination;
    bool operator==(const ContainerStatus&) const = default;
};

/// One established or awaited link of the instance.
struct LinkStatus {
    std::string name;      ///< name of the link in the Stack
    std::string consumer;  ///< path of the container that consumes
    std::string provider;  ///< "instance/path" of the container that provides
    std::string mode;      ///< Direct or Ambassador
    std::string endpoint;  ///< "db:5432": where the consumer connects
    std::string state;     ///< Established or Waiting
    std::string reason;
    bool operator==(const LinkStatus&) const = default;
};

struct ServiceInstanceStatus {
    std::int64_t observed_generation = -1;
    std::int64_t observed_stack_generation = 0;
    Conditions conditions;
    std::int64_t replicas = 0;
    std::int64_t ready_replicas = 0;
    std::int64_t updated_replicas = 0;
    std::string selector;  ///< for the scale subresource: "atoll.dev/instance=web"
    std::string state;     ///< Running, Stopped, Progressing, Failed
    std::string cluster;   ///< name of the Cluster where it runs
    std::vector<ContainerStatus> containers;
    std::vector<LinkStatus> links;
    std::vector<std::string> endpoints;  ///< URLs
    ResourceCounts resources;
    std::optional<PlanSummary> plan;
};

/// One running copy of a service, or of a whole composite, with its own settings.
struct ServiceInstance {
    ObjectMeta meta;
    ServiceInstanceSpec spec;
    ServiceInstanceStatus status;
    bool being_deleted() const { return meta.being_deleted(); }
};

/// See decode_cluster.
Result<ServiceInstance> decode_service_instance(const nlohmann::json& object);
/// What a writer sends: fields that are at their default are left out, so that they stay unowned; replicas is written
/// only if `with_replicas` is Yes (see StackSpec: Service::replicas).
enum class WithReplicas { Yes, No };
nlohmann::json encode(const ServiceInstanceSpec& spec, WithReplicas with_replicas);
nlohmann::json encode(const ServiceInstanceStatus& status);

/// What only the Stack can tell: an unknown service, an Internal one, unknown or duplicate paths, unknown volumes.
FieldErrors check(const ServiceInstanceSpec& spec, const StackSpec& stack);

}  // namespace atl::crds
