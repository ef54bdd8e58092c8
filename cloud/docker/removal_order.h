#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cloud/workload.h"

namespace atl::cloud::docker {

/// In which order workloads go: consumers before their providers. Where links go in a circle, one of them does not
/// count, or nothing could ever go.
class RemovalOrder {
public:
    explicit RemovalOrder(const std::vector<Workload>& workloads);
    /// The names of the workloads that stay until this one has gone.
    const std::set<std::string>& providers_of(const std::string& name) { return edges_[name]; }

private:
    void add(const std::string& consumer, const std::string& provider);
    bool leads(const std::string& from, const std::string& to) const;

    std::set<std::string> names_;
    std::map<std::string, std::set<std::string>> edges_;
};

}  // namespace atl::cloud::docker
