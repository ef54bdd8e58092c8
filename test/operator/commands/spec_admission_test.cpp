#include "operator/commands/spec_admission.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "operator/apiserver/resource_type.h"

namespace atl::commands {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class SpecAdmission : public testing::Test {
protected:
    SpecAdmission() {
        type.group = "atoll.dev";
        type.version = "v1alpha1";
        type.kind = "Stack";
        type.plural = "stacks";
    }
    static json stack(const std::string& provider) {
        return json::parse(
            R"({"apiVersion": "atoll.dev/v1alpha1", "kind": "Stack", "metadata": {"name": "shop", "namespace": "default"},
            "spec": {"clusterRef": {"name": "here"}, "services": [
              {"name": "web", "container": {"image": "a:1"}, "consumes": [{"name": "store", "port": 80}]},
              {"name": "store", "container": {"image": "a:1", "ports": [{"name": "http", "containerPort": 80}]},
               "provides": [{"name": "http", "port": "http"}]}],
              "links": [{"name": "store", "from": {"service": "web", "consumes": "store"},
                         "to": {"service": ")" +
            provider + R"(", "provides": "http"}}]}})");
    }
    Result<Unit> ask(const json* object, const json* old, const std::string& subresource = "") {
        apiserver::AdmissionRequest request{user, "update", type, "default", "shop", subresource, object, old};
        request.warnings = &warnings;
        return check_spec(request);
    }

    apiserver::User user;
    apiserver::ResourceType type;
    std::vector<std::string> warnings;
};

TEST_F(SpecAdmission, RefusesALinkThatLeadsNowhereWithItsPathAndWhatThereIs) {
    const json right = stack("store");
    const json wrong = stack("stroe");
    EXPECT_TRUE(ask(&right, nullptr).ok());
    const auto refused = ask(&wrong, &right);
    ASSERT_FALSE(refused.ok());
    const json status = apiserver::status_of(refused.error());
    EXPECT_EQ(status["code"], 422);
    EXPECT_THAT(status["message"].get<std::string>(),
                HasSubstr(R"(Stack.atoll.dev "shop" is invalid: spec.links[0].to.service: Not found: "stroe": )"));
    EXPECT_THAT(status["message"].get<std::string>(), HasSubstr("\"store\""));
    EXPECT_EQ(status["details"]["causes"][0]["field"], "spec.links[0].to.service");
}

TEST_F(SpecAdmission, LeavesWhatWasTakenBeforeAndOtherKindsAlone) {
    json wrong = stack("stroe");
    json labelled = wrong;
    labelled["metadata"]["labels"] = {{"a", "b"}};
    EXPECT_TRUE(ask(&labelled, &wrong).ok());
    EXPECT_TRUE(ask(nullptr, &wrong).ok());
    EXPECT_TRUE(ask(&wrong, nullptr, "status").ok());
    type.kind = "ConfigMap";
    type.group = "";
    EXPECT_TRUE(ask(&wrong, nullptr).ok());
}

}  // namespace
}  // namespace atl::commands
