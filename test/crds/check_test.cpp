#include <functional>

#include "crds/cluster.h"
#include "crds/service_instance.h"
#include "test/crds/stacks.h"

namespace atl::crds {
namespace {

std::string text_of(const FieldErrors& errors) {
    std::string text;
    for (const FieldError& error : errors) text += error.to_string() + "\n";
    return text;
}

TEST(Check, AcceptsASoundStack) {
    EXPECT_EQ(text_of(check(stack_of(kForum))), "");
}

TEST(Check, SaysWhatIsWrongWithAStackWhereAndWhatIsAllowed) {
    struct Case {
        const char* why;
        std::function<void(StackSpec&)> breaking;
        const char* expected;
    };
    const Case cases[] = {
        {"a link from nothing", [](StackSpec& s) { s.links[0].from.service = "ap"; },
         "spec.links[0].from.service: Not found: \"ap\": no such service in spec.services; did you mean \"app\"? there "
         "are|"},
        {"a link of what is not consumed", [](StackSpec& s) { s.links[0].from.consumes = "imap"; },
         "spec.links[0].from.consumes: Not found: \"imap\": no such name among what \"app\" consumes"},
        {"a link to nothing", [](StackSpec& s) { s.links[0].to.service = "post"; },
         "spec.links[0].to.service: Not found: \"post\""},
        {"a link to what is not provided", [](StackSpec& s) { s.links[0].to.provides = "imap"; },
         "spec.links[0].to.provides: Not found: \"imap\": no such name among what \"mail\" provides; there is "
         "\"smtp\""},
        {"a link into a composite", [](StackSpec& s) { s.links[0].to = {"db", "pg"}; },
         "spec.links[0].to.service: Forbidden: \"db\" is Internal: name the composite that uses it"},
        {"a link to a path", [](StackSpec& s) { s.links[0].to = {"portal/left", "web"}; },
         "spec.links[0].to.service: Not found: \"portal/left\""},
        {"a gateway to what a composite hides", [](StackSpec& s) { s.gateways[0].routes[0].to = {"app", "http"}; },
         "spec.gateways[0].routes[0].to.service: Forbidden: \"app\" is Internal"},
        {"a gateway to what a composite does not provide",
         [](StackSpec& s) { s.gateways[0].routes[0].to.provides = "db"; },
         "spec.gateways[0].routes[0].to.provides: Not found: \"db\""},
        {"two links of the same ends",
         [](StackSpec& s) {
             s.links.push_back(s.links[0]);
             s.links[1].name = "again";
         },
         "spec.links[1]: Duplicate value: \"app.smtp → mail.smtp\": the link \"smtp\" joins the same ends"},
        {"two links of one name", [](StackSpec& s) { s.links.push_back(s.links[0]); },
         "spec.links[1].name: Duplicate value: \"smtp\""},
        {"two services of one name", [](StackSpec& s) { s.services.push_back(s.services[2]); },
         "spec.services[5].name: Duplicate value: \"mail\""},
        {"no name", [](StackSpec& s) { s.services[2].name = ""; },
         "spec.services[2].name: Invalid value: \"\": a lowercase RFC 1123 label"},
        {"a name with capitals", [](StackSpec& s) { s.volumes[0].name = "Data"; },
         "spec.volumes[0].name: Invalid value: \"Data\""},
        {"a name that is too long", [](StackSpec& s) { s.volumes[0].name = std::string(64, 'a'); },
         "must be no more than 63 characters"},
        {"nothing supplies what is consumed", [](StackSpec& s) { s.links.clear(); },
         "spec.services[4].composite.links: Required value: no link supplies what \"left/front\" consumes as \"smtp\""},
        {"links in a circle",
         [](StackSpec& s) {
             s.services[2].consumes = {{"web", 8080, ""}};
             s.links.push_back({"back", {"mail", "web"}, {"app", "http"}});
             s.services[0].exposure = Exposure::Public;
         },
         "links go round in a circle: app → mail → app"},
        {"a service linked to itself",
         [](StackSpec& s) {
             s.services[2].consumes = {{"me", 25, ""}};
             s.links.push_back({"me", {"mail", "me"}, {"mail", "smtp"}});
         },
         "spec.links[1].to.service: Invalid value: \"mail\": links go round in a circle: mail → mail"},
        {"a composite in itself",
         [](StackSpec& s) { s.services[3].composite->services.push_back({"again", "portal"}); },
         "composites go round in a circle: forum → portal → forum"},
        {"dependencies in a circle",
         [](StackSpec& s) {
             s.services[2].depends_on = {"portal"};
             s.services[4].depends_on = {"mail"};
         },
         "dependencies go round in a circle: mail → portal → mail"},
        {"a dependency on nothing", [](StackSpec& s) { s.services[2].depends_on = {"x"}; },
         "spec.services[2].dependsOn[0]: Not found: \"x\""},
        {"a dependency on an Internal service", [](StackSpec& s) { s.services[2].depends_on = {"db"}; },
         "spec.services[2].dependsOn[0]: Forbidden: \"db\" is Internal"},
        {"a member of nothing", [](StackSpec& s) { s.services[3].composite->services[0].service = "apq"; },
         "spec.services[3].composite.services[0].service: Not found: \"apq\""},
        {"a composite that provides what its member does not",
         [](StackSpec& s) { s.services[3].composite->provides[0].from.provides = "x"; },
         "spec.services[3].composite.provides[0].from.provides: Not found: \"x\""},
        {"an inner link from no member", [](StackSpec& s) { s.services[3].composite->links[0].from.service = "app"; },
         "spec.services[3].composite.links[0].from.service: Not found: \"app\": no such member of the composite"},
        {"a port that does not exist", [](StackSpec& s) { s.services[2].provides[0].port = "x"; },
         "spec.services[2].provides[0].port: Not found: \"x\": no such port of the container; there is \"smtp\""},
        {"port 0", [](StackSpec& s) { s.services[2].container->ports[0].container_port = 0; },
         "spec.services[2].container.ports[0].containerPort: Invalid value: 0: must be between 1 and 65535"},
        {"port 65536", [](StackSpec& s) { s.gateways[0].listeners[0].port = 65536; },
         "spec.gateways[0].listeners[0].port: Invalid value: 65536"},
        {"a negative port", [](StackSpec& s) { s.services[0].consumes[0].port = -1; },
         "spec.services[0].consumes[0].port: Invalid value: -1"},
        {"one port twice", [](StackSpec& s) { s.services[2].container->ports.push_back({"other", 25, "TCP"}); },
         "spec.services[2].container.ports[1].containerPort: Duplicate value: \"25/TCP\""},
        {"one listener twice, in other words",
         [](StackSpec& s) {
             s.gateways.push_back(s.gateways[0]);
             s.gateways[1].name = "other";
             s.gateways[1].listeners[0].protocol = "TCP";
         },
         "spec.gateways[1].listeners[0].port: Duplicate value: \"80/TCP\": gateway \"public\" has it already"},
        {"a listener of the wrong protocol", [](StackSpec& s) { s.gateways[0].listeners[0].protocol = "UDP"; },
         "spec.gateways[0].listeners[0].protocol: Invalid value: \"UDP\": the port behind it speaks TCP"},
        {"a volume that does not exist",
         [](StackSpec& s) { s.services[2].container->volume_mounts = {{"dat", "/data", "", false}}; },
         "spec.services[2].container.volumeMounts[0].name: Not found: \"dat\": no such volume in spec.volumes; did you "
         "mean \"data\"?"},
        {"a path in storage",
         [](StackSpec& s) { s.services[2].container->volume_mounts = {{"data", "/data", "x", false}}; },
         "spec.services[2].container.volumeMounts[0].subPath: Unsupported value: \"x\""},
        {"a relative path",
         [](StackSpec& s) { s.services[2].container->volume_mounts = {{"data", "data", "", false}}; },
         "volumeMounts[0].mountPath: Invalid value: \"data\": must be a path below the root"},
        {"an odd quantity",
         [](StackSpec& s) { s.services[2].container->resources.limits.memory = IntOrString{std::string("64 MB")}; },
         "spec.services[2].container.resources.limits.memory: Invalid value: \"64 MB\": \"64 MB\" is not a quantity"},
        {"a negative quantity",
         [](StackSpec& s) { s.services[2].container->resources.requests.cpu = IntOrString{std::int64_t{-1}}; },
         "resources.requests.cpu: Invalid value: \"-1\": must not be negative"},
        {"more reserved than allowed",
         [](StackSpec& s) {
             s.services[2].container->resources.requests.cpu = IntOrString{std::int64_t{2}};
             s.services[2].container->resources.limits.cpu = IntOrString{std::string("500m")};
         },
         "resources.requests.cpu: Invalid value: \"2\": must be at most the limit of 500m"},
        {"too many processors",
         [](StackSpec& s) { s.services[2].container->resources.limits.cpu = IntOrString{std::string("1E")}; },
         "resources.limits.cpu: Invalid value: \"1E\": \"1E\" is too large"},
        {"an odd duration", [](StackSpec& s) { s.services[2].rollout.monitor = "5"; },
         "spec.services[2].rollout.monitor: Invalid value: \"5\": \"5\" is not a duration"},
        {"a duration of two years", [](StackSpec& s) { s.services[2].rollout.monitor = "17520h"; },
         "must be between 0s and 8760h"},
        {"no room for a rollout",
         [](StackSpec& s) { s.services[2].rollout = {{std::string("0%")}, {std::int64_t{0}}, "1m", "1s"}; },
         "spec.services[2].rollout: Forbidden: maxSurge and maxUnavailable cannot both be 0"},
        {"an odd percentage", [](StackSpec& s) { s.services[2].rollout.max_surge = {std::string("half")}; },
         "spec.services[2].rollout.maxSurge: Invalid value: \"half\": must be a number or a percentage"},
        {"a probe of no port",
         [](StackSpec& s) {
             s.services[2].container->readiness_probe = Probe{};
             s.services[2].container->readiness_probe->tcp_socket = TcpSocketAction{{std::string("x")}};
         },
         "spec.services[2].container.readinessProbe.tcpSocket.port: Not found: \"x\""},
        {"a probe that does nothing", [](StackSpec& s) { s.services[2].container->startup_probe = Probe{}; },
         "spec.services[2].container.startupProbe: Forbidden: exactly one of"},
        {"a value from two sources",
         [](StackSpec& s) {
             EnvSource both{KeySelector{"a", "b", false}, KeySelector{"a", "b", false}};
             s.services[2].container->env = {{"A", std::nullopt, both}};
         },
         "spec.services[2].container.env[0].valueFrom: Forbidden: exactly one of"},
        {"a variable twice", [](StackSpec& s) { s.services[1].container->env[1].name = "A"; },
         "spec.services[1].container.env[1].name: Duplicate value: \"A\""},
        {"a container and a composite", [](StackSpec& s) { s.services[2].composite = Composite{}; },
         "spec.services[2]: Forbidden: exactly one of container, composite must be set"},
        {"neither", [](StackSpec& s) { s.services[2].container.reset(); },
         "spec.services[2]: Forbidden: exactly one of"},
        {"a volume of two kinds", [](StackSpec& s) { s.volumes[0].empty_dir = EmptyDirVolume{}; },
         "spec.volumes[0]: Forbidden: exactly one of persistent, configMap, secret, emptyDir must be set"},
        {"a volume of no size", [](StackSpec& s) { s.volumes[0].persistent->size = IntOrString{std::int64_t{0}}; },
         "spec.volumes[0].persistent.size: Invalid value: \"0\": must be more than 0"},
        {"a file outside of its volume",
         [](StackSpec& s) { s.volumes[1].config_map->items = {{"k", "../../etc/passwd"}}; },
         "spec.volumes[1].configMap.items[0].path: Invalid value: \"../../etc/passwd\""},
        {"no services", [](StackSpec& s) { s.services.clear(); },
         "spec.services: Required value: at least one service"},
        {"a template with gateways", [](StackSpec& s) { s.catalogue_only = true; },
         "spec.gateways: Forbidden: a template cannot have gateways"},
        {"a name that is not UTF-8", [](StackSpec& s) { s.links[0].to.service = "\xff"; },
         "spec.links[0].to.service: Not found: "},
    };
    for (const Case& row : cases) {
        StackSpec stack = stack_of(kForum);
        row.breaking(stack);
        std::string text = text_of(check(stack));
        std::string expected = row.expected;
        if (expected.ends_with(" there are|")) expected.resize(expected.size() - 11);
        EXPECT_NE(text.find(expected), std::string::npos)
            << row.why << "\n  wanted: " << expected << "\n  got: " << text;
    }
}

TEST(Check, RefusesACompositeOfTooManyContainers) {
    StackSpec stack = stack_of(kForum);
    std::string below = "mail";
    for (const char* name : {"one", "two"}) {
        Service service;
        service.name = name;
        service.composite = Composite{};
        for (int i = 0; i < 32; ++i) service.composite->services.push_back({"m" + std::to_string(i), below});
        below = name;
        stack.services.push_back(service);
    }
    stack.services[2].exposure = Exposure::Public;
    EXPECT_NE(text_of(check(stack)).find("spec.services[6].composite: Forbidden: consists of 256 containers or more"),
              std::string::npos)
        << text_of(check(stack));
}

TEST(Check, OfAnInstanceNamesWhatTheStackDoesNotHave) {
    StackSpec stack = stack_of(kForum);
    ServiceInstanceSpec instance;
    instance.service = "portal";
    instance.configuration.resize(1);
    instance.configuration[0].path = "left/store";
    EXPECT_EQ(text_of(check(instance, stack)), "");
    instance.configuration[0].path = "left";
    EXPECT_NE(text_of(check(instance, stack))
                  .find("spec.configuration[0].path: Not found: \"left\": no such container in the service"),
              std::string::npos);
    instance.configuration[0].path = "left/store";
    instance.configuration.push_back(instance.configuration[0]);
    EXPECT_NE(text_of(check(instance, stack)).find("spec.configuration[1].path: Duplicate value"), std::string::npos);
    instance.configuration[1].path = "right/store";
    instance.configuration[1].volume_mounts = {{"nope", "/x", "", false}};
    EXPECT_NE(text_of(check(instance, stack)).find("spec.configuration[1].volumeMounts[0].name: Not found"),
              std::string::npos);
    instance = {};
    instance.service = "db";
    EXPECT_NE(text_of(check(instance, stack)).find("spec.service: Forbidden: \"db\" is Internal"), std::string::npos);
    instance.service = "dbx";
    EXPECT_NE(text_of(check(instance, stack))
                  .find("spec.service: Not found: \"dbx\": no such service in the Stack; did you mean \"db\"?"),
              std::string::npos);
}

TEST(Check, OfAClusterNamesTheFaultyMember) {
    ClusterSpec spec;
    EXPECT_NE(text_of(check(spec)).find("spec.infrastructure: Forbidden: exactly one of local, existing must be set"),
              std::string::npos);
    spec.infrastructure.local = LocalInfrastructure{};
    spec.orchestrator.swarm = SwarmOrchestrator{};
    EXPECT_EQ(text_of(check(spec)), "");
    spec.infrastructure.local->engine.tls_secret_ref = LocalReference{"tls"};
    EXPECT_NE(text_of(check(spec)).find("spec.infrastructure.local.engine.tlsSecretRef: Forbidden"), std::string::npos);
    spec.infrastructure.local.reset();
    spec.infrastructure.existing = ExistingInfrastructure{
        {{"a", {"tcp://10.0.0.1:2376", {}}}, {"b", {"tcp://10.0.0.1:2376", {}}}, {"c", {"http://x", {}}}}};
    std::string text = text_of(check(spec));
    EXPECT_NE(text.find("spec.infrastructure.existing.machines[1].engine.host: Duplicate value"), std::string::npos)
        << text;
    EXPECT_NE(text.find("spec.infrastructure.existing.machines[2].engine.host: Invalid value: \"http://x\""),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace atl::crds
