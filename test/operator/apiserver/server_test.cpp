#include "operator/apiserver/server.h"

#include <gmock/gmock.h>

#include "test/operator/apiserver/server_fixture.h"

namespace atl::apiserver {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServerTest : public ServerFixture {};

TEST_F(ServerTest, AnObjectIsMadeReadChangedAndDeleted) {
    const Answer made = call("POST", kConfigMaps, config_map("c"));
    ASSERT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(made.body["metadata"]["namespace"], "default");
    EXPECT_EQ(call("GET", kConfigMaps + "/c").body, made.body);
    EXPECT_EQ(patch(kConfigMaps + "/c", {{"data", {{"b", "2"}}}}).body["data"], (json{{"a", "1"}, {"b", "2"}}));
    const Answer deleted = call("DELETE", kConfigMaps + "/c");
    EXPECT_EQ(deleted.body["status"], "Success") << deleted.text;
    EXPECT_EQ(call("GET", kConfigMaps + "/c").status, 404);
}

TEST_F(ServerTest, WhoShowsNoTokenOrAWrongOneIsRefused) {
    net::Request anonymous = request("GET", kConfigMaps);
    anonymous.headers.remove("Authorization");
    EXPECT_EQ(send(anonymous).status, 401);
    anonymous.headers.set("Authorization", "Bearer nonsense");
    EXPECT_EQ(send(anonymous).body["reason"], "Unauthorized");
}

TEST_F(ServerTest, ADefinitionServesItsResourcesAtOnce) {
    ASSERT_EQ(call("POST", kCrds, widget_definition()).status, 201);
    const Answer made = call("POST", kWidgets, widget("w"));
    ASSERT_EQ(made.status, 201) << made.text;
    EXPECT_EQ(made.body["spec"]["color"], "green");
    EXPECT_EQ(made.body["metadata"]["generation"], 1);
    EXPECT_EQ(call("POST", kWidgets, widget("v", {{"size", 11}})).status, 422);
}

TEST_F(ServerTest, ADefinitionGoesWithItsObjects) {
    ASSERT_EQ(call("POST", kCrds, widget_definition()).status, 201);
    ASSERT_EQ(call("POST", kWidgets, widget("w")).status, 201);
    EXPECT_EQ(call("DELETE", kCrds + "/widgets.example.com").status, 200);
    EXPECT_TRUE(eventually(kCrds + "/widgets.example.com", 404));
    EXPECT_EQ(call("GET", kWidgets).status, 404);
}

TEST_F(ServerTest, ARuleThatCannotBeEvaluatedIsRefusedWithItsPath) {
    json definition = widget_definition();
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"] =
        json::array({{{"rule", "self.size.frobnicate()"}}});
    const Answer refused = call("POST", kCrds, definition);
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.text, HasSubstr("x-kubernetes-validations[0].rule"));
}

TEST_F(ServerTest, AWatchSeesWhatIsWrittenLater) {
    const std::string version = call("GET", kConfigMaps).body["metadata"]["resourceVersion"];
    auto stream = watch(kConfigMaps + "?watch=true&resourceVersion=" + version);
    ASSERT_NE(stream, nullptr);
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    EXPECT_EQ(next_event(*stream)["type"], "ADDED");
    ASSERT_EQ(call("DELETE", kConfigMaps + "/c").status, 200);
    EXPECT_EQ(next_event(*stream)["type"], "DELETED");
}

TEST_F(ServerTest, AWatchFromBeforeTheStartReadsTheLog) {
    const std::string version = call("GET", kConfigMaps).body["metadata"]["resourceVersion"];
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    crash();
    start();
    auto stream = watch(kConfigMaps + "?watch=true&resourceVersion=" + version);
    ASSERT_NE(stream, nullptr);
    const json event = next_event(*stream);
    EXPECT_EQ(event["type"], "ADDED");
    EXPECT_EQ(event["object"]["metadata"]["name"], "c");
}

