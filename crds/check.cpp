#include <algorithm>
#include <charconv>
#include <map>

#include "crds/checker.h"
#include "crds/cluster.h"
#include "crds/composition.h"
#include "crds/service_instance.h"
#include "operator/base/duration.h"
#include "operator/base/quantity.h"

namespace atl::crds {

namespace {

/// The number behind the last colon; 0 if there is none.
std::int64_t port_of(const std::string& host) {
    std::int64_t number = 0;
    std::size_t colon = host.rfind(':');
    const char* begin = host.data() + colon + 1;
    auto [end, error] = std::from_chars(begin, host.data() + host.size(), number);
    return error == std::errc() && end == host.data() + host.size() ? number : 0;
}

void check_engine(Checker& checker, const std::string& field, const Engine& engine) {
    bool tcp = engine.host.starts_with("tcp://");
    if (!tcp && !engine.host.starts_with("unix:///"))
        checker.invalid(field + ".host", engine.host, "must be unix:///path or tcp://host:port");
    std::int64_t port = port_of(engine.host);
    if (tcp && (port < 1 || port > 65535))
        checker.invalid(field + ".host", engine.host, "must end with a port between 1 and 65535");
    if (!tcp && engine.tls_secret_ref) checker.forbidden(field + ".tlsSecretRef", "is for tcp:// only");
}

void check_machines(Checker& checker, const std::string& field, const std::vector<ExistingMachine>& machines) {
    if (machines.empty()) checker.required(field, "at least one machine");
    checker.names(field, machines);
    std::set<std::string> hosts;
    for (std::size_t i = 0; i < machines.size(); ++i) {
        check_engine(checker, at(field, i) + ".engine", machines[i].engine);
        if (!hosts.insert(machines[i].engine.host).second)
            checker.duplicate(at(field, i) + ".engine.host", machines[i].engine.host,
                              "two machines have the same engine");
    }
}

void check_duration(Checker& checker, const std::string& field, const std::string& text, Duration least) {
    Result<Duration> duration = parse_duration(text);
    if (!duration.ok()) {
        checker.invalid(field, text, duration.error().message());
    } else if (*duration < least || *duration > std::chrono::hours(24 * 365)) {
        checker.invalid(field, text, "must be between " + format_duration(least) + " and 8760h (one year)");
    }
}

void check_amount(Checker& checker, const std::string& field, const IntOrString& amount) {
    if (amount.is_number()) {
        if (amount.number() < 0 || amount.number() > 1000)
            checker.invalid(field, amount.number(), "must be between 0 and 1000");
        return;
    }
    const std::string& text = amount.text();
    int percent = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
    bool is_percentage = error == std::errc() && std::string_view(end, text.data() + text.size()) == "%";
    if (!is_percentage || percent < 0 || percent > 100)
        checker.invalid(field, text, "must be a number or a percentage between \"0%\" and \"100%\"");
}

void check_rollout(Checker& checker, const std::string& field, const Rollout& rollout) {
    check_amount(checker, field + ".maxSurge", rollout.max_surge);
    check_amount(checker, field + ".maxUnavailable", rollout.max_unavailable);
    bool none = resolve_count(rollout.max_surge, 1000, Rounding::Up) == 0 &&
                resolve_count(rollout.max_unavailable, 1000, Rounding::Down) == 0;
    if (none) checker.forbidden(field, "maxSurge and maxUnavailable cannot both be 0");
    check_duration(checker, field + ".progressDeadline", rollout.progress_deadline, std::chrono::seconds(1));
    check_duration(checker, field + ".monitor", rollout.monitor, Duration::zero());
}

void check_ends(Checker& checker, const std::string& field, const Service& service) {
    checker.names(field + ".provides", service.provides);
    checker.names(field + ".consumes", service.consumes);
    for (std::size_t i = 0; i < service.consumes.size(); ++i)
        checker.port(at(field + ".consumes", i) + ".port", service.consumes[i].port);
    if (!service.container) return;
    for (std::size_t i = 0; i < service.provides.size(); ++i)
        if (!service.container->find_port(service.provides[i].port))
            checker.not_found(at(field + ".provides", i) + ".port", service.provides[i].port, "port of the container",
                              names_of(service.container->ports));
}

void check_depends_on(Checker& checker, const std::string& field, const Service& service, const StackSpec& spec) {
    for (std::size_t i = 0; i < service.depends_on.size(); ++i) {
        const Service* other = spec.find_service(service.depends_on[i]);
        if (!other) {
            checker.not_found(at(field, i), service.depends_on[i], "service in spec.services", names_of(spec.services));
        } else if (is_internal(spec, *other)) {
            checker.forbidden(at(field, i),
                              "\"" + other->name + "\" is Internal and has no ServiceInstance to wait for");
        }
    }
    if (!service.depends_on.empty() && is_internal(spec, service))
        checker.forbidden(field, "\"" + service.name + "\" is Internal: put dependsOn on the composite that uses it");
}

void check_service(Checker& checker, const std::string& field, const Service& service, const StackSpec& spec) {
    if (service.container.has_value() == service.composite.has_value())
        checker.forbidden(field, "exactly one of container, composite must be set");
    if (service.composite && !service.provides.empty())
        checker.forbidden(field + ".provides", "a composite has composite.provides instead");
    if (service.composite && !service.consumes.empty())
        checker.forbidden(field + ".consumes", "a composite consumes nothing itself: link its members' services");
    if (service.replicas && (*service.replicas < 0 || *service.replicas > 1000))
        checker.invalid(field + ".replicas", *service.replicas, "must be between 0 and 1000");
    if (service.container) check_container(checker, field + ".container", *service.container, spec);
    check_ends(checker, field, service);
    check_rollout(checker, field + ".rollout", service.rollout);
    check_depends_on(checker, field + ".dependsOn", service, spec);
}

void check_key_paths(Checker& checker, const std::string& field, const std::vector<KeyToPath>& items) {
    std::set<std::string> paths;
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::string here = at(field, i) + ".path";
        const std::string& path = items[i].path;
        bool climbs = ("/" + path + "/").find("/../") != std::string::npos;
        if (path.empty() || path.starts_with('/') || climbs)
            checker.invalid(here, path, "must be a relative path without \"..\"");
        if (!paths.insert(path).second) checker.duplicate(here, path);
    }
}

void check_volume(Checker& checker, const std::string& field, const Volume& volume) {
    int kinds = (volume.persistent ? 1 : 0) + (volume.config_map ? 1 : 0) + (volume.secret ? 1 : 0) +
                (volume.empty_dir ? 1 : 0);
    if (kinds != 1) checker.forbidden(field, "exactly one of persistent, configMap, secret, emptyDir must be set");
    if (volume.config_map) check_key_paths(checker, field + ".configMap.items", volume.config_map->items);
    if (volume.secret) check_key_paths(checker, field + ".secret.items", volume.secret->items);
    if (!volume.persistent || !volume.persistent->size) return;
    std::optional<Quantity> size = check_quantity(checker, field + ".persistent.size", *volume.persistent->size);
    if (size && size->is_zero()) checker.invalid(field + ".persistent.size", size->to_string(), "must be more than 0");
}

void check_gateways(Checker& checker, const StackSpec& spec) {
    checker.names("spec.gateways", spec.gateways);
    std::map<std::string, std::string> taken;
    for (std::size_t i = 0; i < spec.gateways.size(); ++i) {
        const Gateway& gateway = spec.gateways[i];
        std::string here = at("spec.gateways", i);
        if (gateway.routes.size() != 1) checker.required(here + ".routes", "exactly one target");
        if (gateway.listeners.empty()) checker.required(here + ".listeners", "at least one port");
        for (std::size_t j = 0; j < gateway.listeners.size(); ++j) {
            const Listener& listener = gateway.listeners[j];
            std::string field = at(here + ".listeners", j) + ".port";
            checker.port(field, listener.port);
            std::string port = std::to_string(listener.port) + (listener.protocol == "UDP" ? "/UDP" : "/TCP");
            if (auto [other, fresh] = taken.emplace(port, gateway.name); !fresh)
                checker.duplicate(field, port, "gateway \"" + other->second + "\" has it already");
        }
    }
}

/// A listener and the port behind it must speak the same protocol.
void check_gateway_protocols(Checker& checker, const StackSpec& spec) {
    for (std::size_t i = 0; i < spec.gateways.size(); ++i) {
        const Gateway& gateway = spec.gateways[i];
        if (gateway.routes.empty()) continue;
        std::optional<ProviderEnd> target = resolve_provides(spec, gateway.routes[0].to);
        for (std::size_t j = 0; target && j < gateway.listeners.size(); ++j) {
            std::string carried = gateway.listeners[j].protocol == "UDP" ? "UDP" : "TCP";
            if (carried != target->protocol)
                checker.invalid(at(at("spec.gateways", i) + ".listeners", j) + ".protocol",
                                gateway.listeners[j].protocol, "the port behind it speaks " + target->protocol);
        }
    }
}

}  // namespace

