#include "cloud/docker/values.h"

#include <gtest/gtest.h>

#include "cloud/docker/marks.h"
#include "cloud/docker/urls.h"
#include "cloud/docker/volumes.h"

namespace atl::cloud::docker {
namespace {

TEST(Values, OfTheWrongTypeAreAsIfTheyWereMissing) {
    for (const char* text :
         {"null", "[]", "7", "\"a\"", "{}", R"({"a": 7})", R"({"a": {"b": {}}})", R"({"a": [{"b": "x"}]})"}) {
        const Json tree = Json::parse(text);
        EXPECT_EQ(text_at(tree, {"a", "b"}), "") << text;
        EXPECT_EQ(number_at(tree, {"a", "b"}, 5), 5) << text;
        EXPECT_FALSE(is_true_at(tree, {"a", "b"})) << text;
        EXPECT_TRUE(list_at(tree, {"a", "b"}).empty()) << text;
        EXPECT_TRUE(texts_at(tree, {"a", "b"}).empty()) << text;
    }
}

TEST(Values, ANumberIsAWholeOneAndALabelAText) {
    const Json tree = Json::parse(R"({"n": 1.5, "s": "1", "b": 1, "labels": {"a": "x", "b": 7, "c": null}})");
    EXPECT_EQ(number_at(tree, {"n"}, -1), -1);
    EXPECT_EQ(number_at(tree, {"s"}, -1), -1);
    EXPECT_FALSE(is_true_at(tree, {"b"}));
    EXPECT_EQ(texts_at(tree, {"labels"}), (std::map<std::string, std::string>{{"a", "x"}}));
}

TEST(Urls, NameEveryMachineAndProtocolAndBracketWideAddresses) {
    Workload web;
    web.published = {{8080, 80, "HTTP", "g"}, {8443, 443, "HTTPS", "g"}, {53, 53, "UDP", "g"}, {22, 22, "TCP", "g"}};
    Endpoint endpoint;
    endpoint.engines.resize(2);
    endpoint.engines[0].address = "10.0.0.1";
    endpoint.engines[1].address = "fd00::1";
    const auto urls = urls_of({web}, endpoint);
    ASSERT_EQ(urls.size(), 8U);
    EXPECT_EQ(urls[0], "http://10.0.0.1:8080");
    EXPECT_EQ(urls[1], "http://[fd00::1]:8080");
    EXPECT_EQ(urls[2], "https://10.0.0.1:8443");
    EXPECT_EQ(urls[4], "udp://10.0.0.1:53");
    EXPECT_EQ(urls[6], "tcp://10.0.0.1:22");
    EXPECT_TRUE(urls_of({web}, {}).empty());
}

TEST(Volumes, OfOthersAndThoseThatAreKeptAreNotSeen) {
    const Owner mine{"i-1", "instance-1", "ServiceInstance", "default", "web"};
    Owner other = mine;
    other.id = "instance-2";
    Labels kept = marks_of(mine, "kept");
    kept[std::string(kRetainLabel)] = "true";
    Json list;
    list["Volumes"] = {{{"Name", "v1"}, {"Labels", marks_of(mine, "data")}},
                       {{"Name", "v2"}, {"Labels", marks_of(other, "data")}},
                       {{"Name", "v3"}, {"Labels", kept}},
                       {{"Name", "v4"}, {"Labels", nullptr}},
                       7};
    World world;
    Observed like;
    like.key.kind = "volume";
    add_volumes(world, list, like, mine);
    ASSERT_EQ(world.resources.size(), 1U);
    EXPECT_EQ(world.resources[0].id, "v1");
    EXPECT_EQ(world.resources[0].key.name, "data");
    add_volumes(world, Json::parse(R"({"Volumes": null})"), like, mine);
    add_volumes(world, Json(), like, mine);
    EXPECT_EQ(world.resources.size(), 1U);
}

TEST(Volumes, MountsNameTheirVolumeAndScratchSpaceHasNoName) {
    const Owner owner{"i-1", "instance-1", "ServiceInstance", "default", "web"};
    const Json mounts = mounts_for(
        Json::parse(R"([{"volume": "data", "path": "/data", "readOnly": true, "retain": true}, {"path": "/tmp"}])"),
        owner, "swarm/volume");
    EXPECT_EQ(mounts[0]["Source"], name_on_engine(owner, {"swarm/volume", "data"}));
    EXPECT_EQ(mounts[0]["ReadOnly"], true);
    EXPECT_TRUE(mounts[0]["VolumeOptions"]["Labels"].contains(std::string(kRetainLabel)));
    EXPECT_FALSE(mounts[1].contains("Source")) << "the engine makes one for each container and takes it away with it";
}

}  // namespace
}  // namespace atl::cloud::docker
