#include <algorithm>
#include <functional>
#include <map>

#include "crds/checker.h"
#include "crds/composition.h"

namespace atl::crds {

namespace {

template <class T>
const T* find_named(const std::vector<T>& list, std::string_view name) {
    for (const T& item : list)
        if (item.name == name) return &item;
    return nullptr;
}

/// What a service provides, be it plain or composite.
std::vector<std::string> provided_names(const Service& service) {
    return service.composite ? names_of(service.composite->provides) : names_of(service.provides);
}

/// Edges by name; the value is the field that makes the edge.
using Graph = std::map<std::string, std::map<std::string, std::string>>;

/// Looks for one cycle from a node; the names on it, the first one twice. Depth is bounded by the number of nodes.
class CycleSearch {
public:
    explicit CycleSearch(const Graph& graph) : graph_(graph) {}

    void report(Checker& checker, const std::string& what) {
        for (const auto& [node, edges] : graph_) visit(node);
        for (const auto& [field, text] : found_)
            checker.invalid(field, text.substr(0, text.find(" → ")), what + " go round in a circle: " + text);
    }

private:
    void visit(const std::string& node) {
        if (!done_.insert(node).second) return;
        way_.push_back(node);
        auto edges = graph_.find(node);
        if (edges != graph_.end())
            for (const auto& [next, field] : edges->second) follow(next, field);
        way_.pop_back();
    }

    void follow(const std::string& next, const std::string& field) {
        auto start = std::find(way_.begin(), way_.end(), next);
        if (start == way_.end()) return visit(next);
        std::string text;
        for (auto node = start; node != way_.end(); ++node) text += *node + " → ";
        found_[field] = text + next;
    }

