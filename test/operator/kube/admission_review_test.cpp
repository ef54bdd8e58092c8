#include "operator/kube/admission_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace atl::kube {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json a_review() {
    return {{"apiVersion", "admission.k8s.io/v1"},
            {"kind", "AdmissionReview"},
            {"request",
             {{"uid", "705ab4f5"},
              {"operation", "CREATE"},
              {"kind", {{"group", "atoll.dev"}, {"version", "v1alpha1"}, {"kind", "Stack"}}},
              {"namespace", "shop"},
              {"userInfo", {{"username", "ann"}}},
              {"object", {{"metadata", {{"name", "web"}}}}},
              {"oldObject", nullptr},
              {"dryRun", true}}}};
}

TEST(AdmissionReview, IsReadWithTheNameOfTheObject) {
    const auto call = parse_admission_review(a_review().dump());
    ASSERT_TRUE(call.ok());
    EXPECT_EQ(call->uid, "705ab4f5");
    EXPECT_EQ(call->operation, "CREATE");
    EXPECT_EQ(call->kind, "Stack");
    EXPECT_EQ(call->key, ObjectKey("shop", "web"));
    EXPECT_EQ(call->user, "ann");
    EXPECT_TRUE(call->dry_run);
    EXPECT_TRUE(call->object);
    EXPECT_FALSE(call->old_object);
}

TEST(AdmissionReview, OfAWrongShapeIsRefusedWithTheField) {
    const auto refused = [](const json& review) { return parse_admission_review(review.dump()).error().message(); };
    EXPECT_THAT(parse_admission_review("{").error().message(), HasSubstr("is not a JSON object"));
    EXPECT_THAT(refused(json::array()), HasSubstr("is not a JSON object"));
    json review = a_review();
    review["apiVersion"] = "admission.k8s.io/v1beta1";
    EXPECT_THAT(refused(review), HasSubstr("must be admission.k8s.io/v1"));
    for (const char* field : {"uid", "operation"}) {
        for (const json& value : {json(7), json(nullptr), json::array()}) {
            review = a_review();
            review["request"][field] = value;
            EXPECT_THAT(refused(review), HasSubstr("request." + std::string(field)));
        }
    }
    review = a_review();
    review["request"] = "x";
    EXPECT_THAT(refused(review), HasSubstr("request is missing"));
}

TEST(AdmissionReview, WithOddFieldsEndsInNothingWorseThanAnError) {
    for (const char* field : {"kind", "namespace", "userInfo", "object", "oldObject", "dryRun", "name"}) {
        for (const json& value : {json(7), json(nullptr), json::array(), json("x"), json::object()}) {
            json review = a_review();
            review["request"][field] = value;
            (void)parse_admission_review(review.dump());
        }
    }
    json review = a_review();
    review["request"]["object"]["metadata"] = 3;
    EXPECT_EQ(parse_admission_review(review.dump())->key.name, "");
}

TEST(AdmissionReview, IsAnsweredWithTheUidAndTheWarnings) {
    const auto call = parse_admission_review(a_review().dump());
    const json answer = admission_response(*call, {{}, {"emulated: x", std::string(500, 'y')}});
    EXPECT_EQ(answer["response"]["uid"], "705ab4f5");
    EXPECT_EQ(answer["response"]["allowed"], true);
    EXPECT_EQ(answer["response"]["warnings"][0], "emulated: x");
    EXPECT_EQ(answer["response"]["warnings"][1].get<std::string>().size(), 240U);
    EXPECT_FALSE(answer["response"].contains("status"));
}

TEST(AdmissionReview, RefusesWithEveryCause) {
    const auto call = parse_admission_review(a_review().dump());
    const json answer = admission_response(*call, {{{"spec.a", "Invalid"}, {"spec.b", "Required"}}, {}});
    EXPECT_EQ(answer["response"]["allowed"], false);
    EXPECT_EQ(answer["response"]["status"]["code"], 422);
    EXPECT_EQ(answer["response"]["status"]["message"], "Stack \"web\" is invalid: spec.a: Invalid; spec.b: Required");
    EXPECT_EQ(answer["response"]["status"]["details"]["causes"].size(), 2U);
}

}  // namespace
}  // namespace atl::kube
