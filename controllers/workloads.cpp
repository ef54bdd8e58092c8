#include "controllers/workloads.h"

#include <algorithm>
#include <utility>

#include "controllers/environment_values.h"
#include "controllers/mounts.h"
#include "crds/composition.h"
#include "operator/base/duration.h"
#include "operator/base/names.h"
#include "operator/base/quantity.h"

namespace atl::controllers {

namespace {

/// One container on its way to a Workload.
struct Draft {
    const crds::Stack& stack;
    const crds::ServiceInstance& instance;
    const Content& content;
    const crds::ConfiguredLeaf& leaf;
    cloud::Workload workload;

    const crds::Container& container() const { return *leaf.service.container; }
    std::string field(const std::string& below) const { return "spec.services[" + leaf.service.name + "]." + below; }
};

Result<std::optional<std::int64_t>> amount(const Draft& draft, const std::optional<crds::IntOrString>& value,
                                           const std::string& field, bool nano) {
    if (!value) return std::optional<std::int64_t>();
    const auto quantity = Quantity::parse(value->to_string());
    if (!quantity.ok()) return Error(quantity.error()).at_field(draft.field(field));
    if (!nano) return std::optional<std::int64_t>(quantity->units());
    const auto billionths = quantity->nano();
    if (!billionths.ok()) return Error(billionths.error()).at_field(draft.field(field));
    return std::optional<std::int64_t>(*billionths);
}

Result<Unit> fill_resources(Draft& draft) {
    const crds::ResourceRequirements& resources = draft.container().resources;
    struct Row {
        const std::optional<crds::IntOrString>& from;
        std::optional<std::int64_t>& to;
        const char* field;
        bool nano;
    };
    cloud::Workload& workload = draft.workload;
    for (const Row& row : {
             Row{resources.limits.cpu, workload.cpu_limit_nano, "container.resources.limits.cpu", true},
             Row{resources.limits.memory, workload.memory_limit_bytes, "container.resources.limits.memory", false},
             Row{resources.requests.cpu, workload.cpu_request_nano, "container.resources.requests.cpu", true},
             Row{resources.requests.memory, workload.memory_request_bytes, "container.resources.requests.memory",
                 false},
         }) {
        auto value = amount(draft, row.from, row.field, row.nano);
        if (!value.ok()) return value.error();
        row.to = *value;
    }
    return ok();
}

std::optional<cloud::Probe> probe_of(const crds::Container& container, const std::optional<crds::Probe>& probe) {
    if (!probe) return std::nullopt;
    cloud::Probe result;
    if (probe->exec) result.command = probe->exec->command;
    if (probe->http_get) {
        result.http_path = probe->http_get->path;
        result.port = crds::port_number(container, probe->http_get->port).value_or(0);
    }
    if (probe->tcp_socket) result.port = crds::port_number(container, probe->tcp_socket->port).value_or(0);
    result.initial_delay = std::chrono::seconds(probe->initial_delay_seconds);
    result.period = std::chrono::seconds(probe->period_seconds);
    result.timeout = std::chrono::seconds(probe->timeout_seconds);
    result.failure_threshold = static_cast<int>(probe->failure_threshold);
    return result;
}

Result<std::chrono::seconds> seconds_of(const Draft& draft, const std::string& text, const std::string& field) {
    const auto duration = parse_duration(text);
    if (!duration.ok()) return Error(duration.error()).at_field(draft.field(field));
    return std::chrono::duration_cast<std::chrono::seconds>(*duration);
}

Result<Unit> fill_rollout(Draft& draft) {
    const crds::Rollout& rollout = draft.leaf.service.rollout;
    cloud::RolloutPolicy& policy = draft.workload.rollout;
    const std::int64_t replicas = draft.leaf.replicas;
    policy.max_surge = static_cast<int>(crds::resolve_count(rollout.max_surge, replicas, crds::Rounding::Up));
    policy.max_unavailable =
        static_cast<int>(crds::resolve_count(rollout.max_unavailable, replicas, crds::Rounding::Down));
    if (policy.max_surge == 0 && policy.max_unavailable == 0) policy.max_unavailable = 1;
    const auto deadline = seconds_of(draft, rollout.progress_deadline, "rollout.progressDeadline");
    if (!deadline.ok()) return deadline.error();
    const auto monitor = seconds_of(draft, rollout.monitor, "rollout.monitor");
    if (!monitor.ok()) return monitor.error();
    policy.progress_deadline = *deadline;
    policy.monitor = *monitor;
    return ok();
}

void fill_container(Draft& draft) {
    const crds::Container& container = draft.container();
    cloud::Workload& workload = draft.workload;
    workload.image = container.image;
    workload.image_pull_policy = container.image_pull_policy;
    workload.command = container.command;
    workload.args = container.args;
    workload.working_dir = container.working_dir;
    for (const crds::ContainerPort& port : container.ports) {
        workload.ports.push_back({port.name, static_cast<std::uint16_t>(port.container_port), port.protocol});
    }
    workload.readiness = probe_of(container, container.readiness_probe);
    workload.liveness = probe_of(container, container.liveness_probe);
    workload.startup = probe_of(container, container.startup_probe);
    workload.stop_grace = std::chrono::seconds(draft.leaf.service.termination_grace_period_seconds);
    workload.machine = draft.leaf.service.placement.machine;
    workload.replicas = static_cast<int>(draft.leaf.replicas);
}

Result<Unit> fill_environment(Draft& draft) {
    auto environment = environment_of(draft.container(), draft.content);
    if (!environment.ok()) return environment.error();
    draft.workload.env = std::move(environment->shown);
    draft.workload.secret_env = std::move(environment->secret);
    std::map<std::string, std::string> variables;
    for (const cloud::EnvVar& variable : draft.workload.env) variables[variable.name] = variable.value;
    for (std::string& argument : draft.workload.command) argument = expand(argument, variables);
    for (std::string& argument : draft.workload.args) argument = expand(argument, variables);
    return ok();
}

Result<Unit> fill_mounts(Draft& draft) {
    auto mounts = mounts_of(draft.container(), {draft.stack.spec, draft.instance.meta.name, draft.content});
    if (!mounts.ok()) return mounts.error();
    draft.workload.files = std::move(mounts->files);
    draft.workload.volumes = std::move(mounts->volumes);
    return ok();
}

/// Name of the workload at the provider's end of a link.
std::string provider_of(const Draft& draft, const crds::ProviderEnd& end) {
    const std::string& service = end.service.empty() ? draft.instance.spec.service : end.service;
    const std::string instance =
        end.service.empty() ? draft.instance.meta.name : instance_name(draft.stack.meta.name, end.service);
    return workload_name(instance, service, end.path);
}

void fill_links(Draft& draft) {
    for (const crds::ResolvedLink& link : crds::links_of(draft.stack.spec, draft.instance.spec.service)) {
        if (link.consumer_path != draft.leaf.path) continue;
        const std::string provider = provider_of(draft, link.provider);
        draft.workload.links.push_back({link.consumes.name, static_cast<std::uint16_t>(link.consumes.port), provider,
                                        provider, link.provider.port});
    }
    std::ranges::sort(draft.workload.links, {}, &cloud::WorkloadLink::name);
}

void fill_published(Draft& draft) {
    const std::string& service = draft.instance.spec.service;
    if (draft.instance.meta.name != instance_name(draft.stack.meta.name, service)) return;
    for (const crds::ResolvedRoute& route : crds::routes_to(draft.stack.spec, service)) {
        if (route.target.path != draft.leaf.path) continue;
        draft.workload.published.push_back({static_cast<std::uint16_t>(route.listener.port), route.target.port,
                                            route.listener.protocol, route.gateway});
    }
}

Result<cloud::Workload> workload_of(Draft draft) {
    fill_container(draft);
    for (const auto fill : {fill_resources, fill_rollout, fill_environment, fill_mounts}) {
        const Result<Unit> filled = fill(draft);
        if (!filled.ok()) return Error(filled.error()).during("service \"" + draft.leaf.service.name + "\"");
    }
    fill_links(draft);
    fill_published(draft);
    return std::move(draft.workload);
}

}  // namespace

std::string instance_name(const std::string& stack, const std::string& service) {
    return bounded_name({stack, service});
}

std::string workload_name(const std::string& instance, const std::string& service, const std::string& path) {
    if (path == service) return instance;
    std::string flat = path;
    std::ranges::replace(flat, '/', '-');
    return bounded_name({instance, flat});
}

std::string group_name(const crds::ObjectMeta& stack) {
    return bounded_name({stack.name_space, stack.name}, 40);
}

Result<std::vector<cloud::Workload>> workloads_of(const crds::Stack& stack, const crds::ServiceInstance& instance,
                                                  const Content& content) {
    std::vector<cloud::Workload> workloads;
    for (const crds::ConfiguredLeaf& leaf : crds::configured_leaves(stack.spec, instance.spec)) {
        if (!leaf.service.container) continue;
        Draft draft{stack, instance, content, leaf, {}};
        draft.workload.path = leaf.path;
        draft.workload.name = workload_name(instance.meta.name, instance.spec.service, leaf.path);
        draft.workload.group = group_name(stack.meta);
        draft.workload.hash_key = content.hash_key;
        auto workload = workload_of(std::move(draft));
        if (!workload.ok()) return workload.error();
        workloads.push_back(std::move(*workload));
    }
    return workloads;
}

}  // namespace atl::controllers
