#include "operator/apiserver/reviews.h"

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/media.h"
#include "operator/apiserver/output.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr const char* kAuthorization = "authorization.k8s.io";
constexpr const char* kAuthentication = "authentication.k8s.io";
constexpr const char* kRbac = "rbac.authorization.k8s.io";

Attributes attributes_of(const json& spec) {
    const json& path = child(spec, "nonResourceAttributes");
    if (path.is_object()) {
        return {text_of(path, "verb"), false, "", "", "", "", "", text_of(path, "path")};
    }
    const json& resource = child(spec, "resourceAttributes");
    return {text_of(resource, "verb"),        true,
            text_of(resource, "group"),       text_of(resource, "resource"),
            text_of(resource, "subresource"), text_of(resource, "namespace"),
            text_of(resource, "name"),        ""};
}

Result<json> access_status(Authorizer& authorizer, const User& user, const json& spec) {
    auto allowed = authorizer.allows(user, attributes_of(spec));
    if (!allowed.ok()) return std::move(allowed).error();
    json status = {{"allowed", *allowed}};
    if (*allowed) status["reason"] = "RBAC: allowed";
    return status;
}

Result<json> rules_status(Authorizer& authorizer, const User& user, const json& spec) {
    auto rules = authorizer.rules_for(user, text_of(spec, "namespace"));
    if (!rules.ok()) return std::move(rules).error();
    json status = {{"incomplete", false}, {"resourceRules", json::array()}, {"nonResourceRules", json::array()}};
    for (const PolicyRule& rule : *rules) {
        status[rule.urls.empty() ? "resourceRules" : "nonResourceRules"].push_back(rule.json());
    }
    return status;
}

User reviewed_user(const json& spec) {
    return {text_of(spec, "user"), text_of(spec, "uid"), texts_of(spec, "groups")};
}

Result<json> status_for(Authorizer& authorizer, const ApiRequest& request, const ReviewKind& review, const json& spec) {
    if (review.kind == "SelfSubjectReview") {
        json info = {{"username", request.user.name}, {"groups", request.user.groups}};
        if (!request.user.uid.empty()) info["uid"] = request.user.uid;
        return json{{"userInfo", info}};
    }
    if (review.kind == "SelfSubjectRulesReview") return rules_status(authorizer, request.user, spec);
    const bool is_self = review.kind == "SelfSubjectAccessReview";
    return access_status(authorizer, is_self ? request.user : reviewed_user(spec), spec);
}

bool is_binding(const json& object) {
    const std::string kind = text_of(object, "kind");
    return kind == "RoleBinding" || kind == "ClusterRoleBinding";
}

std::string groups_text(const User& user) {
    std::string text;
    for (const std::string& group : user.groups) text += (text.empty() ? "" : " ") + schema::go_quote(group);
    return "[" + text + "]";
}

}  // namespace

const std::vector<ReviewKind>& review_kinds() {
    static const std::vector<ReviewKind> kinds = {
        {kAuthentication, "v1", "selfsubjectreviews", "SelfSubjectReview", false},
        {kAuthorization, "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", true},
        {kAuthorization, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false},
        {kAuthorization, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", false},
        {kAuthorization, "v1", "subjectaccessreviews", "SubjectAccessReview", false},
    };
    return kinds;
}

const ReviewKind* find_review(const ApiRequest& request) {
    for (const ReviewKind& review : review_kinds()) {
        if (review.group == request.group && review.version == request.version && review.plural == request.plural) {
            return &review;
        }
    }
    return nullptr;
}

Result<net::Response> answer_review(Authorizer& authorizer, const ApiRequest& request, const ReviewKind& review) {
    if (request.verb != "create") return method_not_allowed();
    auto body = read_body(request);
    if (!body.ok()) return std::move(body).error();
    json answer = std::move(body->value);
    if (!answer.is_object()) return bad_request("the body is no object");
    auto status = status_for(authorizer, request, review, child(answer, "spec"));
    if (!status.ok()) return std::move(status).error();
    answer["kind"] = review.kind;
    answer["apiVersion"] = review.group + "/" + review.version;
    if (!answer.contains("metadata")) answer["metadata"] = json::object();
    answer["status"] = std::move(*status);
    return json_response(201, answer);
}

Result<Unit> EscalationCheck::check(const User& user, const std::string& ns, const json& object) const {
    const std::string kind = text_of(object, "kind");
    const std::string name = text_of(child(object, "metadata"), "name");
    const json& role = child(object, "roleRef");
    const std::string role_kind = is_binding(object) ? text_of(role, "kind") : kind;
    const std::string plural = role_kind == "Role" ? "roles" : "clusterroles";
    const std::string role_name = is_binding(object) ? text_of(role, "name") : name;
    auto excused = authorizer_.allows(
        user, {is_binding(object) ? "bind" : "escalate", true, kRbac, plural, "", ns, role_name, ""});
    if (!excused.ok()) return std::move(excused).error();
    if (*excused) return ok();
    std::vector<PolicyRule> rules;
    if (is_binding(object)) {
        auto found = authorizer_.rules_of(role_kind, ns, role_name);
        if (!found.ok()) return std::move(found).error();
        rules = std::move(*found);
    } else {
        for (const json& rule : list_of(object, "rules")) rules.push_back(PolicyRule::of(rule));
    }
    auto covered = authorizer_.covers(user, ns, rules);
    if (!covered.ok()) return std::move(covered).error();
    if (*covered) return ok();
    const std::string own = kind == "Role"          ? "roles"
                            : kind == "ClusterRole" ? "clusterroles"
                            : kind == "RoleBinding" ? "rolebindings"
                                                    : "clusterrolebindings";
    return forbidden({kRbac, own, name}, "user " + schema::go_quote(user.name) + " (groups=" + groups_text(user) +
                                             ") is attempting to grant RBAC permissions not currently held");
}

}  // namespace atl::apiserver
