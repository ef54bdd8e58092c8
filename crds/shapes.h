#pragma once

#include <array>

#include "crds/cluster.h"
#include "crds/fields.h"
#include "crds/machine.h"
#include "crds/service_instance.h"
#include "crds/stack.h"

/// The fields of every struct of crds/, once: what is read, what is written, and what the schemas in crds/*.yaml must
/// declare.
namespace atl::crds {

template <>
struct EnumNames<DeletionPolicy> {
    static constexpr std::array<EnumRow<DeletionPolicy>, 2> kRows{
        {{DeletionPolicy::Delete, "Delete"}, {DeletionPolicy::Retain, "Retain"}}};
};
template <>
struct EnumNames<RunState> {
    static constexpr std::array<EnumRow<RunState>, 2> kRows{
        {{RunState::Running, "Running"}, {RunState::Stopped, "Stopped"}}};
};
template <>
struct EnumNames<Exposure> {
    static constexpr std::array<EnumRow<Exposure>, 3> kRows{
        {{Exposure::Stack, "Stack"}, {Exposure::Public, "Public"}, {Exposure::Internal, "Internal"}}};
};

// What all kinds share.

template <class V>
void fields(V& v, Seen<V, OwnerReference> it) {
    v.field("apiVersion", it.api_version, Presence::Required);
    v.field("kind", it.kind, Presence::Required);
    v.field("name", it.name, Presence::Required);
    v.field("uid", it.uid, Presence::Required);
    v.field("controller", it.controller);
    v.field("blockOwnerDeletion", it.block_owner_deletion);
}
/// Without the fields that only a server writes: those are for readers alone.
template <class V>
void fields(V& v, Seen<V, ObjectMeta> it) {
    v.field("name", it.name);
    v.field("namespace", it.name_space);
    v.field("labels", it.labels);
    v.field("annotations", it.annotations);
    v.field("finalizers", it.finalizers);
    v.field("ownerReferences", it.owner_references);
    if constexpr (!V::kLooks) {
        v.field("uid", it.uid);
        v.field("resourceVersion", it.resource_version);
        v.field("generateName", it.generate_name);
        v.field("generation", it.generation);
        v.field("creationTimestamp", it.creation_timestamp);
        v.field("deletionTimestamp", it.deletion_timestamp);
    }
}
template <class V>
void fields(V& v, Seen<V, Condition> it) {
    v.field("type", it.type, Presence::Required);
    v.field("status", it.status, Presence::Required);
    v.field("observedGeneration", it.observed_generation);
    v.field("lastTransitionTime", it.last_transition_time, Presence::Required);
    v.field("reason", it.reason, Presence::Required);
    v.field("message", it.message, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, LocalReference> it) {
    v.field("name", it.name, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, PlanItem> it) {
    v.field("op", it.op, Presence::Required);
    v.field("kind", it.kind, Presence::Required);
    v.field("name", it.name, Presence::Required);
    v.field("reason", it.reason);
    v.field("disruptive", it.disruptive);
}
template <class V>
void fields(V& v, Seen<V, PlanSummary> it) {
    v.field("hash", it.hash, Presence::Required);
    v.field("create", it.create);
    v.field("update", it.update);
    v.field("replace", it.replace);
    v.field("delete", it.remove);
    v.field("items", it.items);
    v.field("truncated", it.truncated);
}
template <class V>
void fields(V& v, Seen<V, ResourceCounts> it) {
    v.field("total", it.total);
    v.field("ready", it.ready);
}

// Cluster.

template <class V>
void fields(V& v, Seen<V, Engine> it) {
    v.field("host", it.host);
    v.field("tlsSecretRef", it.tls_secret_ref);
}
template <class V>
void fields(V& v, Seen<V, LocalInfrastructure> it) {
    v.field("engine", it.engine);
}
template <class V>
void fields(V& v, Seen<V, ExistingMachine> it) {
    v.field("name", it.name, Presence::Required);
    v.field("engine", it.engine, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, ExistingInfrastructure> it) {
    v.field("machines", it.machines, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, InfrastructureChoice> it) {
    v.field("local", it.local);
    v.field("existing", it.existing);
}
template <class V>
void fields(V&, Seen<V, NoneOrchestrator>) {}
template <class V>
void fields(V&, Seen<V, SwarmOrchestrator>) {}
template <class V>
void fields(V& v, Seen<V, OrchestratorChoice> it) {
    v.field("none", it.none);
    v.field("swarm", it.swarm);
}
template <class V>
void fields(V& v, Seen<V, ClusterSpec> it) {
    v.field("paused", it.paused);
    v.field("deletionPolicy", it.deletion_policy);
    v.field("deletionProtection", it.deletion_protection);
    v.field("infrastructure", it.infrastructure, Presence::Required);
    v.field("orchestrator", it.orchestrator, Presence::Required);
}
template <class V>
void fields(V& v, Seen<V, ClusterStatus> it) {
    v.field("observedGeneration", it.observed_generation);
    v.field("conditions", it.conditions);
    v.field("infrastructure", it.infrastructure);
    v.field("orchestrator", it.orchestrator);
    v.field("endpoint", it.endpoint);
    v.field("machines", it.machines);
    v.field("resources", it.resources);
    v.field("plan", it.plan);
}
template <class V>
void fields(V& v, Seen<V, Cluster> it) {
    v.field("metadata", it.meta);
    v.field("spec", it.spec, Presence::Required);
    v.field("status", it.status);
}

// Machine.

template <class V>
void fields(V& v, Seen<V, MachineSpec> it) {
    v.field("clusterRef", it.cluster_ref, Presence::Required);
    v.field("pool", it.pool, Presence::Required);
    v.field("role", it.role);
    v.field("slot", it.slot);
    v.field("providerID", it.provider_id);
}
template <class V>
void fields(V& v, Seen<V, MachineEngine> it) {
    v.field("version", it.version);
    v.field("apiVersion", it.api_version);
    v.field("operatingSystem", it.operating_system);
    v.field("architecture", it.architecture);
    v.field("kernel", it.kernel);
}
template <class V>
void fields(V& v, Seen<V, MachineCapacity> it) {
    v.field("cpu", it.cpu);
    v.field("memory", it.memory);
}
template <class V>
void fields(V& v, Seen<V, MachineStatus> it) {
    v.field("observedGeneration", it.observed_generation);
    v.field("conditions", it.conditions);
    v.field("state", it.state);
    v.field("address", it.address);
    v.field("message", it.message);
    v.field("engine", it.engine);
    v.field("capacity", it.capacity);
}
template <class V>
void fields(V& v, Seen<V, Machine> it) {
    v.field("metadata", it.meta);
    v.field("spec", it.spec, Presence::Required);
    v.field("status", it.status);
}

}  // namespace atl::crds
