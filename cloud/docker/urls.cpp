#include "cloud/docker/urls.h"

namespace atl::cloud::docker {

namespace {

std::string scheme_of(const std::string& protocol) {
    if (protocol == "HTTP") return "http";
    if (protocol == "HTTPS") return "https";
    if (protocol == "UDP") return "udp";
    return "tcp";
}

}  // namespace

std::vector<std::string> urls_of(const std::vector<Workload>& workloads, const Endpoint& endpoint) {
    std::vector<std::string> urls;
    for (const Workload& workload : workloads) {
        for (const PublishedPort& port : workload.published) {
            for (const Endpoint::Engine& engine : endpoint.engines) {
                const bool wide = engine.address.find(':') != std::string::npos;
                const std::string host = wide ? "[" + engine.address + "]" : engine.address;
                urls.push_back(scheme_of(port.protocol) + "://" + host + ":" + std::to_string(port.listen));
            }
        }
    }
    return urls;
}

}  // namespace atl::cloud::docker
