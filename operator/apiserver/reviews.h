#pragma once

#include "operator/apiserver/authorizer.h"
#include "operator/apiserver/registry.h"
#include "operator/net/server.h"

namespace atl::apiserver {

/// A kind that is answered, not stored: SelfSubjectAccessReview and its like.
struct ReviewKind {
    std::string group;
    std::string version;
    std::string plural;
    std::string kind;
    bool namespaced = false;
};

/// authorization.k8s.io/v1 and authentication.k8s.io/v1.
const std::vector<ReviewKind>& review_kinds();

/// nullptr if the request is no review.
const ReviewKind* find_review(const ApiRequest& request);

/// Answers one. Errors: 400, 405 for anything but create.
Result<net::Response> answer_review(Authorizer& authorizer, const ApiRequest& request, const ReviewKind& review);

/// Refuses Roles, ClusterRoles and bindings that give more than their writer has (unless he has the verb escalate, or
/// bind). A check of Admission.
class EscalationCheck {
public:
    explicit EscalationCheck(Authorizer& authorizer) : authorizer_(authorizer) {}
    Result<Unit> check(const User& user, const std::string& ns, const nlohmann::json& object) const;

private:
    Authorizer& authorizer_;
};

}  // namespace atl::apiserver