FieldErrors check(const ClusterSpec& spec) {
    Checker checker;
    if (spec.infrastructure.name().empty())
        checker.forbidden("spec.infrastructure", "exactly one of local, existing must be set");
    if (spec.orchestrator.name().empty())
        checker.forbidden("spec.orchestrator", "exactly one of none, swarm must be set");
    if (spec.infrastructure.local)
        check_engine(checker, "spec.infrastructure.local.engine", spec.infrastructure.local->engine);
    if (spec.infrastructure.existing)
        check_machines(checker, "spec.infrastructure.existing.machines", spec.infrastructure.existing->machines);
    return checker.take();
}

FieldErrors check(const StackSpec& spec) {
    Checker checker;
    if (spec.cluster_ref.name.empty())
        checker.required("spec.clusterRef.name", "the Cluster on which the services run");
    if (spec.services.empty()) checker.required("spec.services", "at least one service");
    checker.names("spec.services", spec.services);
    checker.names("spec.volumes", spec.volumes);
    for (std::size_t i = 0; i < spec.services.size(); ++i)
        check_service(checker, at("spec.services", i), spec.services[i], spec);
    for (std::size_t i = 0; i < spec.volumes.size(); ++i) check_volume(checker, at("spec.volumes", i), spec.volumes[i]);
    check_gateways(checker, spec);
    if (spec.catalogue_only && !spec.gateways.empty())
        checker.forbidden("spec.gateways", "a template cannot have gateways");
    check_composition(checker, spec);
    FieldErrors errors = checker.take();
    // What follows from broken references would only hide them.
    if (!errors.empty()) return errors;
    check_supplies(checker, spec);
    check_gateway_protocols(checker, spec);
    return checker.take();
}

