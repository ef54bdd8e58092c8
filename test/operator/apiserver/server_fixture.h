#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/apiserver/server.h"
#include "test/sim/lossy_disk.h"
#include "test/sim/sim_loop.h"
#include "test/sim/sim_network.h"

namespace atl::apiserver {

/// An answer with its body read.
struct Answer {
    int status = 0;
    net::Headers headers;
    std::string text;
    nlohmann::json body;
};

/// A whole server on a lossy disk behind a simulated network, and a client of it.
class ServerFixture : public ::testing::Test {
protected:
    ServerFixture();
    ~ServerFixture() override;

    /// Opens and starts the server on what is on the disk.
    void start();
    /// The process dies and the power goes off; start() brings it back.
    void crash();

    Answer call(const std::string& method, const std::string& target, const nlohmann::json& body = nullptr);
    Answer send(net::Request request);
    net::Request request(const std::string& method, const std::string& target, const nlohmann::json& body = nullptr);
    Answer patch(const std::string& target, const nlohmann::json& body,
                 const std::string& type = "application/merge-patch+json");
    /// Opens a watch; events are read with next_event().
    std::unique_ptr<net::BodyStream> watch(const std::string& target);
    std::unique_ptr<net::BodyStream> watch(net::Request opening);
    nlohmann::json next_event(net::BodyStream& stream);
    /// Runs the loop until the path answers with that status.
    bool eventually(const std::string& target, int status);

    static nlohmann::json config_map(const std::string& name, const nlohmann::json& data = {{"a", "1"}});
    /// A definition of the kind Widget with a size from 1 to 10.
    static nlohmann::json widget_definition();
    static nlohmann::json widget(const std::string& name, const nlohmann::json& spec = {{"size", 1}});

    sim::SimLoop loop{7};
    std::string disk_name = "server-" + std::to_string(reinterpret_cast<std::uintptr_t>(this));
    sim::LossyDisk disk{disk_name, loop.random()};
    sim::SimNetwork network{loop};
    sim::SimTransport transport{network};
    net::Endpoint endpoint{net::Scheme::Http, "api", 80, nullptr};
    std::unique_ptr<Server> server;
    std::string token;
};

inline const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";
inline const std::string kWidgets = "/apis/example.com/v1/namespaces/default/widgets";
inline const std::string kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

}  // namespace atl::apiserver
