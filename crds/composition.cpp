#include "crds/composition.h"

#include <algorithm>

namespace atl::crds {

namespace {

// Composites in composites multiply: 32 members each, four levels deep, would be a million containers.
constexpr std::size_t kMaxNesting = 16;

template <class T>
const T* find_named(const std::vector<T>& list, std::string_view name) {
    for (const T& item : list)
        if (item.name == name) return &item;
    return nullptr;
}

/// Where a walk through composites stands: the composites on the way down, outermost first.
using Way = std::vector<const Service*>;

bool is_on(const Way& way, const Service* service) {
    return std::find(way.begin(), way.end(), service) != way.end();
}

/// A leaf, with the composite that holds it directly, its own name there, and the path of that composite ("" or "a/").
struct Place {
    Leaf leaf;
    const Service* holder = nullptr;
    std::string member;
    std::string prefix;
};

void add_places(const StackSpec& stack, const Service& composite, const std::string& prefix, Way& way,
                std::vector<Place>& places) {
    way.push_back(&composite);
    for (const CompositeMember& member : composite.composite->services) {
        const Service* service = stack.find_service(member.service);
        if (!service || is_on(way, service) || way.size() > kMaxNesting || places.size() >= kMaxLeaves) continue;
        if (service->composite) {
            add_places(stack, *service, prefix + member.name + "/", way, places);
        } else {
            places.push_back({{prefix + member.name, service}, &composite, member.name, prefix});
        }
    }
    way.pop_back();
}

std::vector<Place> places_of(const StackSpec& stack, std::string_view name) {
    std::vector<Place> places;
    const Service* service = stack.find_service(name);
    if (!service) return places;
    if (!service->composite) {
        places.push_back({{service->name, service}, nullptr, "", ""});
        return places;
    }
    Way way;
    add_places(stack, *service, "", way, places);
    return places;
}

/// Follows a service's `provides` down to a container; `path` is the service's own path.
std::optional<ProviderEnd> follow(const StackSpec& stack, const Service* service, std::string path,
                                  std::string provides) {
    for (std::size_t depth = 0; service && service->composite; ++depth) {
        const CompositeProvides* provided = find_named(service->composite->provides, provides);
        if (!provided || depth > kMaxNesting) return std::nullopt;
        const CompositeMember* member = find_named(service->composite->services, provided->from.service);
        if (!member) return std::nullopt;
        path = path.empty() ? member->name : path + "/" + member->name;
        provides = provided->from.provides;
        service = stack.find_service(member->service);
    }
    if (!service || !service->container) return std::nullopt;
    const Provides* provided = find_named(service->provides, provides);
    const ContainerPort* port = provided ? service->container->find_port(provided->port) : nullptr;
    if (!port || port->container_port < 1 || port->container_port > 65535) return std::nullopt;
    return ProviderEnd{"", std::move(path), static_cast<std::uint16_t>(port->container_port), port->protocol};
}

/// A link of the Stack as seen from inside a composite that has a copy of the provider itself.
std::optional<ProviderEnd> provider_beside(const StackSpec& stack, const Place& place, const LinkTo& to) {
    if (!place.holder) return std::nullopt;
    for (const CompositeMember& member : place.holder->composite->services)
        if (member.service == to.service)
            return follow(stack, stack.find_service(to.service), place.prefix + member.name, to.provides);
    return std::nullopt;
}

void add_inner_links(const StackSpec& stack, const Place& place, const Consumes& consumes,
                     std::vector<ResolvedLink>& found) {
    if (!place.holder) return;
    const Composite& composite = *place.holder->composite;
    for (const Link& link : composite.links) {
        if (link.from.service != place.member || link.from.consumes != consumes.name) continue;
        const CompositeMember* member = find_named(composite.services, link.to.service);
        if (!member) continue;
        const Service* service = stack.find_service(member->service);
        std::optional<ProviderEnd> end = follow(stack, service, place.prefix + member->name, link.to.provides);
        if (end) found.push_back({link.name, place.leaf.path, consumes, *end});
    }
}

void add_outer_links(const StackSpec& stack, const Place& place, const Consumes& consumes,
                     std::vector<ResolvedLink>& found) {
    for (const Link& link : stack.links) {
        if (link.from.service != place.leaf.service->name || link.from.consumes != consumes.name) continue;
        std::optional<ProviderEnd> end = provider_beside(stack, place, link.to);
        if (!end) end = resolve_provides(stack, link.to);
        if (end) found.push_back({link.name, place.leaf.path, consumes, *end});
    }
}

template <class T, class Key>
void merge_by(std::vector<T>& into, const std::vector<T>& settings, Key key) {
    for (const T& setting : settings) {
        auto same = std::find_if(into.begin(), into.end(), [&](const T& item) { return item.*key == setting.*key; });
        if (same == into.end()) {
            into.push_back(setting);
        } else {
            *same = setting;
        }
    }
}

}  // namespace

std::vector<Leaf> leaves_of(const StackSpec& stack, std::string_view service) {
    std::vector<Leaf> leaves;
    for (Place& place : places_of(stack, service)) leaves.push_back(std::move(place.leaf));
    return leaves;
}

bool is_internal(const StackSpec& stack, const Service& service) {
    if (service.exposure != Exposure::Stack) return service.exposure == Exposure::Internal;
    return std::any_of(stack.services.begin(), stack.services.end(), [&](const Service& other) {
        if (!other.composite) return false;
        const auto& members = other.composite->services;
        return std::any_of(members.begin(), members.end(),
                           [&](const CompositeMember& member) { return member.service == service.name; });
    });
}

std::vector<const Service*> instantiated_services(const StackSpec& stack) {
    std::vector<const Service*> services;
    if (stack.catalogue_only) return services;
    for (const Service& service : stack.services)
        if (!is_internal(stack, service)) services.push_back(&service);
    return services;
}

std::optional<ProviderEnd> resolve_provides(const StackSpec& stack, const LinkTo& to) {
    const Service* service = stack.find_service(to.service);
    if (!service) return std::nullopt;
    std::optional<ProviderEnd> end = follow(stack, service, service->composite ? "" : service->name, to.provides);
    if (end) end->service = to.service;
    return end;
}

std::vector<ResolvedLink> links_of(const StackSpec& stack, std::string_view service) {
    std::vector<ResolvedLink> links;
    for (const Place& place : places_of(stack, service)) {
        for (const Consumes& consumes : place.leaf.service->consumes) {
            std::size_t before = links.size();
            add_inner_links(stack, place, consumes, links);
            if (links.size() == before) add_outer_links(stack, place, consumes, links);
        }
    }
    return links;
}

std::vector<ResolvedRoute> routes_to(const StackSpec& stack, std::string_view service) {
    std::vector<ResolvedRoute> routes;
    for (const Gateway& gateway : stack.gateways) {
        for (const Route& route : gateway.routes) {
            if (route.to.service != service) continue;
            std::optional<ProviderEnd> target = resolve_provides(stack, route.to);
            if (!target) continue;
            for (const Listener& listener : gateway.listeners) routes.push_back({gateway.name, listener, *target});
        }
    }
    return routes;
}

std::vector<ConfiguredLeaf> configured_leaves(const StackSpec& stack, const ServiceInstanceSpec& instance) {
    std::vector<ConfiguredLeaf> configured;
    for (const Place& place : places_of(stack, instance.service)) {
        ConfiguredLeaf leaf{place.leaf.path, *place.leaf.service, instance.replicas};
        // The count of a plain service reaches its instance as spec.replicas; that of a member counts here.
        if (place.holder && leaf.service.replicas) leaf.replicas = *leaf.service.replicas;
        if (const Configuration* settings = instance.find_configuration(leaf.path)) {
            if (settings->replicas) leaf.replicas = *settings->replicas;
            if (settings->placement) leaf.service.placement = *settings->placement;
            if (leaf.service.container) {
                merge_by(leaf.service.container->env, settings->env, &EnvVar::name);
                merge_by(leaf.service.container->volume_mounts, settings->volume_mounts, &VolumeMount::mount_path);
            }
        }
        configured.push_back(std::move(leaf));
    }
    return configured;
}

std::int64_t resolve_count(const IntOrString& amount, std::int64_t replicas, Rounding rounding) {
    if (amount.is_number()) return std::max<std::int64_t>(amount.number(), 0);
    std::string_view text = amount.text();
    std::int64_t percent = 0;
    for (char c : text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0))) {
        if (c < '0' || c > '9' || percent > 1'000'000) return 0;
        percent = percent * 10 + (c - '0');
    }
    std::int64_t product = percent * std::clamp<std::int64_t>(replicas, 0, 1'000'000'000);
    return rounding == Rounding::Up ? (product + 99) / 100 : product / 100;
}

}  // namespace atl::crds