TEST_F(ServerTest, AWatchAsTableGivesTheAgeAtEachEvent) {
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    net::Request opening = request("GET", kConfigMaps + "?watch=true&fieldSelector=metadata.name=c");
    opening.headers.set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    auto stream = watch(std::move(opening));
    ASSERT_NE(stream, nullptr);
    const auto age = [&] { return next_event(*stream)["object"]["rows"][0]["cells"][2]; };
    EXPECT_EQ(age(), "0s");
    loop.run_for(std::chrono::seconds(70));
    ASSERT_EQ(patch(kConfigMaps + "/c", {{"data", {{"a", "2"}}}}).status, 200);
    EXPECT_EQ(age(), "70s");
    loop.run_for(std::chrono::seconds(20));
    ASSERT_EQ(call("DELETE", kConfigMaps + "/c").status, 200);
    EXPECT_EQ(age(), "90s");
}

TEST_F(ServerTest, BookmarksComeWithinEachMinuteAndAtTheEnd) {
    auto stream = watch(kConfigMaps + "?watch=true&allowWatchBookmarks=true&timeoutSeconds=70");
    ASSERT_NE(stream, nullptr);
    const Instant begin = loop.now();
    EXPECT_EQ(next_event(*stream)["type"], "BOOKMARK");
    EXPECT_LE(loop.now() - begin, std::chrono::seconds(56));
    EXPECT_EQ(next_event(*stream)["type"], "BOOKMARK");
    EXPECT_TRUE(next_event(*stream).is_null());
    EXPECT_LE(loop.now() - begin, std::chrono::seconds(71));
}

TEST_F(ServerTest, WhatWasAnsweredSurvivesACrash) {
    const Answer made = call("POST", kConfigMaps, config_map("c"));
    const std::string old_token = token;
    crash();
    start();
    EXPECT_EQ(token, old_token);
    EXPECT_EQ(call("GET", kConfigMaps + "/c").body, made.body);
}

TEST_F(ServerTest, ASecondProcessIsKeptOut) {
    ServerOptions options;
    options.data_directory = "data";
    options.vfs = disk.name();
    options.writer_runs = ServerOptions::WriterRuns::OnLoop;
    const auto second = Server::open(options, {loop, loop.random(), loop, disk, Log::none()});
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().reason(), "DataInUse");
    EXPECT_THAT(second.error().message(), HasSubstr("in use by another process"));
}

TEST_F(ServerTest, DependentsGoWithTheirOwner) {
    const Answer owner = call("POST", kConfigMaps, config_map("owner"));
    json dependent = config_map("dependent");
    dependent["metadata"]["ownerReferences"] = json::array(
        {{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "owner"}, {"uid", owner.body["metadata"]["uid"]}}});
    ASSERT_EQ(call("POST", kConfigMaps, dependent).status, 201);
    ASSERT_EQ(call("DELETE", kConfigMaps + "/owner").status, 200);
    EXPECT_TRUE(eventually(kConfigMaps + "/dependent", 404));
}

TEST_F(ServerTest, ANamespaceIsEmptiedBeforeItGoes) {
    const json ns = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "n"}}}};
    ASSERT_EQ(call("POST", "/api/v1/namespaces", ns).status, 201);
    json held = config_map("c");
    held["metadata"]["finalizers"] = {"example.com/hold"};
    ASSERT_EQ(call("POST", "/api/v1/namespaces/n/configmaps", held).status, 201);
    EXPECT_EQ(call("DELETE", "/api/v1/namespaces/n").body["status"]["phase"], "Terminating");
    EXPECT_EQ(call("POST", "/api/v1/namespaces/n/configmaps", config_map("d")).status, 403);
    loop.run_for(std::chrono::seconds(5));
    EXPECT_EQ(call("GET", "/api/v1/namespaces/n").status, 200);
    EXPECT_EQ(patch("/api/v1/namespaces/n/configmaps/c", {{"metadata", {{"finalizers", nullptr}}}}).status, 200);
    EXPECT_TRUE(eventually("/api/v1/namespaces/n", 404));
}

