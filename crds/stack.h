#pragma once

#include <optional>
#include <string>
#include <vector>

#include "crds/container.h"
#include "crds/meta.h"

namespace atl::crds {

enum class Exposure {
    Stack,     ///< the default: reached by other services of the Stack; may be the target of a gateway too
    Public,    ///< may be the target of a gateway
    Internal,  ///< has no ServiceInstance of its own; reached only through a composite that uses it
};

/// A port that a service offers to others, by name.
struct Provides {
    std::string name;
    std::string port;  ///< name of a port of the container
    std::string description;
    bool operator==(const Provides&) const = default;
};

/// What the container expects, by its own word for it; a link supplies it.
struct Consumes {
    std::string name;
    std::int64_t port = 0;  ///< the port that the container will connect to
    std::string description;
    bool operator==(const Consumes&) const = default;
};

struct LinkFrom {
    std::string service;
    std::string consumes;
    bool operator==(const LinkFrom&) const = default;
};
struct LinkTo {
    std::string service;
    std::string provides;
    bool operator==(const LinkTo&) const = default;
};
/// Joins what one service consumes to what another provides.
struct Link {
    std::string name;
    LinkFrom from;
    LinkTo to;
    bool operator==(const Link&) const = default;
};

/// A member of a composite: its own name there, and the Stack's service that it is a copy of.
struct CompositeMember {
    std::string name;
    std::string service;
    bool operator==(const CompositeMember&) const = default;
};
struct CompositeProvides {
    std::string name;
    LinkTo from;  ///< a member, and what it provides
    std::string description;
    bool operator==(const CompositeProvides&) const = default;
};
/// Several services that run as one, with their own links inside.
struct Composite {
    std::vector<CompositeMember> services;
    std::vector<Link> links;  ///< ends name members
    std::vector<CompositeProvides> provides;
    bool operator==(const Composite&) const = default;
};

/// How copies are replaced by newer ones.
struct Rollout {
    IntOrString max_surge{std::int64_t{0}};        ///< number or percentage (rounded up) of replicas
    IntOrString max_unavailable{std::int64_t{1}};  ///< number or percentage (rounded down) of replicas
    std::string progress_deadline = "10m";         ///< a duration
    std::string monitor = "5s";                    ///< a duration
    bool operator==(const Rollout&) const = default;
};

struct Placement {
    std::string machine;  ///< name of a Machine of the Cluster; empty: anywhere
    bool operator==(const Placement&) const = default;
};

/// A service of a Stack: a container, or a composite of other services.
struct Service {
    std::string name;
    std::string description;
    Exposure exposure = Exposure::Stack;
    std::optional<Container> container;
    std::optional<Composite> composite;
    std::optional<std::int64_t> replicas;  ///< unset: ServiceInstance.spec.replicas belongs to scale and autoscalers
    std::vector<Provides> provides;
    std::vector<Consumes> consumes;
    Rollout rollout;
    Placement placement;
    std::vector<std::string> depends_on;  ///< services that must be Ready first
    std::int64_t termination_grace_period_seconds = 10;
};

struct Listener {
    std::int64_t port = 0;
    std::string protocol = "TCP";  ///< TCP, UDP or HTTP (carried as TCP; status shows an http:// URL)
    bool operator==(const Listener&) const = default;
};
struct Route {
    LinkTo to;
    bool operator==(const Route&) const = default;
};
/// Ports of the machines that lead to a service.
struct Gateway {
    std::string name;
    std::vector<Listener> listeners;
    std::vector<Route> routes;
    bool operator==(const Gateway&) const = default;
};

struct PersistentVolume {
    std::optional<IntOrString> size;  ///< a quantity
    bool retain = false;              ///< survives the deletion of what uses it
    bool operator==(const PersistentVolume&) const = default;
};
struct KeyToPath {
    std::string key;
    std::string path;
    bool operator==(const KeyToPath&) const = default;
};
struct ConfigMapVolume {
    std::string name;
    std::vector<KeyToPath> items;  ///< empty: every key, as a file of its name
    std::int64_t default_mode = 0644;
    bool operator==(const ConfigMapVolume&) const = default;
};
struct SecretVolume {
    std::string secret_name;
    std::vector<KeyToPath> items;
    std::int64_t default_mode = 0644;
    bool operator==(const SecretVolume&) const = default;
};
struct EmptyDirVolume {
    bool operator==(const EmptyDirVolume&) const = default;
};
/// A union: exactly one member is set.
struct Volume {
    std::string name;
    std::optional<PersistentVolume> persistent;
    std::optional<ConfigMapVolume> config_map;
    std::optional<SecretVolume> secret;
    std::optional<EmptyDirVolume> empty_dir;
    bool operator==(const Volume&) const = default;
};

struct StackSpec {
    LocalReference cluster_ref;
    bool paused = false;
    DeletionPolicy deletion_policy = DeletionPolicy::Delete;
    bool deletion_protection = false;
    bool catalogue_only = false;  ///< "template" in the API: nothing runs until a ServiceInstance names a service
    std::vector<Service> services;
    std::vector<Link> links;
    std::vector<Gateway> gateways;
    std::vector<Volume> volumes;

    const Service* find_service(std::string_view name) const;
    const Volume* find_volume(std::string_view name) const;
};

struct StackServiceStatus {
    std::string name;
    std::string instance;  ///< name of its ServiceInstance
    std::string state;     ///< Pending, Progressing, Ready, Stopped, Failed
    std::int64_t replicas = 0;
    std::int64_t ready_replicas = 0;
    std::string message;
    bool operator==(const StackServiceStatus&) const = default;
};

struct StackStatus {
    std::int64_t observed_generation = -1;
    Conditions conditions;
    std::string services_ready;  ///< "2/3", for printer columns
    std::vector<StackServiceStatus> services;
    std::vector<std::string> endpoints;  ///< URLs
    ResourceCounts resources;
    std::optional<PlanSummary> plan;
};

/// The services to run on a Cluster, how they are linked and how the world reaches them.
struct Stack {
    ObjectMeta meta;
    StackSpec spec;
    StackStatus status;
    bool being_deleted() const { return meta.being_deleted(); }
};

/// See decode_cluster.
Result<Stack> decode_stack(const nlohmann::json& object);
nlohmann::json encode(const StackSpec& spec);
nlohmann::json encode(const StackStatus& status);

/// What no schema can say: references, cycles of links, dependsOn and composites, duplicates, encapsulation, odd
/// quantities and durations, consumer and provider ports. Empty: the spec is sound.
FieldErrors check(const StackSpec& spec);

}  // namespace atl::crds
