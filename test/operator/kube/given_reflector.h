#pragma once

#include <gtest/gtest.h>

#include "operator/kube/reflector.h"
#include "test/operator/kube/small_api.h"

namespace atl::kube {

using namespace std::chrono_literals;
using nlohmann::json;

/// A reflector of widgets against the small server. Rules are those of the list and watch semantics, by number.
struct ReflectorTest : testing::Test {
    Given given;
    std::unique_ptr<Client> client = given.client();
    Cache cache{Scope(kWidgets)};
    SeededRandom random{5};
    std::unique_ptr<Reflector> reflector;
    std::vector<std::string> changes;
    std::vector<std::string> undecodable;
    std::unique_ptr<Spawner> spawner = std::make_unique<Spawner>(given.loop, nullptr);

    void start(Reflector::Options options = {}) {
        reflector = std::make_unique<Reflector>(*client, random, Log::none(), cache, options);
        reflector->on_undecodable = [this](const Scope&, const Error& error) {
            undecodable.push_back(error.message());
        };
        cache.subscribe([this](const Change& change) {
            const char* kind[] = {"+", "~", "-"};
            changes.push_back(kind[static_cast<int>(change.kind)] + change.object().key().name);
        });
        spawner->start("reflector", reflector->run());
        given.loop.run_for(100ms);
    }
    void put(const std::string& name, int replicas = 1) {
        json object = widget("shop", name);
        object["spec"]["replicas"] = replicas;
        given.api.put(kWidgets, object);
    }
    std::size_t lists() const { return count_of("watch=1", false); }
    std::size_t watches() const { return count_of("watch=1", true); }
    std::size_t count_of(const std::string& part, bool with) const {
        return static_cast<std::size_t>(std::count_if(
            given.api.requests.begin(), given.api.requests.end(),
            [&](const auto& r) { return r.starts_with("GET") && (r.find(part) != std::string::npos) == with; }));
    }
    std::string last(const std::string& part) const {
        for (auto at = given.api.requests.rbegin(); at != given.api.requests.rend(); ++at) {
            if (at->find(part) != std::string::npos) return *at;
        }
        return "";
    }
    bool run_until(const std::function<bool()>& predicate, Duration limit = 10min) {
        return given.loop.run_until(predicate, limit);
    }
};

}  // namespace atl::kube
