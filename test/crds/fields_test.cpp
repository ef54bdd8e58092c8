#include "crds/fields.h"

#include <gtest/gtest.h>

#include "crds/cluster.h"
#include "crds/machine.h"
#include "crds/service_instance.h"
#include "crds/stack.h"

namespace atl::crds {
namespace {

using nlohmann::json;

json web_stack() {
    return json::parse(R"({
      "apiVersion": "atoll.dev/v1alpha1", "kind": "Stack",
      "metadata": {"name": "shop", "namespace": "default", "generation": 3, "uid": "u", "labels": {"a": "b"}},
      "spec": {"clusterRef": {"name": "local"},
               "services": [{"name": "web", "replicas": 2,
                             "container": {"image": "web:1", "ports": [{"name": "http", "containerPort": 80}],
                                           "env": [{"name": "A", "value": ""}],
                                           "readinessProbe": {"httpGet": {"port": "http"}}}}]}})");
}

TEST(Fields, ReadsAnObjectWithItsDefaults) {
    Result<Stack> stack = decode_stack(web_stack());
    ASSERT_TRUE(stack.ok()) << stack.error().message();
    EXPECT_EQ(stack->meta.key(), "default/shop");
    EXPECT_EQ(stack->meta.generation, 3);
    EXPECT_EQ(stack->meta.label("a"), "b");
    EXPECT_EQ(stack->status.observed_generation, -1);
    ASSERT_EQ(stack->spec.services.size(), 1u);
    const Service& web = stack->spec.services[0];
    EXPECT_EQ(web.exposure, Exposure::Stack);
    EXPECT_EQ(web.container->ports[0].protocol, "TCP");
    EXPECT_EQ(web.container->env[0].value, "");
    EXPECT_EQ(web.container->readiness_probe->http_get->port.text(), "http");
    EXPECT_EQ(port_number(*web.container, web.container->readiness_probe->http_get->port), 80);
}

TEST(Fields, NamesTheFieldOfAWrongType) {
    struct Case {
        const char* pointer;
        json value;
        const char* expected;
        const char* why;
    };
    const Case cases[] = {
        {"/spec", 5, "spec must be an object, not a number", "a number for an object"},
        {"/spec", nullptr, "spec is required", "null is missing"},
        {"/spec/services", json::object(), "spec.services must be a list, not an object", "an object for a list"},
        {"/spec/services/0/name", true, "spec.services[0].name must be a text, not a boolean", "a boolean for a text"},
        {"/spec/services/0/replicas", "2", "spec.services[0].replicas must be a whole number, not a text",
         "a text for a number"},
        {"/spec/services/0/replicas", 1.5, "spec.services[0].replicas must be a whole number of 64 bits", "a fraction"},
        {"/spec/services/0/replicas", 18446744073709551615u, "must be a whole number of 64 bits", "too large"},
        {"/spec/services/0/container/ports/0/containerPort", nullptr,
         "spec.services[0].container.ports[0].containerPort is required", "missing"},
        {"/spec/services/0/exposure", "Everyone",
         "spec.services[0].exposure has the unsupported value \"Everyone\"; supported: \"Stack\", \"Public\", "
         "\"Internal\"",
         "an enum"},
        {"/spec/paused", "yes", "spec.paused must be a boolean, not a text", "a text for a boolean"},
        {"/metadata/labels/a", 1, "metadata.labels[a] must be a text, not a number", "a label that is a number"},
        {"/spec/services/0/container/readinessProbe/httpGet/port", json::array(),
         "readinessProbe.httpGet.port must be a whole number or a text, not a list", "a list for a port"},
    };
    for (const Case& row : cases) {
        json object = web_stack();
        object[json::json_pointer(row.pointer)] = row.value;
        Result<Stack> stack = decode_stack(object);
        ASSERT_FALSE(stack.ok()) << row.why;
        EXPECT_NE(stack.error().message().find(row.expected), std::string::npos)
            << row.why << ": " << stack.error().message();
        EXPECT_EQ(stack.error().error_class(), ErrorClass::Invalid);
        EXPECT_FALSE(stack.error().field().empty());
    }
    EXPECT_FALSE(decode_stack(json::array()).ok());
    EXPECT_FALSE(decode_cluster(json()).ok());
}

TEST(Fields, IgnoresUnknownFieldsAndAcceptsWholeFloats) {
    json object = web_stack();
    object["spec"]["later"] = {{"x", 1}};
    object["spec"]["services"][0]["replicas"] = 2.0;
    Result<Stack> stack = decode_stack(object);
    ASSERT_TRUE(stack.ok());
    EXPECT_EQ(stack->spec.services[0].replicas, 2);
}

TEST(Fields, WritesWhatItRead) {
    Result<Stack> stack = decode_stack(web_stack());
    ASSERT_TRUE(stack.ok());
    json written = {{"spec", encode(stack->spec)}, {"metadata", encode(stack->meta)}};
    Result<Stack> again = decode_stack(written);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(encode(again->spec), encode(stack->spec));
    EXPECT_EQ(written["spec"]["services"][0]["container"]["env"][0], (json{{"name", "A"}, {"value", ""}}));
}

TEST(Fields, LeavesOutWhatIsAtItsDefaultSoThatItStaysUnowned) {
    ServiceInstanceSpec spec;
    spec.stack_ref.name = "shop";
    spec.service = "web";
    EXPECT_EQ(encode(spec, WithReplicas::No), (json{{"stackRef", {{"name", "shop"}}}, {"service", "web"}}));
    spec.replicas = 3;
    spec.state = RunState::Stopped;
    EXPECT_EQ(encode(spec, WithReplicas::Yes),
              (json{{"stackRef", {{"name", "shop"}}}, {"service", "web"}, {"replicas", 3}, {"state", "Stopped"}}));
}

TEST(Fields, NeverWritesWhatOnlyAServerWrites) {
    ObjectMeta meta;
    meta.name = "a";
    meta.uid = "u";
    meta.resource_version = "5";
    meta.generation = 2;
    EXPECT_EQ(encode(meta), (json{{"name", "a"}}));
}

TEST(Fields, KeepsTheChosenMemberOfAUnionThoughItIsEmpty) {
    ClusterSpec spec;
    spec.infrastructure.local = LocalInfrastructure{};
    spec.orchestrator.swarm = SwarmOrchestrator{};
    json written = encode(spec);
    EXPECT_EQ(written["orchestrator"], (json{{"swarm", json::object()}}));
    EXPECT_EQ(written["infrastructure"]["local"]["engine"]["host"], "unix:///var/run/docker.sock");
    EXPECT_EQ(spec.infrastructure.name(), "local");
    EXPECT_EQ(spec.orchestrator.name(), "swarm");
    spec.orchestrator.none = NoneOrchestrator{};
    EXPECT_EQ(spec.orchestrator.name(), "");
}

TEST(Fields, ReadsConditionsOfAnyObject) {
    json object = {{"status",
                    {{"conditions",
                      {{{"type", "Ready"},
                        {"status", "True"},
                        {"reason", "Ready"},
                        {"message", ""},
                        {"lastTransitionTime", "2026-01-01T00:00:00Z"},
                        {"observedGeneration", 2}}}}}}};
    Result<Conditions> conditions = decode_conditions(object);
    ASSERT_TRUE(conditions.ok());
    ASSERT_NE(find_condition(*conditions, "Ready"), nullptr);
    EXPECT_EQ(find_condition(*conditions, "Other"), nullptr);
    EXPECT_EQ(encode(*conditions), object["status"]["conditions"]);
    EXPECT_TRUE(decode_conditions(json::object())->empty());
    EXPECT_FALSE(decode_conditions(json{{"status", {{"conditions", 5}}}}).ok());
}

TEST(Fields, NamesFieldErrorsAsKubernetesDoes) {
    FieldError error{FieldError::Kind::NotFound, "spec.links[0].to.service", "\"dbx\"",
                     "the Stack has no such service"};
    EXPECT_EQ(error.to_string(), "spec.links[0].to.service: Not found: \"dbx\": the Stack has no such service");
    Error all = to_error(FieldErrors(12, error));
    EXPECT_EQ(all.error_class(), ErrorClass::Invalid);
    EXPECT_EQ(all.reason(), "InvalidSpec");
    EXPECT_EQ(all.field(), "spec.links[0].to.service");
    EXPECT_TRUE(all.message().ends_with("; and 2 more"));
    error.kind = FieldError::Kind::NotSupported;
    EXPECT_EQ(to_error({error}).error_class(), ErrorClass::Unsupported);
}

}  // namespace
}  // namespace atl::crds
