#include "test/operator/apiserver/server_fixture.h"

namespace atl::apiserver {

using nlohmann::json;

ServerFixture::ServerFixture() {
    start();
}

ServerFixture::~ServerFixture() {
    network.serve(endpoint.to_string(), nullptr);
    // What still holds on to the server goes first.
    loop.run_for(std::chrono::seconds(2));
    server.reset();
}

void ServerFixture::start() {
    ServerOptions options;
    options.data_directory = "data";
    options.vfs = disk.name();
    options.writer_runs = ServerOptions::WriterRuns::OnLoop;
    auto opened = Server::open(options, {loop, loop.random(), loop, disk, Log::none()});
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    server = std::move(*opened);
    token = server->admin_token();
    const auto started = sim::run(loop, server->start());
    ASSERT_TRUE(started.ok()) << started.error().message();
    network.serve(endpoint.to_string(), &server->handler());
}

void ServerFixture::crash() {
    network.serve(endpoint.to_string(), nullptr);
    disk.crash();
    server.reset();
}

net::Request ServerFixture::request(const std::string& method, const std::string& target, const json& body) {
    net::Request made;
    made.endpoint = endpoint;
    made.method = method;
    made.target = target;
    made.headers.set("Authorization", "Bearer " + token);
    made.headers.set("User-Agent", "test/1");
    if (!body.is_null()) made.headers.set("Content-Type", "application/json");
    if (!body.is_null()) made.body = body.dump();
    return made;
}

Answer ServerFixture::send(net::Request made) {
    auto sent = sim::run(loop, transport.send(std::move(made), {loop.now() + std::chrono::seconds(60)}));
    Answer answer;
    if (!sent.ok()) {
        answer.text = sent.error().message();
        return answer;
    }
    answer.status = sent->status;
    answer.headers = sent->headers;
    answer.text = sent->body;
    answer.body = json::parse(sent->body, nullptr, false);
    return answer;
}

Answer ServerFixture::call(const std::string& method, const std::string& target, const json& body) {
    return send(request(method, target, body));
}

Answer ServerFixture::patch(const std::string& target, const json& body, const std::string& type) {
    net::Request made = request("PATCH", target, body);
    made.headers.set("Content-Type", type);
    return send(std::move(made));
}

std::unique_ptr<net::BodyStream> ServerFixture::watch(const std::string& target) {
    return watch(request("GET", target));
}

std::unique_ptr<net::BodyStream> ServerFixture::watch(net::Request opening) {
    auto opened = sim::run(loop, transport.open(std::move(opening), {loop.now() + std::chrono::seconds(60)}));
    return opened.ok() ? std::move(opened->body) : nullptr;
}

json ServerFixture::next_event(net::BodyStream& stream) {
    auto piece = sim::run(loop, stream.next());
    if (!piece.ok() || !*piece) return nullptr;
    return json::parse(**piece, nullptr, false);
}

bool ServerFixture::eventually(const std::string& target, int status) {
    for (int i = 0; i < 100; ++i) {
        if (call("GET", target).status == status) return true;
        loop.run_for(std::chrono::milliseconds(100));
    }
    return false;
}

json ServerFixture::config_map(const std::string& name, const json& data) {
    return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", data}};
}

json ServerFixture::widget_definition() {
    const json size = {{"type", "integer"}, {"minimum", 1}, {"maximum", 10}};
    const json spec = {{"type", "object"},
                       {"properties",
                        {{"size", size},
                         {"color", {{"type", "string"}, {"default", "green"}}},
                         {"replicas", {{"type", "integer"}, {"default", 1}}}}}};
    const json schema = {
        {"type", "object"},
        {"properties",
         {{"spec", spec}, {"status", {{"type", "object"}, {"properties", {{"replicas", {{"type", "integer"}}}}}}}}}};
    const json subresources = {
        {"status", json::object()},
        {"scale", {{"specReplicasPath", ".spec.replicas"}, {"statusReplicasPath", ".status.replicas"}}}};
    const json version = {{"name", "v1"},
                          {"served", true},
                          {"storage", true},
                          {"subresources", subresources},
                          {"schema", {{"openAPIV3Schema", schema}}}};
    return {{"apiVersion", "apiextensions.k8s.io/v1"},
            {"kind", "CustomResourceDefinition"},
            {"metadata", {{"name", "widgets.example.com"}}},
            {"spec",
             {{"group", "example.com"},
              {"scope", "Namespaced"},
              {"names", {{"plural", "widgets"}, {"kind", "Widget"}}},
              {"versions", json::array({version})}}}};
}

json ServerFixture::widget(const std::string& name, const json& spec) {
    return {{"apiVersion", "example.com/v1"}, {"kind", "Widget"}, {"metadata", {{"name", name}}}, {"spec", spec}};
}

}  // namespace atl::apiserver
