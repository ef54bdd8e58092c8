#include "cloud/docker/removal_order.h"

#include <algorithm>

namespace atl::cloud::docker {

RemovalOrder::RemovalOrder(const std::vector<Workload>& workloads) {
    for (const Workload& workload : workloads) names_.insert(workload.name);
    for (const Workload& workload : workloads) {
        for (const WorkloadLink& link : workload.links) add(workload.name, link.provider);
    }
}

void RemovalOrder::add(const std::string& consumer, const std::string& provider) {
    if (consumer == provider || !names_.contains(provider) || leads(provider, consumer)) return;
    edges_[consumer].insert(provider);
}

bool RemovalOrder::leads(const std::string& from, const std::string& to) const {
    const auto edges = edges_.find(from);
    if (edges == edges_.end()) return false;
    return edges->second.contains(to) ||
           std::ranges::any_of(edges->second, [&](const std::string& next) { return leads(next, to); });
}

}  // namespace atl::cloud::docker
