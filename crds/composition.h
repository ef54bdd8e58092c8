#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crds/service_instance.h"
#include "crds/stack.h"

namespace atl::crds {

/// One container of a service, with its configuration path: the service's own name if it is plain, the names of the
/// members on the way down ("backend/store") if it is a composite.
struct Leaf {
    std::string path;
    const Service* service = nullptr;  ///< the plain service that it is a copy of; points into the StackSpec
};

/// The most containers that one service may consist of.
inline constexpr std::size_t kMaxLeaves = 256;

/// All containers of a service, in the order of the spec. Empty for an unknown service. A composite that contains
/// itself, or more than kMaxLeaves containers, is cut there (check() refuses it).
std::vector<Leaf> leaves_of(const StackSpec& stack, std::string_view service);

/// The services that get a ServiceInstance from the Stack: all but the Internal ones; none if the Stack is a template.
std::vector<const Service*> instantiated_services(const StackSpec& stack);
/// True if the service is Internal: it says so, or a composite uses it and it does not say Public. It runs in its
/// composites only, so nothing runs twice.
bool is_internal(const StackSpec& stack, const Service& service);

/// A provider's end: which container, and which port.
struct ProviderEnd {
    std::string
        service;       ///< the Stack's service: its same-named instance has it. Empty: in the consumer's own instance
    std::string path;  ///< configuration path of the container there
    std::uint16_t port = 0;
    std::string protocol = "TCP";
};
/// Follows what `service` provides under that name, through composites, down to a container's port. nullopt if there
/// is no such thing.
std::optional<ProviderEnd> resolve_provides(const StackSpec& stack, const LinkTo& to);

/// One consumed service of one container, joined to its provider.
struct ResolvedLink {
    std::string link;           ///< name of the link
    std::string consumer_path;  ///< path of the consuming container in its instance
    Consumes consumes;
    ProviderEnd provider;
};
/// The links of all containers of a service: inside the composite first, then those of the Stack. What has no link, or
/// a link that leads nowhere, is left out (check() names it).
std::vector<ResolvedLink> links_of(const StackSpec& stack, std::string_view service);

/// The gateways' targets that lie in the service.
struct ResolvedRoute {
    std::string gateway;
    Listener listener;
    ProviderEnd target;  ///< its service is always set
};
std::vector<ResolvedRoute> routes_to(const StackSpec& stack, std::string_view service);

/// The container's service with the instance's settings merged in: env by name, mounts by path, replicas, placement.
struct ConfiguredLeaf {
    std::string path;
    Service service;
    std::int64_t replicas = 1;
};
std::vector<ConfiguredLeaf> configured_leaves(const StackSpec& stack, const ServiceInstanceSpec& instance);

/// A count or percentage of `replicas`; percentages round up or down.
enum class Rounding { Up, Down };
std::int64_t resolve_count(const IntOrString& amount, std::int64_t replicas, Rounding rounding);

}  // namespace atl::crds
