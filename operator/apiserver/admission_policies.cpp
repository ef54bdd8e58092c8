#include "operator/apiserver/admission_policies.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/apiserver/internal_writer.h"
#include "operator/apiserver/json_access.h"
#include "operator/apiserver/object_text.h"
#include "operator/schema/cel/authorization.h"

namespace atl::apiserver {

using nlohmann::json;
namespace cel = schema::cel;

namespace {

constexpr const char* kGroup = "admissionregistration.k8s.io";
constexpr const char* kPolicies = "validatingadmissionpolicies.admissionregistration.k8s.io";
constexpr const char* kBindings = "validatingadmissionpolicybindings.admissionregistration.k8s.io";

/// Asks the authorizer of the server for a user's rights.
class Oracle final : public cel::RightsOracle {
public:
    Oracle(Authorizer& authorizer, const User& user) : authorizer_(authorizer), user_(user) {}

    Result<bool> is_allowed(const cel::RightsQuestion& question) const override {
        Attributes wanted;
        wanted.verb = question.verb;
        wanted.is_resource = question.path.empty();
        wanted.group = question.group;
        wanted.plural = question.resource;
        wanted.subresource = question.subresource;
        wanted.ns = question.ns;
        wanted.name = question.name;
        wanted.path = question.path;
        return authorizer_.allows(question.service_account.empty() ? user_ : account(question.service_account), wanted);
    }

private:
    static User account(const std::string& name) {
        const std::string rest = name.substr(std::string("system:serviceaccount:").size());
        return {name,
                "",
                {"system:serviceaccounts", "system:serviceaccounts:" + rest.substr(0, rest.find(':')),
                 "system:authenticated"}};
    }
    Authorizer& authorizer_;
    const User& user_;
};

json request_json(const AdmissionRequest& write) {
    const std::string verb = write.verb;
    const json kind = {{"group", write.type.group}, {"version", write.type.version}, {"kind", write.type.kind}};
    const json resource = {
        {"group", write.type.group}, {"version", write.type.version}, {"resource", write.type.plural}};
    return {{"kind", kind},
            {"resource", resource},
            {"subResource", write.subresource},
            {"requestKind", kind},
            {"requestResource", resource},
            {"requestSubResource", write.subresource},
            {"name", write.name},
            {"namespace", write.ns},
            {"operation", verb == "create" ? "CREATE" : (verb == "delete" ? "DELETE" : "UPDATE")},
            {"userInfo", {{"username", write.user.name}, {"uid", write.user.uid}, {"groups", write.user.groups}}},
            {"dryRun", write.dry_run}};
}

int code_of(const std::string& reason) {
    if (reason == "Unauthorized") return 401;
    if (reason == "Forbidden") return 403;
    return reason == "RequestEntityTooLarge" ? 413 : 422;
}

}  // namespace

Result<Unit> AdmissionPolicies::load() {
    for (const char* resource : {kPolicies, kBindings}) {
        Range range;
        range.resource = resource;
        auto page = store_.list(range);
        if (!page.ok()) return std::move(page).error();
        for (const Stored& stored : page->objects) {
            Change change;
            change.key = stored.key;
            change.type = ChangeType::Added;
            change.text = stored.text;
            take_in(change);
        }
    }
    return ok();
}

void AdmissionPolicies::take_in(const Change& change) {
    const bool is_policy = change.key.resource == kPolicies;
    if (!is_policy && change.key.resource != kBindings) return;
    if (is_policy) {
        policies_.erase(change.key.name);
    } else {
        bindings_.erase(change.key.name);
    }
    if (change.type == ChangeType::Deleted) return;
    const json object = parse_stored(change.text);
    if (!is_policy) return take_in_binding(change.key.name, object);
    schema::FieldErrors errors;  // none: it was validated when it was written
    policies_.emplace(change.key.name, AdmissionPolicy(object, errors));
}

void AdmissionPolicies::take_in_binding(const std::string& name, const json& binding) {
    const json& spec = child(binding, "spec");
    schema::FieldErrors errors;
    bindings_.emplace(name, Binding{text_of(spec, "policyName"),
                                    MatchResources(child(spec, "matchResources"), "spec.matchResources", errors),
                                    texts_of(spec, "validationActions")});
}

Result<json> AdmissionPolicies::namespace_of(const AdmissionRequest& request) const {
    if (!request.type.namespaced || request.ns.empty()) return json();
    auto found = store_.find({"namespaces", "", request.ns});
    if (!found.ok()) return std::move(found).error();
    return *found ? parse_stored((*found)->text) : json();
}

Result<Unit> AdmissionPolicies::check(const AdmissionRequest& request) const {
    if (bindings_.empty() || request.type.group == kGroup || request.user.name == kServerItself) return ok();
    auto home = namespace_of(request);
    if (!home.ok()) return std::move(home).error();
    const json described = request_json(request);
    const Oracle oracle(authorizer_, request.user);
    const PolicyInput input{request, described, *home, cel::make_authorizer(oracle)};
    for (const auto& [name, binding] : bindings_) {
        auto held = apply(name, binding, input);
        if (!held.ok()) return held;
    }
    return ok();
}

Result<Unit> AdmissionPolicies::apply(const std::string& name, const Binding& binding, const PolicyInput& input) const {
    const auto policy = policies_.find(binding.policy);
    if (policy == policies_.end() || !policy->second.matches(input) || !binding.match.matches(input)) return ok();
    const auto complaint = policy->second.judge(input);
    if (!complaint) return ok();
    const std::string who = "ValidatingAdmissionPolicy '" + binding.policy + "' with binding '" + name + "'";
    auto acts = [&](const char* action) { return std::ranges::find(binding.actions, action) != binding.actions.end(); };
    const AdmissionRequest& write = input.write;
    if (acts("Warn") && write.warnings != nullptr) {
        write.warnings->push_back("Validation failed for " + who + ": " + complaint->message);
    }
    if (!acts("Deny")) return ok();
    const std::string message = who + " denied request: " + complaint->message;
    json status = status_of(forbidden(write.type.subject(write.name), message));
    status["reason"] = complaint->reason;
    status["code"] = code_of(complaint->reason);
    status["details"]["causes"] = json::array({{{"message", message}}});
    return with_status(status);
}

}  // namespace atl::apiserver
