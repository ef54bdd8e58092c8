#include "cloud/docker/engines.h"

#include <gtest/gtest.h>

namespace atl::cloud::docker {
namespace {

TEST(Engines, ReadsUnixAndTcp) {
    EXPECT_EQ(parse_engine_host("unix:///var/run/docker.sock", false)->to_string(), "unix:///var/run/docker.sock");
    const auto tls = parse_engine_host("tcp://10.0.0.5:2376", true);
    ASSERT_TRUE(tls.ok());
    EXPECT_EQ(tls->scheme, net::Scheme::Https);
    EXPECT_EQ(tls->port, 2376);
    EXPECT_EQ(parse_engine_host("tcp://[fd00::1]:2376", true)->host, "fd00::1");
    EXPECT_EQ(parse_engine_host("tcp://127.0.0.1:2375", false)->scheme, net::Scheme::Http);
}

TEST(Engines, RefusesOtherFormsWithWhatIsAllowed) {
    for (const char* host :
         {"", "ssh://a@b", "unix://relative", "tcp://10.0.0.5", "tcp://:2376", "tcp://a:0", "tcp://a:99999",
          "tcp://a:2376x", "http://a:1", "/var/run/docker.sock", "npipe:////./pipe/docker"}) {
        const auto result = parse_engine_host(host, true);
        ASSERT_FALSE(result.ok()) << host;
        EXPECT_EQ(result.error().reason(), "InvalidEngineHost");
        EXPECT_NE(result.error().message().find("unix:///path"), std::string::npos);
    }
}

TEST(Engines, RefusesAnOpenDoor) {
    const auto result = parse_engine_host("tcp://10.0.0.5:2375", false);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "EngineWithoutTls");
}

TEST(Engines, TakesOddValuesForDefaults) {
    for (const char* text :
         {"{}", "null", "[]", R"({"host": 1, "tlsSecretRef": "x"})", R"({"tlsSecretRef": {"name": []}})"}) {
        const auto machine = engine_machine(Properties::parse(text), "spec.x");
        ASSERT_TRUE(machine.ok()) << text;
        EXPECT_EQ(machine->host, "unix:///var/run/docker.sock");
    }
    const auto bad = engine_machine({{"host", "ftp://x"}}, "spec.x");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().field(), "spec.x.host");
}

Observed machine(const std::string& name, State state) {
    Observed observed;
    observed.key = {"machine", name};
    observed.state = state;
    observed.outputs = {{"engine", "unix:///" + name}, {"address", "127.0.0.1"}, {"hostname", name}, {"tlsSecret", ""}};
    return observed;
}

TEST(Engines, NamesTheFirstMachineFirst) {
    const World world{{machine("b", State::Ready), machine("a", State::Ready), machine("c", State::Failed)}};
    const auto endpoint = endpoint_of_machines(world, "b");
    ASSERT_TRUE(endpoint.ok());
    ASSERT_EQ(endpoint->engines.size(), 2U);
    EXPECT_EQ(endpoint->engines[0].machine, "b");
    EXPECT_EQ(endpoint->engines[1].where.host, "/a");
}

TEST(Engines, WaitsWhereNoMachineIsReadyAndSaysWhy) {
    Observed broken = machine("a", State::Failed);
    broken.message = "does not answer";
    const auto endpoint = endpoint_of_machines(World{{broken}}, "");
    ASSERT_FALSE(endpoint.ok());
    EXPECT_TRUE(endpoint.error().is_waiting());
    EXPECT_EQ(endpoint.error().message(), "no machine is ready: a (does not answer)");
}

}  // namespace
}  // namespace atl::cloud::docker
