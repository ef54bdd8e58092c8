#include "operator/commands/describe_tree.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "operator/base/manifest.h"
#include "operator/base/time.h"

namespace atl::commands {
namespace {

using nlohmann::json;

const WallTime kNow = *parse_rfc3339("2026-01-01T01:00:00Z");

json read(std::string_view yaml) {
    return parse_manifests(yaml)->at(0).object;
}

json ready(std::string status, std::string reason, std::string message) {
    return {{{"type", "Ready"},
             {"status", status},
             {"reason", reason},
             {"message", message},
             {"lastTransitionTime", "2026-01-01T00:58:00Z"},
             {"observedGeneration", 1}}};
}

Inventory shop() {
    Inventory inventory;
    json cluster = read(R"(
metadata: {name: local, namespace: default, generation: 1}
spec: {infrastructure: {local: {}}, orchestrator: {swarm: {}}}
status: {observedGeneration: 1, endpoint: "unix:///var/run/docker.sock"})");
    cluster["status"]["conditions"] = ready("True", "Ready", "");
    json machine = read(R"(
metadata: {name: local-0, namespace: default, generation: 1}
spec: {clusterRef: {name: local}, pool: local}
status: {observedGeneration: 1, address: 10.0.0.1, engine: {version: 20.10.24}, capacity: {cpu: "4", memory: 8Gi}})");
    machine["status"]["conditions"] = ready("True", "Ready", "");
    json stack = read(R"(
metadata: {name: shop, namespace: default, generation: 1}
spec:
  clusterRef: {name: local}
  services:
  - name: web
    description: The page of the shop.
    container: {image: x, ports: [{name: http, containerPort: 80}]}
    provides: [{name: http, port: http, description: The page.}]
    consumes: [{name: store, port: 81, description: Where the greeting comes from.}]
status: {observedGeneration: 1, endpoints: ["http://127.0.0.1:18080/"]})");
    stack["status"]["conditions"] = ready("True", "Ready", "");
    json instance = read(R"(
metadata: {name: shop-web, namespace: default, generation: 1}
spec: {stackRef: {name: shop}, service: web}
status:
  observedGeneration: 1
  replicas: 2
  readyReplicas: 2
  containers:
  - {path: web, replica: "1", machine: local-0, address: 10.0.1.5, state: Running, restarts: 2, ports: ["0.0.0.0:18080->80/tcp"]}
  - {path: web, replica: "2", state: Running})");
    instance["status"]["conditions"] = ready("True", "Ready", "");
    inventory.clusters = {cluster};
    inventory.machines = {machine};
    inventory.stacks = {stack};
    inventory.instances = {instance};
    return inventory;
}

TEST(DescribeTree, ShowsEverythingThatRuns) {
    EXPECT_EQ(
        describe_text(shop(), kNow),
        "No problems.\n"
        "\n"
        "NAME                          READY  REASON   SINCE  MESSAGE\n"
        "Cluster local                 True   Ready    2m     local with swarm at unix:///var/run/docker.sock\n"
        "├─Machine local-0             True   Ready    2m     10.0.0.1, engine 20.10.24, 4 CPUs, 8Gi memory\n"
        "└─Stack shop                  True   Ready    2m     http://127.0.0.1:18080/\n"
        "  └─ServiceInstance shop-web  True   Ready    2m     2 of 2 ready: The page of the shop.\n"
        "    ├─provides http                                  The page.\n"
        "    ├─consumes store                                 Where the greeting comes from.\n"
        "    ├─container web/1                Running         on local-0, 10.0.1.5, 0.0.0.0:18080->80/tcp, 2 restarts\n"
        "    └─container web/2                Running\n");
}

TEST(DescribeTree, MemoryHasAUnit) {
    const std::pair<const char*, const char*> rows[] = {
        {"8334589952", ", 7.8Gi memory"},
        {"268435456", ", 256Mi memory"},
        {"2048", ", 2Ki memory"},
        {"512", ", 512 bytes memory"},
        {"16Gi", ", 16Gi memory"},
        {"odd", ", odd memory"},
        {"", ",  memory"},
        {"99999999999999999999", ", 99999999999999999999 memory"},
    };
    for (const auto& [amount, shown] : rows) {
        Inventory inventory = shop();
        inventory.machines[0]["status"]["capacity"]["memory"] = amount;
        EXPECT_NE(describe_text(inventory, kNow).find(shown), std::string::npos) << amount;
    }
}

TEST(DescribeTree, PutsProblemsFirstTheWorstAtTheTop) {
    Inventory inventory = shop();
    inventory.instances[0]["status"]["conditions"] = ready("False", "Progressing", "waiting for 1 of 2 copies");
    inventory.instances[0]["status"]["containers"][1]["state"] = "Failed";
    inventory.instances[0]["status"]["containers"][1]["lastError"] = "No such image: x";
    json stalled = ready("True", "InvalidSpec", "spec.links[0]: Not found");
    stalled[0]["type"] = "Stalled";
    inventory.stacks[0]["status"]["conditions"] = json::array({ready("False", "InvalidSpec", "x")[0], stalled[0]});
    std::string text = describe_text(inventory, kNow);
    EXPECT_TRUE(
        text.starts_with("3 problems:\n"
                         "  Stack default/shop: InvalidSpec: spec.links[0]: Not found\n"
                         "  container web/2 of ServiceInstance default/shop-web: No such image: x\n"
                         "  ServiceInstance default/shop-web: Progressing: waiting for 1 of 2 copies\n"))
        << text;
}

TEST(DescribeTree, TellsWhenAHealthyContainerLastEndedButNotAsAProblem) {
    Inventory inventory = shop();
    json& container = inventory.instances[0]["status"]["containers"][0];
    container["lastTermination"] = {{"message", "task: non-zero exit (137)"},
                                    {"exitCode", 137},
                                    {"finishedAt", format_rfc3339(kNow - std::chrono::seconds(90))}};
    container["image"] = "web:1";
    container["imageID"] = "sha256:0123456789abcdef0123456789abcdef";
    const std::string text = describe_text(inventory, kNow);
    EXPECT_TRUE(text.starts_with("No problems.\n")) << text;
    EXPECT_NE(text.find("2 restarts, last ended 1m30s ago, web:1 is sha256:01234"), std::string::npos) << text;
}

TEST(DescribeTree, NamesWhatHangsOnNothing) {
    Inventory inventory = shop();
    inventory.clusters.clear();
    std::string text = describe_text(inventory, kNow);
    EXPECT_NE(text.find("Stack default/shop: Cluster local does not exist"), std::string::npos) << text;
    EXPECT_NE(text.find("Machine default/local-0: Cluster local does not exist"), std::string::npos) << text;
    EXPECT_NE(text.find("\nStack shop"), std::string::npos) << "and shows it all the same";
    inventory.stacks.clear();
    EXPECT_NE(describe_text(inventory, kNow).find("ServiceInstance default/shop-web: Stack shop does not exist"),
              std::string::npos);
    EXPECT_EQ(describe_text({}, kNow), "No problems.\n\nThere are no objects of ours.\n");
}

TEST(DescribeTree, SaysThatAnObjectWasNotLookedAtYet) {
    Inventory inventory = shop();
    inventory.clusters[0]["metadata"]["generation"] = 2;
    EXPECT_NE(describe_text(inventory, kNow).find("NotLookedAtYet"), std::string::npos)
        << "the conditions are those of an older spec";
}

TEST(DescribeTree, SurvivesObjectsThatAreNone) {
    Inventory inventory = shop();
    inventory.stacks.push_back(json::parse(R"({"metadata": {"name": "odd", "namespace": "default"}, "spec": 5})"));
    inventory.machines.push_back(json::array());
    std::string text = describe_text(inventory, kNow);
    EXPECT_NE(text.find("Stack default/odd: cannot be read: spec must be an object, not a number"), std::string::npos)
        << text;
    EXPECT_NE(text.find("Machine ?: cannot be read"), std::string::npos) << text;
}

TEST(DescribeTree, CutsLongMessagesInTheTreeOnly) {
    Inventory inventory = shop();
    inventory.clusters[0]["status"]["conditions"] = ready("False", "Waiting", std::string(120, 'x') + "\nend");
    std::string text = describe_text(inventory, kNow);
    EXPECT_NE(text.find(std::string(100, 'x') + "…\n"), std::string::npos) << text;
    EXPECT_NE(text.find("Waiting: " + std::string(120, 'x')), std::string::npos) << text;
}

}  // namespace
}  // namespace atl::commands
