#include "operator/commands/describe_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "crds/cluster.h"
#include "crds/machine.h"
#include "crds/service_instance.h"
#include "crds/stack.h"
#include "operator/base/time.h"

namespace atl::commands {

namespace {

using nlohmann::json;
using Columns = std::array<std::string, 5>;

/// How bad a problem is: the order in which problems are shown.
enum class Severity { Stalled, Failed, NotReady };

struct Problem {
    Severity severity = Severity::NotReady;
    std::string object;
    std::string text;
    auto operator<=>(const Problem&) const = default;
};

/// A line of the tree, and what hangs below it.
struct Node {
    Columns columns;
    std::vector<Node> children;
};

std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

std::string shortened(std::string text) {
    constexpr std::size_t kShown = 100;
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.size() <= kShown) return text;
    std::size_t end = kShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "…";
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (const std::string& part : parts) {
        if (part.empty()) continue;
        text += (text.empty() ? "" : std::string(between)) + part;
    }
    return text;
}

/// Memory for people: bytes without a unit, as engines count them, in the largest unit that is not above; what has a
/// unit, and what is no amount, as it is.
std::string memory_text(const std::string& amount) {
    constexpr std::array<const char*, 5> kUnits{"", "Ki", "Mi", "Gi", "Ti"};
    const bool bytes = !amount.empty() && amount.size() < 19 && amount.find_first_not_of("0123456789") == amount.npos;
    if (!bytes) return amount;
    auto value = static_cast<double>(std::stoll(amount));
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", unit == 0 || value >= 100 ? 0 : 1, value);
    std::string shown = text.data();
    if (shown.ends_with(".0")) shown.resize(shown.size() - 2);
    return shown + (unit == 0 ? " bytes" : kUnits[unit]);
}

/// Builds the tree and gathers the problems on the way.
class Describer {
public:
    Describer(const Inventory& inventory, WallTime now) : now_(now) {
        read(inventory.clusters, "Cluster", crds::decode_cluster, clusters_);
        read(inventory.stacks, "Stack", crds::decode_stack, stacks_);
        read(inventory.instances, "ServiceInstance", crds::decode_service_instance, instances_);
        read(inventory.machines, "Machine", crds::decode_machine, machines_);
    }

    std::string text() {
        std::vector<Node> roots;
        for (const crds::Cluster& cluster : clusters_) roots.push_back(cluster_node(cluster));
        add_strays(roots);
        return problems_text() + tree_text(roots);
    }

private:
    template <class T>
    void read(const std::vector<json>& objects, const std::string& kind, Result<T> (*decode)(const json&),
              std::vector<T>& into) {
        for (const json& object : objects) {
            Result<T> decoded = decode(object);
            if (decoded.ok()) {
                into.push_back(*std::move(decoded));
                continue;
            }
            Result<crds::ObjectMeta> meta = crds::decode_meta(object);
            problems_.insert({Severity::Failed, kind + " " + (meta.ok() ? meta->key() : "?"),
                              "cannot be read: " + decoded.error().message()});
        }
        std::sort(into.begin(), into.end(), [](const T& a, const T& b) { return a.meta.key() < b.meta.key(); });
    }

    std::string since(const std::string& timestamp) const {
        std::optional<WallTime> then = parse_rfc3339(timestamp);
        return then ? format_age(std::chrono::duration_cast<Duration>(now_ - *then)) : "";
    }

