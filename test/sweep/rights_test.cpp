#include "operator/commands/rights.h"

#include <map>

#include <gtest/gtest.h>

#include "test/sweep/script.h"

namespace atl::sweep {
namespace {

using Use = std::tuple<std::string, std::string, std::string>;  ///< group, resource, verb

std::vector<std::string> segments_of(const std::string& path) {
    std::vector<std::string> segments;
    std::stringstream stream(path);
    for (std::string segment; std::getline(stream, segment, '/');) {
        if (!segment.empty()) segments.push_back(segment);
    }
    return segments;
}

std::string verb_of(const net::Request& request, bool named) {
    if (request.method == "GET" && named) return "get";
    if (request.method == "GET") return request.target.find("watch=") == std::string::npos ? "list" : "watch";
    if (request.method == "POST") return "create";
    if (request.method == "PATCH") return "patch";
    return request.method == "PUT" ? "update" : "delete";
}

/// The right that a request needs, as the server's authorizer sees it; nothing for discovery.
std::optional<Use> use_of(const net::Request& request) {
    std::vector<std::string> parts = segments_of(request.target.substr(0, request.target.find('?')));
    if (parts.empty() || (parts[0] != "api" && parts[0] != "apis")) return std::nullopt;
    std::string group = parts[0] == "api" ? "" : parts.at(1);
    parts.erase(parts.begin(), parts.begin() + (parts[0] == "api" ? 2 : 3));
    if (parts.size() > 2 && parts[0] == "namespaces") parts.erase(parts.begin(), parts.begin() + 2);
    if (parts.empty()) return std::nullopt;
    const std::string resource = parts.size() > 2 ? parts[0] + "/" + parts[2] : parts[0];
    return Use{std::move(group), resource, verb_of(request, parts.size() > 1)};
}

std::set<Use> granted() {
    std::set<Use> uses;
    for (const commands::Right& right : commands::rights()) {
        for (const auto resource : right.resources) {
            for (const auto verb : right.verbs) uses.emplace(right.group, resource, verb);
        }
    }
    return uses;
}

/// Everything that the operator asks of the API server in the workloads of the sweep.
std::set<Use> used() {
    std::set<Use> uses;
    for (const Script& script : scripts()) {
        World world(1);
        world.fault = [&uses](const sim::Call& call, sim::Point point) {
            if (point != sim::Point::BeforeSend) return sim::Fault::None;
            if (const auto use = use_of(call.request)) uses.insert(*use);
            // An apply that makes an object needs the right to create it, too.
            if (call.request.target.find("force=true") != std::string::npos && use_of(call.request)) {
                auto made = *use_of(call.request);
                if (std::get<1>(made).find('/') == std::string::npos) {
                    std::get<2>(made) = "create";
                    uses.insert(made);
                }
            }
            return sim::Fault::None;
        };
        world.boot();
        script.prepare(world);
        script.act(world);
        world.until([&] { return script.reached(world); }, std::chrono::minutes(10));
    }
    return uses;
}

std::string text_of(const Use& use) {
    return std::get<2>(use) + " " + std::get<1>(use) + " of group \"" + std::get<0>(use) + "\"";
}

TEST(Rights, AreAllThatTheOperatorUsesAndNoMore) {
    // What no workload of the sweep comes to.
    const std::set<Use> elsewhere = {
        {"coordination.k8s.io", "leases", "get"},
        {"coordination.k8s.io", "leases", "create"},
        {"coordination.k8s.io", "leases", "list"},       // who shares the shards: shards_test, operator_test
        {"coordination.k8s.io", "leases", "watch"},      // a standby, too
        {"coordination.k8s.io", "leases", "delete"},     // of members that are gone
        {"", "secrets", "update"},                       // the webhook's certificate
        {"coordination.k8s.io", "leases", "patch"},      // leader election: lease_test
        {"atoll.dev", "clusters/finalizers", "update"},  // asked for by the server itself
        {"atoll.dev", "stacks/finalizers", "update"},
        {"atoll.dev", "serviceinstances/finalizers", "update"},
    };
    const std::set<Use> uses = used();
    const std::set<Use> rights = granted();
    for (const Use& use : uses) EXPECT_TRUE(rights.contains(use)) << "used without a right: " << text_of(use);
    for (const Use& right : rights) {
        EXPECT_TRUE(uses.contains(right) || elsewhere.contains(right)) << "granted and not used: " << text_of(right);
    }
}

}  // namespace
}  // namespace atl::sweep
