#pragma once

#include "crds/shapes.h"

/// As shapes.h, for what a Stack and a ServiceInstance are made of.
namespace atl::crds {

template <class V>
void fields(V& v, Seen<V, KeySelector> it) {
    v.field("name", it.name, Presence::Required);
    v.field("key", it.key, Presence::Required);
    v.field("optional", it.optional);
}
template <class V>
void fields(V& v, Seen<V, EnvSource> it) {
    v.field("configMapKeyRef", it.config_map_key_ref);
    v.field("secretKeyRef", it.secret_key_ref);
}
template <class V>
void fields(V& v, Seen<V, EnvVar> it) {
    v.field("name", it.name, Presence::Required);
    v.field("value", it.value);
    v.field("valueFrom", it.value_from);
}
template <class V>
void fields(V& v, Seen<V, ObjectSelector> it) {
    v.field("name", it.name, Presence::Required);
    v.field("optional", it.optional);
}
template <class V>
void fields(V& v, Seen<V, EnvFrom> it) {
    v.field("prefix", it.prefix);
    v.field("configMapRef", it.config_map_ref);
    v.field("secretRef", it.secret_ref);
}
template <class V>
void fields(V& v, Seen<V, ContainerPort> it) {
    v.field("name", it.name, Presence::Required);
    v.field("containerPort", it.container_port, Presence::Required);
    v.field("protocol", it.protocol);
}
template <class V>
void fields(V& v, Seen<V, VolumeMount> it) {
    v.field("name", it.name, Presence::Required);
    v.field("mountPath", it.mount_path, Presence::Required);
    v.field("subPath", it.sub_path);
    v.field("readOnly", it.read_only);
}
template <class V>
void fields(V& v, Seen<V, ResourceAmounts> it) {
    v.field("cpu", it.cpu);
    v.field("memory", it.memory);
}
template <class V>
void fields(V& v, Seen<V, ResourceRequirements> it) {
    v.field("requests", it.requests);
    v.field("limits", it.limits);
}
template <class V>
void fields(V& v, Seen<V, ExecAction> it) {
    v.field("command", it.command, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, HttpGetAction> it) {
    v.field("path", it.path);
    v.field("port", it.port, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, TcpSocketAction> it) {
    v.field("port", it.port, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, Probe> it) {
    v.field("exec", it.exec);
    v.field("httpGet", it.http_get);
    v.field("tcpSocket", it.tcp_socket);
    v.field("initialDelaySeconds", it.initial_delay_seconds);
    v.field("periodSeconds", it.period_seconds);
    v.field("timeoutSeconds", it.timeout_seconds);
    v.field("failureThreshold", it.failure_threshold);
}
template <class V>
void fields(V& v, Seen<V, Container> it) {
    v.field("image", it.image, Presence::Required);
    v.field("imagePullPolicy", it.image_pull_policy);
    v.field("command", it.command);
    v.field("args", it.args);
    v.field("workingDir", it.working_dir);
    v.field("env", it.env);
    v.field("envFrom", it.env_from);
    v.field("ports", it.ports);
    v.field("resources", it.resources);
    v.field("volumeMounts", it.volume_mounts);
    v.field("livenessProbe", it.liveness_probe);
    v.field("readinessProbe", it.readiness_probe);
    v.field("startupProbe", it.startup_probe);
}
template <class V>
void fields(V& v, Seen<V, Provides> it) {
    v.field("name", it.name, Presence::Required);
    v.field("port", it.port, Presence::Required);
    v.field("description", it.description);
}
template <class V>
void fields(V& v, Seen<V, Consumes> it) {
    v.field("name", it.name, Presence::Required);
    v.field("port", it.port, Presence::Required);
    v.field("description", it.description);
}
template <class V>
void fields(V& v, Seen<V, LinkFrom> it) {
    v.field("service", it.service, Presence::Required);
    v.field("consumes", it.consumes, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, LinkTo> it) {
    v.field("service", it.service, Presence::Required);
    v.field("provides", it.provides, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, Link> it) {
    v.field("name", it.name, Presence::Required);
    v.field("from", it.from, Presence::Required);
    v.field("to", it.to, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, CompositeMember> it) {
    v.field("name", it.name, Presence::Required);
    v.field("service", it.service, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, CompositeProvides> it) {
    v.field("name", it.name, Presence::Required);
    v.field("from", it.from, Presence::Required);
    v.field("description", it.description);
}
template <class V>
void fields(V& v, Seen<V, Composite> it) {
    v.field("services", it.services, Presence::Required);
    v.field("links", it.links);
    v.field("provides", it.provides);
}
template <class V>
void fields(V& v, Seen<V, Rollout> it) {
    v.field("maxSurge", it.max_surge);
    v.field("maxUnavailable", it.max_unavailable);
    v.field("progressDeadline", it.progress_deadline);
    v.field("monitor", it.monitor);
}
template <class V>
void fields(V& v, Seen<V, Placement> it) {
    v.field("machine", it.machine);
}
template <class V>
void fields(V& v, Seen<V, Service> it) {
    v.field("name", it.name, Presence::Required);
    v.field("description", it.description);
    v.field("exposure", it.exposure);
    v.field("container", it.container);
    v.field("composite", it.composite);
    v.field("replicas", it.replicas);
    v.field("provides", it.provides);
    v.field("consumes", it.consumes);
    v.field("rollout", it.rollout);
    v.field("placement", it.placement);
    v.field("dependsOn", it.depends_on);
    v.field("terminationGracePeriodSeconds", it.termination_grace_period_seconds);
}
template <class V>
void fields(V& v, Seen<V, Listener> it) {
    v.field("port", it.port, Presence::Required);
    v.field("protocol", it.protocol);
}
template <class V>
void fields(V& v, Seen<V, Route> it) {
    v.field("to", it.to, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, Gateway> it) {
    v.field("name", it.name, Presence::Required);
    v.field("listeners", it.listeners, Presence::Required);
    v.field("routes", it.routes, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, PersistentVolume> it) {
    v.field("size", it.size);
    v.field("retain", it.retain);
}
template <class V>
void fields(V& v, Seen<V, KeyToPath> it) {
    v.field("key", it.key, Presence::Required);
    v.field("path", it.path, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, ConfigMapVolume> it) {
    v.field("name", it.name, Presence::Required);
    v.field("items", it.items);
    v.field("defaultMode", it.default_mode);
}
template <class V>
void fields(V& v, Seen<V, SecretVolume> it) {
    v.field("secretName", it.secret_name, Presence::Required);
    v.field("items", it.items);
    v.field("defaultMode", it.default_mode);
}
template <class V>
void fields(V&, Seen<V, EmptyDirVolume>) {}
template <class V>
void fields(V& v, Seen<V, Volume> it) {
    v.field("name", it.name, Presence::Required);
    v.field("persistent", it.persistent);
    v.field("configMap", it.config_map);
    v.field("secret", it.secret);
    v.field("emptyDir", it.empty_dir);
}
template <class V>
void fields(V& v, Seen<V, StackSpec> it) {
    v.field("clusterRef", it.cluster_ref, Presence::Required);
    v.field("paused", it.paused);
    v.field("deletionPolicy", it.deletion_policy);
    v.field("deletionProtection", it.deletion_protection);
    v.field("template", it.catalogue_only);
    v.field("services", it.services, Presence::Required);
    v.field("links", it.links);
    v.field("gateways", it.gateways);
    v.field("volumes", it.volumes);
}
template <class V>
void fields(V& v, Seen<V, StackServiceStatus> it) {
    v.field("name", it.name, Presence::Required);
    v.field("instance", it.instance);
    v.field("state", it.state);
    v.field("replicas", it.replicas);
    v.field("readyReplicas", it.ready_replicas);
    v.field("message", it.message);
}
template <class V>
void fields(V& v, Seen<V, StackStatus> it) {
    v.field("observedGeneration", it.observed_generation);
    v.field("conditions", it.conditions);
    v.field("servicesReady", it.services_ready);
    v.field("services", it.services);
    v.field("endpoints", it.endpoints);
    v.field("resources", it.resources);
    v.field("plan", it.plan);
}
template <class V>
void fields(V& v, Seen<V, Stack> it) {
    v.field("metadata", it.meta);
    v.field("spec", it.spec, Presence::Required);
    v.field("status", it.status);
}

template <class V>
void fields(V& v, Seen<V, Configuration> it) {
    v.field("path", it.path, Presence::Required);
    v.field("replicas", it.replicas);
    v.field("env", it.env);
    v.field("volumeMounts", it.volume_mounts);
    v.field("placement", it.placement);
}
template <class V>
void fields(V& v, Seen<V, ServiceInstanceSpec> it) {
    v.field("stackRef", it.stack_ref, Presence::Required);
    v.field("service", it.service, Presence::Required);
    v.field("clusterRef", it.cluster_ref);
    v.field("replicas", it.replicas);
    v.field("state", it.state);
    v.field("paused", it.paused);
    v.field("deletionPolicy", it.deletion_policy);
    v.field("deletionProtection", it.deletion_protection);
    v.field("configuration", it.configuration);
}
template <class V>
void fields(V& v, Seen<V, ContainerStatus::Termination> it) {
    v.field("message", it.message);
    v.field("exitCode", it.exit_code);
    v.field("finishedAt", it.finished_at);
}
template <class V>
void fields(V& v, Seen<V, ContainerStatus> it) {
    v.field("path", it.path, Presence::Required);
    v.field("replica", it.replica, Presence::Required);
    v.field("containerID", it.container_id);
    v.field("machine", it.machine);
    v.field("address", it.address);
    v.field("ports", it.ports);
    v.field("state", it.state);
    v.field("restarts", it.restarts);
    v.field("lastError", it.last_error);
    v.field("image", it.image);
    v.field("imageID", it.image_id);
    v.field("lastTermination", it.last_termination);
}
template <class V>
void fields(V& v, Seen<V, LinkStatus> it) {
    v.field("name", it.name, Presence::Required);
    v.field("consumer", it.consumer, Presence::Required);
    v.field("provider", it.provider);
    v.field("mode", it.mode);
    v.field("endpoint", it.endpoint);
    v.field("state", it.state);
    v.field("reason", it.reason);
}
template <class V>
void fields(V& v, Seen<V, ServiceInstanceStatus> it) {
    v.field("observedGeneration", it.observed_generation);
    v.field("observedStackGeneration", it.observed_stack_generation);
    v.field("conditions", it.conditions);
    v.field("replicas", it.replicas);
    v.field("readyReplicas", it.ready_replicas);
    v.field("updatedReplicas", it.updated_replicas);
    v.field("selector", it.selector);
    v.field("state", it.state);
    v.field("cluster", it.cluster);
    v.field("containers", it.containers);
    v.field("links", it.links);
    v.field("endpoints", it.endpoints);
    v.field("resources", it.resources);
    v.field("plan", it.plan);
}
template <class V>
void fields(V& v, Seen<V, ServiceInstance> it) {
    v.field("metadata", it.meta);
    v.field("spec", it.spec, Presence::Required);
    v.field("status", it.status);
}

}  // namespace atl::crds