    const Graph& graph_;
    std::set<std::string> done_;
    std::vector<std::string> way_;
    std::map<std::string, std::string> found_;
};

/// The end of a link that provides: there, not hidden, and with a port behind it.
void check_stack_target(Checker& checker, const std::string& field, const LinkTo& to, const StackSpec& spec) {
    const Service* service = spec.find_service(to.service);
    if (!service) {
        checker.not_found(field + ".service", to.service, "service in spec.services", names_of(spec.services));
    } else if (is_internal(spec, *service)) {
        checker.forbidden(field + ".service",
                          "\"" + to.service +
                              "\" is Internal: name the composite that uses it, and what that provides, "
                              "or set its exposure to Public");
    } else if (std::vector<std::string> names = provided_names(*service);
               std::find(names.begin(), names.end(), to.provides) == names.end()) {
        checker.not_found(field + ".provides", to.provides, "name among what \"" + to.service + "\" provides", names);
    }
}

void check_stack_links(Checker& checker, const StackSpec& spec) {
    checker.names("spec.links", spec.links);
    std::map<std::string, std::string> joined;
    for (std::size_t i = 0; i < spec.links.size(); ++i) {
        const Link& link = spec.links[i];
        std::string here = at("spec.links", i);
        const Service* from = spec.find_service(link.from.service);
        if (!from) {
            checker.not_found(here + ".from.service", link.from.service, "service in spec.services",
                              names_of(spec.services));
        } else if (!find_named(from->consumes, link.from.consumes)) {
            checker.not_found(here + ".from.consumes", link.from.consumes,
                              "name among what \"" + from->name + "\" consumes", names_of(from->consumes));
        }
        check_stack_target(checker, here + ".to", link.to, spec);
        std::string ends =
            link.from.service + "." + link.from.consumes + " → " + link.to.service + "." + link.to.provides;
        if (auto [other, fresh] = joined.emplace(ends, link.name); !fresh)
            checker.duplicate(here, ends, "the link \"" + other->second + "\" joins the same ends");
    }
}

/// One end of a link inside a composite: a member of it.
const Service* check_member(Checker& checker, const std::string& field, const std::string& name,
                            std::pair<const Composite&, const StackSpec&> in) {
    const CompositeMember* member = find_named(in.first.services, name);
    if (!member) checker.not_found(field, name, "member of the composite", names_of(in.first.services));
    return member ? in.second.find_service(member->service) : nullptr;
}

void check_member_provides(Checker& checker, const std::string& field, const LinkTo& to,
                           std::pair<const Composite&, const StackSpec&> in) {
    const Service* service = check_member(checker, field + ".service", to.service, in);
    if (!service) return;
    std::vector<std::string> names = provided_names(*service);
    if (std::find(names.begin(), names.end(), to.provides) == names.end())
        checker.not_found(field + ".provides", to.provides,
                          "name among what the member \"" + to.service + "\" provides", names);
}

void check_composite(Checker& checker, const std::string& field, const Composite& composite, const StackSpec& spec) {
    checker.names(field + ".services", composite.services);
    checker.names(field + ".links", composite.links);
    checker.names(field + ".provides", composite.provides);
    if (composite.services.empty()) checker.required(field + ".services", "at least one member");
    for (std::size_t i = 0; i < composite.services.size(); ++i)
        if (!spec.find_service(composite.services[i].service))
            checker.not_found(at(field + ".services", i) + ".service", composite.services[i].service,
                              "service in spec.services", names_of(spec.services));
    for (std::size_t i = 0; i < composite.links.size(); ++i) {
        const Link& link = composite.links[i];
        std::string here = at(field + ".links", i);
        const Service* from = check_member(checker, here + ".from.service", link.from.service, {composite, spec});
        if (from && !find_named(from->consumes, link.from.consumes))
            checker.not_found(here + ".from.consumes", link.from.consumes,
                              "name among what the member \"" + link.from.service + "\" consumes",
                              names_of(from->consumes));
        check_member_provides(checker, here + ".to", link.to, {composite, spec});
    }
    for (std::size_t i = 0; i < composite.provides.size(); ++i)
        check_member_provides(checker, at(field + ".provides", i) + ".from", composite.provides[i].from,
                              {composite, spec});
}

Graph link_graph(const std::vector<Link>& links, const std::string& field) {
    Graph graph;
    for (std::size_t i = 0; i < links.size(); ++i)
        graph[links[i].from.service].emplace(links[i].to.service, at(field, i) + ".to.service");
    return graph;
}

void check_cycles(Checker& checker, const StackSpec& spec) {
    Graph members;
    Graph needs;
    for (std::size_t i = 0; i < spec.services.size(); ++i) {
        const Service& service = spec.services[i];
        std::string here = at("spec.services", i);
        for (std::size_t j = 0; j < service.depends_on.size(); ++j)
            needs[service.name].emplace(service.depends_on[j], at(here + ".dependsOn", j));
        if (!service.composite) continue;
        for (std::size_t j = 0; j < service.composite->services.size(); ++j)
            members[service.name].emplace(service.composite->services[j].service,
                                          at(here + ".composite.services", j) + ".service");
        Graph inner = link_graph(service.composite->links, here + ".composite.links");
        CycleSearch(inner).report(checker, "links");
    }
    CycleSearch(members).report(checker, "composites");
    CycleSearch(needs).report(checker, "dependencies");
    Graph links = link_graph(spec.links, "spec.links");
    CycleSearch(links).report(checker, "links");
}

/// Everything that a container consumes must be supplied by somebody.
void check_supply(Checker& checker, const StackSpec& spec, std::size_t index) {
    const Service& service = spec.services[index];
    if (is_internal(spec, service)) return;
    std::set<std::pair<std::string, std::string>> supplied;
    for (const ResolvedLink& link : links_of(spec, service.name))
        supplied.emplace(link.consumer_path, link.consumes.name);
    for (const Leaf& leaf : leaves_of(spec, service.name)) {
        for (std::size_t i = 0; i < leaf.service->consumes.size(); ++i) {
            const std::string& name = leaf.service->consumes[i].name;
            if (supplied.contains({leaf.path, name})) continue;
            std::string here = at("spec.services", index);
            if (service.composite) {
                checker.required(here + ".composite.links",
                                 "no link supplies what \"" + leaf.path + "\" consumes as \"" + name + "\"");
            } else {
                checker.required("spec.links", "no link supplies what " + at(here + ".consumes", i) + " (\"" + name +
                                                   "\" of \"" + service.name + "\") asks for");
            }
        }
    }
    if (leaves_of(spec, service.name).size() >= kMaxLeaves)
        checker.forbidden(at("spec.services", index) + ".composite",
                          "consists of " + std::to_string(kMaxLeaves) + " containers or more; split it");
}

}  // namespace

void check_composition(Checker& checker, const StackSpec& spec) {
    for (std::size_t i = 0; i < spec.services.size(); ++i)
        if (spec.services[i].composite)
            check_composite(checker, at("spec.services", i) + ".composite", *spec.services[i].composite, spec);
    check_stack_links(checker, spec);
    for (std::size_t i = 0; i < spec.gateways.size(); ++i)
        for (std::size_t j = 0; j < spec.gateways[i].routes.size(); ++j)
            check_stack_target(checker, at(at("spec.gateways", i) + ".routes", j) + ".to",
                               spec.gateways[i].routes[j].to, spec);
    check_cycles(checker, spec);
}

void check_supplies(Checker& checker, const StackSpec& spec) {
    for (std::size_t i = 0; i < spec.services.size(); ++i) check_supply(checker, spec, i);
}

}  // namespace atl::crds