FieldErrors check(const ServiceInstanceSpec& spec, const StackSpec& stack) {
    Checker checker;
    const Service* service = stack.find_service(spec.service);
    if (!service) {
        checker.not_found("spec.service", spec.service, "service in the Stack", names_of(stack.services));
        return checker.take();
    }
    if (is_internal(stack, *service))
        checker.forbidden("spec.service",
                          "\"" + spec.service + "\" is Internal: it runs only in the composites that use it");
    if (spec.replicas < 0 || spec.replicas > 1000)
        checker.invalid("spec.replicas", spec.replicas, "must be between 0 and 1000");
    std::vector<std::string> known;
    for (const Leaf& leaf : leaves_of(stack, spec.service)) known.push_back(leaf.path);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < spec.configuration.size(); ++i) {
        const Configuration& entry = spec.configuration[i];
        std::string here = at("spec.configuration", i);
        if (std::find(known.begin(), known.end(), entry.path) == known.end())
            checker.not_found(here + ".path", entry.path, "container in the service", known);
        if (!seen.insert(entry.path).second) checker.duplicate(here + ".path", entry.path);
        check_env(checker, here + ".env", entry.env);
        check_mounts(checker, here + ".volumeMounts", entry.volume_mounts, stack);
    }
    return checker.take();
}

}  // namespace atl::crds
