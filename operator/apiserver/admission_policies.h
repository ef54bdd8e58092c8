#pragma once

#include <map>
#include <string>
#include <vector>

#include "operator/apiserver/admission_policy.h"
#include "operator/apiserver/authorizer.h"
#include "operator/apiserver/store.h"

namespace atl::apiserver {

/// The ValidatingAdmissionPolicies in the store and their bindings: what they refuse is refused, in the words of
/// kube-apiserver. As there, they do not judge the kinds of admissionregistration.k8s.io, so that one can always mend
/// them; nor what the server itself writes, which must be able to start and to clean up under any policy.
class AdmissionPolicies {
public:
    AdmissionPolicies(Store& store, Authorizer& authorizer) : store_(store), authorizer_(authorizer) {}

    /// Reads all of them. Errors: only if the store fails.
    Result<Unit> load();
    /// Takes a change of the store in; changes of other kinds are passed over.
    void take_in(const Change& change);
    /// A check for Admission.
    Result<Unit> check(const AdmissionRequest& request) const;

private:
    struct Binding {
        std::string policy;
        MatchResources match;
        std::vector<std::string> actions;
    };
    void take_in_binding(const std::string& name, const nlohmann::json& binding);
    Result<nlohmann::json> namespace_of(const AdmissionRequest& request) const;
    Result<Unit> apply(const std::string& name, const Binding& binding, const PolicyInput& input) const;

    Store& store_;
    Authorizer& authorizer_;
    std::map<std::string, AdmissionPolicy> policies_;
    std::map<std::string, Binding> bindings_;
};

}  // namespace atl::apiserver