TEST_F(ServerTest, EventsAreOneObjectInBothVersions) {
    const json event = {{"apiVersion", "v1"},
                        {"kind", "Event"},
                        {"metadata", {{"name", "e"}}},
                        {"involvedObject", {{"kind", "ConfigMap"}, {"name", "c"}, {"namespace", "default"}}},
                        {"reason", "Made"},
                        {"message", "made it"},
                        {"type", "Normal"}};
    const Answer made = call("POST", "/api/v1/namespaces/default/events", event);
    ASSERT_EQ(made.status, 201) << made.text;
    const Answer same = call("GET", "/apis/events.k8s.io/v1/namespaces/default/events/e");
    EXPECT_EQ(same.body["note"], "made it") << same.text;
    EXPECT_EQ(same.body["regarding"]["name"], "c");
}

TEST_F(ServerTest, EventsGoAfterAnHour) {
    const json event = {{"apiVersion", "v1"},
                        {"kind", "Event"},
                        {"metadata", {{"name", "e"}}},
                        {"involvedObject", {{"kind", "ConfigMap"}, {"name", "c"}, {"namespace", "default"}}}};
    const std::string path = "/api/v1/namespaces/default/events";
    ASSERT_EQ(call("POST", path, event).status, 201);
    loop.run_for(std::chrono::minutes(50));
    EXPECT_EQ(call("GET", path + "/e").status, 200);
    loop.run_for(std::chrono::minutes(20));
    EXPECT_EQ(call("GET", path + "/e").status, 404);
}

TEST_F(ServerTest, SecretsAreNeverPlainOnTheDisk) {
    const json secret = {{"apiVersion", "v1"},
                         {"kind", "Secret"},
                         {"metadata", {{"name", "s"}}},
                         {"stringData", {{"password", "canary-0815"}}}};
    const std::string path = "/api/v1/namespaces/default/secrets";
    ASSERT_EQ(call("POST", path, secret).status, 201);
    ASSERT_EQ(patch(path + "/s", {{"data", {{"more", "Y2FuYXJ5"}}}}).status, 200);
    EXPECT_THAT(call("GET", path + "/s").text, HasSubstr("Y2FuYXJ5LTA4MTU="));
    const auto names = disk.list("data");
    for (const std::string& name : *names) {
        const std::string content = *disk.read("data/" + name);
        EXPECT_EQ(content.find("canary-0815"), std::string::npos) << name;
        EXPECT_EQ(content.find("Y2FuYXJ5"), std::string::npos) << name;
    }
}

TEST_F(ServerTest, NoBodyCrashesIt) {
    ASSERT_EQ(call("POST", kCrds, widget_definition()).status, 201);
    const std::string deep = std::string(10000, '[') + std::string(10000, ']');
    for (const std::string& body :
         {std::string(), std::string("{"), std::string("[]"), std::string("null"), std::string("\"x\""), deep,
          std::string(R"({"apiVersion":1,"kind":[],"metadata":7})"), std::string(R"({"metadata":{"name":{}}})"),
          std::string(
              R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","labels":[]},"spec":7})"),
          std::string(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":7,"finalizers":{}}})"),
          std::string(4 * 1024 * 1024, ' ')}) {
        for (const std::string& path : {kWidgets, kConfigMaps, kCrds}) {
            net::Request made = request("POST", path);
            made.body = body;
            const Answer answer = send(made);
            EXPECT_GE(answer.status, 400) << body.substr(0, 100);
            EXPECT_LT(answer.status, 500) << body.substr(0, 100) << answer.text;
        }
    }
}

TEST_F(ServerTest, FiveHundredWatchersSeeEachWriteOnce) {
    std::vector<std::unique_ptr<net::BodyStream>> streams;
    for (int i = 0; i < 500; ++i) {
        streams.push_back(watch(kConfigMaps + "?watch=true&resourceVersion=" +
                                call("GET", kConfigMaps).body["metadata"]["resourceVersion"].get<std::string>()));
    }
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    for (auto& stream : streams) EXPECT_EQ(next_event(*stream)["object"]["metadata"]["name"], "c");
}

}  // namespace
}  // namespace atl::apiserver