    /// READY, REASON and SINCE of an object; what is wrong with it becomes a problem.
    template <class T>
    Columns columns_of(const std::string& kind, const T& object, std::string message) {
        Columns columns{kind + " " + object.meta.name, "", "", since(object.meta.creation_timestamp),
                        std::move(message)};
        const crds::Condition* ready = crds::find_condition(object.status.conditions, "Ready");
        const crds::Condition* stalled = crds::find_condition(object.status.conditions, "Stalled");
        const std::string name = kind + " " + object.meta.key();
        if (ready) {
            columns[1] = ready->status;
            columns[2] = ready->reason;
            columns[3] = since(ready->last_transition_time);
            if (ready->status != "True") columns[4] = ready->message.empty() ? columns[4] : ready->message;
        }
        if (!ready || object.status.observed_generation < object.meta.generation) columns[2] = "NotLookedAtYet";
        if (object.being_deleted()) columns[2] = "Deleting";
        if (stalled && stalled->status == "True") {
            problems_.insert({Severity::Stalled, name, stalled->reason + ": " + stalled->message});
        } else if (ready && ready->status != "True") {
            problems_.insert({Severity::NotReady, name, ready->reason + ": " + ready->message});
        }
        return columns;
    }

    Node machine_node(const crds::Machine& machine) {
        std::vector<std::string> facts{machine.status.address};
        if (machine.status.engine) facts.push_back("engine " + machine.status.engine->version);
        if (machine.status.capacity)
            facts.push_back(machine.status.capacity->cpu + " CPUs, " + memory_text(machine.status.capacity->memory) +
                            " memory");
        return {columns_of("Machine", machine, joined(facts, ", ")), {}};
    }

    Node container_node(const crds::ContainerStatus& container, const std::string& instance) {
        std::string name = container.path + "/" + container.replica;
        if (container.state == "Failed")
            problems_.insert(
                {Severity::Failed, "container " + name + " of ServiceInstance " + instance, container.last_error});
        std::vector<std::string> facts{container.machine.empty() ? "" : "on " + container.machine, container.address};
        facts.insert(facts.end(), container.ports.begin(), container.ports.end());
        if (container.restarts > 0) facts.push_back(std::to_string(container.restarts) + " restarts");
        if (!container.last_error.empty()) {
            facts.push_back(container.last_error);
        } else if (container.last_termination && !container.last_termination->finished_at.empty()) {
            facts.push_back("last ended " + since(container.last_termination->finished_at) + " ago");
        }
        if (!container.image_id.empty()) facts.push_back(container.image + " is " + container.image_id.substr(0, 19));
        return {{"container " + name, "", container.state, "", joined(facts, ", ")}, {}};
    }

    /// What a service is, what it offers and what it expects: the words of the Stack's author.
    static void add_ends(Node& node, const crds::Service& service) {
        for (const crds::Provides& end : service.provides)
            node.children.push_back({{"provides " + end.name, "", "", "", end.description}, {}});
        if (service.composite)
            for (const crds::CompositeProvides& end : service.composite->provides)
                node.children.push_back({{"provides " + end.name, "", "", "", end.description}, {}});
        for (const crds::Consumes& end : service.consumes)
            node.children.push_back({{"consumes " + end.name, "", "", "", end.description}, {}});
    }

    Node instance_node(const crds::ServiceInstance& instance, const crds::Stack* stack) {
        const crds::Service* service = stack ? stack->spec.find_service(instance.spec.service) : nullptr;
        std::string message = std::to_string(instance.status.ready_replicas) + " of " +
                              std::to_string(instance.status.replicas) + " ready";
        if (instance.spec.state == crds::RunState::Stopped) message = "stopped";
        if (instance.spec.cluster_ref) message += ", on Cluster " + instance.spec.cluster_ref->name;
        if (service && !service->description.empty()) message += ": " + service->description;
        Node node{columns_of("ServiceInstance", instance, message), {}};
        if (service) add_ends(node, *service);
        for (const crds::ContainerStatus& container : instance.status.containers)
            node.children.push_back(container_node(container, instance.meta.key()));
        return node;
    }

    Node stack_node(const crds::Stack& stack) {
        Node node{columns_of("Stack", stack, joined(stack.status.endpoints, ", ")), {}};
        for (const crds::ServiceInstance& instance : instances_)
            if (instance.meta.name_space == stack.meta.name_space && instance.spec.stack_ref.name == stack.meta.name) {
                node.children.push_back(instance_node(instance, &stack));
                placed_.insert(&instance);
            }
        return node;
    }

