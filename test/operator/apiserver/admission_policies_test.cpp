#include <gmock/gmock.h>

#include "test/operator/apiserver/server_fixture.h"

namespace atl::apiserver {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kPolicies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const std::string kBindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

/// test/conformance/rows/policies.py shows what policies do, on both servers; here is what it cannot show.
class PoliciesTest : public ServerFixture {
protected:
    static json policy(const std::string& resource, const std::string& expression) {
        const json rule = {
            {"apiGroups", {"*"}}, {"apiVersions", {"*"}}, {"operations", {"*"}}, {"resources", {resource}}};
        return {{"apiVersion", "admissionregistration.k8s.io/v1"},
                {"kind", "ValidatingAdmissionPolicy"},
                {"metadata", {{"name", "p"}}},
                {"spec",
                 {{"matchConstraints", {{"resourceRules", json::array({rule})}}},
                  {"validations", json::array({{{"expression", expression}}})}}}};
    }
    static json binding() {
        return {{"apiVersion", "admissionregistration.k8s.io/v1"},
                {"kind", "ValidatingAdmissionPolicyBinding"},
                {"metadata", {{"name", "b"}}},
                {"spec", {{"policyName", "p"}, {"validationActions", {"Deny"}}}}};
    }
};

TEST_F(PoliciesTest, AreInForceAgainAfterACrash) {
    ASSERT_EQ(call("POST", kPolicies, policy("configmaps", "object.metadata.name != 'c'")).status, 201);
    ASSERT_EQ(call("POST", kBindings, binding()).status, 201);
    EXPECT_EQ(call("POST", kConfigMaps, config_map("c")).status, 422);
    crash();
    start();
    EXPECT_EQ(call("POST", kConfigMaps, config_map("c")).status, 422);
    EXPECT_EQ(call("POST", kConfigMaps, config_map("d")).status, 201);
    EXPECT_EQ(call("DELETE", kBindings + "/b").status, 200);
    EXPECT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
}

TEST_F(PoliciesTest, ThatDenyEverythingCanStillBeTakenAway) {
    ASSERT_EQ(call("POST", kPolicies, policy("*/*", "false")).status, 201);
    ASSERT_EQ(call("POST", kBindings, binding()).status, 201);
    EXPECT_EQ(call("POST", kConfigMaps, config_map("c")).status, 422);
    crash();
    start();
    EXPECT_EQ(call("POST", kConfigMaps, config_map("c")).status, 422) << "the server starts under any policy";
    EXPECT_EQ(call("DELETE", kPolicies + "/p").status, 200);
    EXPECT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
}

TEST_F(PoliciesTest, WithWhatThisServerLacksAreRefusedByName) {
    json made = policy("configmaps", "true");
    made["spec"]["paramKind"] = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
    const Answer parameters = call("POST", kPolicies, made);
    EXPECT_EQ(parameters.status, 422);
    EXPECT_THAT(parameters.text, HasSubstr("spec.paramKind: Forbidden: this server has no parameters for policies"));
    const Answer function = call("POST", kPolicies, policy("configmaps", "object.nothing.soMuch(1)"));
    EXPECT_EQ(function.status, 422);
    EXPECT_THAT(function.text, HasSubstr("spec.validations[0].expression"));
    EXPECT_THAT(function.text, HasSubstr("soMuch"));
}

TEST_F(PoliciesTest, ThatNeverEndAreCutOffByTheirBudget) {
    std::string slow = "[1,2,3,4,5,6,7,8,9,10]";
    std::string expression = slow + ".all(a, " + slow + ".all(b, " + slow + ".all(c, " + slow + ".all(d, " + slow +
                             ".all(e, " + slow + ".all(f, " + slow + ".all(g, a+b+c+d+e+f+g > 0)))))))";
    ASSERT_EQ(call("POST", kPolicies, policy("configmaps", expression)).status, 201);
    ASSERT_EQ(call("POST", kBindings, binding()).status, 201);
    const Answer cut = call("POST", kConfigMaps, config_map("c"));
    EXPECT_EQ(cut.status, 422);
    EXPECT_THAT(cut.text, HasSubstr("cost limit exceeded"));
}

}  // namespace
}  // namespace atl::apiserver
