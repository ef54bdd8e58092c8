#include "controllers/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud/docker/client.h"
#include "cloud/infrastructure/local/local.h"
#include "cloud/orchestrator/swarm/swarm.h"
#include "controllers/types.h"
#include "operator/base/manifest.h"

namespace atl::controllers {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

json parse(const std::string& yaml) {
    return (*parse_manifests(yaml)).front().object;
}

json a_cluster() {
    return parse(R"(
apiVersion: atoll.dev/v1alpha1
kind: Cluster
metadata: {name: local, namespace: default, uid: u1, resourceVersion: "1"}
spec: {infrastructure: {local: {}}, orchestrator: {swarm: {}}}
)");
}

json a_stack() {
    return parse(R"(
apiVersion: atoll.dev/v1alpha1
kind: Stack
metadata: {name: shop, namespace: default, uid: u2, resourceVersion: "2"}
spec:
  clusterRef: {name: local}
  services:
  - {name: web, container: {image: "web:1"}}
)");
}

class Judging : public testing::Test {
protected:
    Judging() {
        auto versions = std::make_shared<cloud::docker::Versions>();
        registry_.infrastructures["local"] = cloud::local::make_local(versions);
        registry_.orchestrators["swarm"] = cloud::swarm::make_swarm(versions);
    }

    static void put(kube::Cache& cache, const json& object) { cache.replace({*kube::Object::from_json(object)}, "9"); }

    kube::AdmissionAnswer judge(const std::string& operation, const json& object) {
        kube::AdmissionCall call;
        call.operation = operation;
        call.kind = object["kind"];
        call.key = {object["metadata"]["namespace"], object["metadata"]["name"]};
        if (operation == "DELETE") {
            call.old_object = std::make_shared<const json>(object);
        } else {
            call.object = std::make_shared<const json>(object);
        }
        return Admission({registry_, clusters_, stacks_, instances_}).judge(call);
    }

    cloud::Registry registry_;
    kube::Cache clusters_{kube::Scope(types::kCluster)};
    kube::Cache stacks_{kube::Scope(types::kStack)};
    kube::Cache instances_{kube::Scope(types::kServiceInstance)};
};

TEST_F(Judging, WhatIsWellGetsNeitherErrorNorWarning) {
    put(clusters_, a_cluster());
    for (const json& object : {a_cluster(), a_stack()}) {
        const auto answer = judge("CREATE", object);
        EXPECT_THAT(answer.errors, IsEmpty());
        EXPECT_THAT(answer.warnings, IsEmpty());
    }
}

TEST_F(Judging, WhatCanNeverWorkIsRefusedWithItsField) {
    json stack = a_stack();
    stack["spec"]["links"] = json::parse(
        R"([{"name": "db", "from": {"service": "web", "consumes": "db"}, "to": {"service": "dbx", "provides": "tcp"}}])");
    const auto answer = judge("CREATE", stack);
    ASSERT_FALSE(answer.errors.empty());
    EXPECT_THAT(answer.errors, Contains(Field(&kube::AdmissionAnswer::Cause::message, HasSubstr("dbx"))));
    EXPECT_THAT(answer.errors.front().field, HasSubstr("spec.links[0]"));

    json cluster = a_cluster();
    cluster["spec"]["infrastructure"]["local"] = {{"engine", {{"host", "ftp://x"}}}};
    const auto refused = judge("UPDATE", cluster);
    ASSERT_FALSE(refused.errors.empty());
    EXPECT_THAT(refused.errors.front().message, HasSubstr("ftp://x"));
}

TEST_F(Judging, WhatIsNotThereYetIsForetold) {
    EXPECT_THAT(judge("CREATE", a_stack()).warnings, ElementsAre(HasSubstr("Cluster \"local\" does not exist")));
    put(stacks_, a_stack());
    const json instance = parse(R"(
apiVersion: atoll.dev/v1alpha1
kind: ServiceInstance
metadata: {name: more, namespace: default}
spec: {stackRef: {name: other}, service: web}
)");
    EXPECT_THAT(judge("CREATE", instance).warnings, ElementsAre(HasSubstr("Stack \"other\" does not exist")));
}

TEST_F(Judging, WhatTheBackEndRefusesIsForetoldAndLeftToTheController) {
    put(clusters_, a_cluster());
    json stack = a_stack();
    stack["spec"]["services"][0]["container"]["imagePullPolicy"] = "Never";
    const auto answer = judge("CREATE", stack);
    EXPECT_THAT(answer.errors, IsEmpty());
    EXPECT_THAT(answer.warnings, ElementsAre(HasSubstr("imagePullPolicy")));
}

TEST_F(Judging, ADeletionThatWaitsSaysForWhat) {
    EXPECT_THAT(judge("DELETE", a_cluster()).warnings, IsEmpty());
    put(stacks_, a_stack());
    EXPECT_THAT(judge("DELETE", a_cluster()).warnings, ElementsAre(HasSubstr("\"shop\"")));
}

TEST_F(Judging, ObjectsOfAnyShapeEndInNothingWorseThanAnError) {
    put(clusters_, a_cluster());
    for (const json& base : {a_cluster(), a_stack()}) {
        for (const json& odd : {json(3), json("x"), json::array(), json(nullptr), json::object()}) {
            json object = base;
            object["spec"] = odd;
            (void)judge("CREATE", object);
            object = base;
            for (auto& [key, value] : object["spec"].items()) {
                const json kept = value;
                value = odd;
                (void)judge("UPDATE", object);
                value = kept;
            }
        }
    }
}

}  // namespace
}  // namespace atl::controllers