    Node cluster_node(const crds::Cluster& cluster) {
        std::string pair = cluster.spec.infrastructure.name() + " with " + cluster.spec.orchestrator.name();
        Node node{columns_of("Cluster", cluster, joined({pair, cluster.status.endpoint}, " at ")), {}};
        for (const crds::Machine& machine : machines_)
            if (machine.meta.name_space == cluster.meta.name_space &&
                machine.spec.cluster_ref.name == cluster.meta.name) {
                node.children.push_back(machine_node(machine));
                placed_.insert(&machine);
            }
        for (const crds::Stack& stack : stacks_)
            if (stack.meta.name_space == cluster.meta.name_space && stack.spec.cluster_ref.name == cluster.meta.name) {
                node.children.push_back(stack_node(stack));
                placed_.insert(&stack);
            }
        return node;
    }

    void missing(const std::string& object, const std::string& what) {
        problems_.insert({Severity::NotReady, object, what + " does not exist"});
    }

    /// What hangs on nothing that is there.
    void add_strays(std::vector<Node>& roots) {
        for (const crds::Stack& stack : stacks_) {
            if (placed_.contains(&stack)) continue;
            missing("Stack " + stack.meta.key(), "Cluster " + stack.spec.cluster_ref.name);
            roots.push_back(stack_node(stack));
        }
        for (const crds::ServiceInstance& instance : instances_) {
            if (placed_.contains(&instance)) continue;
            missing("ServiceInstance " + instance.meta.key(), "Stack " + instance.spec.stack_ref.name);
            roots.push_back(instance_node(instance, nullptr));
        }
        for (const crds::Machine& machine : machines_) {
            if (placed_.contains(&machine)) continue;
            missing("Machine " + machine.meta.key(), "Cluster " + machine.spec.cluster_ref.name);
            roots.push_back(machine_node(machine));
        }
    }

    std::string problems_text() const {
        if (problems_.empty()) return "No problems.\n\n";
        std::string text = std::to_string(problems_.size()) + (problems_.size() == 1 ? " problem:\n" : " problems:\n");
        for (const Problem& problem : problems_) text += "  " + problem.object + ": " + problem.text + "\n";
        return text + "\n";
    }

    static void add_lines(const Node& node, const std::string& first, const std::string& rest,
                          std::vector<Columns>& lines) {
        lines.push_back(node.columns);
        lines.back()[0] = first + node.columns[0];
        lines.back()[4] = shortened(node.columns[4]);
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            bool last = i + 1 == node.children.size();
            add_lines(node.children[i], rest + (last ? "└─" : "├─"), rest + (last ? "  " : "│ "), lines);
        }
    }

    static std::string tree_text(const std::vector<Node>& roots) {
        if (roots.empty()) return "There are no objects of ours.\n";
        std::vector<Columns> lines{{"NAME", "READY", "REASON", "SINCE", "MESSAGE"}};
        for (const Node& root : roots) add_lines(root, "", "", lines);
        std::array<std::size_t, 5> widths{};
        for (const Columns& line : lines)
            for (std::size_t i = 0; i < 5; ++i) widths[i] = std::max(widths[i], width(line[i]));
        std::string text;
        for (const Columns& line : lines) {
            std::string row;
            for (std::size_t i = 0; i < 5; ++i) row += line[i] + std::string(widths[i] - width(line[i]) + 2, ' ');
            text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
        }
        return text;
    }

    WallTime now_;
    std::vector<crds::Cluster> clusters_;
    std::vector<crds::Stack> stacks_;
    std::vector<crds::ServiceInstance> instances_;
    std::vector<crds::Machine> machines_;
    std::set<const void*> placed_;
    std::set<Problem> problems_;
};

}  // namespace

std::string describe_text(const Inventory& inventory, WallTime now) {
    return Describer(inventory, now).text();
}

}  // namespace atl::commands
