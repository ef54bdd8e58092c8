#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "operator/apiserver/admission.h"
#include "operator/schema/cel/program.h"
#include "operator/schema/field_error.h"
#include "operator/schema/selector.h"

namespace atl::apiserver {

/// A write as policies see it: the texts of rules read the JSON in here, which outlives the evaluation.
struct PolicyInput {
    const AdmissionRequest& write;
    const nlohmann::json& request;           ///< an admission.k8s.io/v1 AdmissionRequest
    const nlohmann::json& namespace_object;  ///< null for what is cluster-scoped
    schema::cel::Value authorizer;
};

/// Which writes a policy or a binding is about: MatchResources
/// (https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/validating-admission-policy-v1/).
class MatchResources {
public:
    /// `constraints` may be null: everything matches. `field` stands before the paths of errors.
    MatchResources(const nlohmann::json& constraints, const std::string& field, schema::FieldErrors& errors);
    bool matches(const PolicyInput& input) const;

private:
    struct Rule {
        std::vector<std::string> groups, versions, operations, resources, names;
        std::string scope;
        bool matches(const AdmissionRequest& write) const;
    };
    static std::vector<Rule> rules_of(const nlohmann::json& list);

    bool matches_all_ = false;
    std::vector<Rule> rules_;
    std::vector<Rule> excluded_;
    schema::LabelSelector namespaces_;
    schema::LabelSelector objects_;
};

/// A ValidatingAdmissionPolicy, compiled: its variables, match conditions and validations in CEL over object,
/// oldObject, request, namespaceObject, authorizer and variables. What it may not have here is refused by name:
/// parameters (paramKind), and what the expression language of this server lacks.
class AdmissionPolicy {
public:
    /// What a policy says of a write.
    struct Complaint {
        std::string message;
        std::string reason;  ///< of the Status: Invalid, Forbidden, Unauthorized, RequestEntityTooLarge
    };

    /// Compiles; `errors` has the full path, value and reason of what is wrong, and then the policy is not to be used.
    AdmissionPolicy(const nlohmann::json& policy, schema::FieldErrors& errors);

    bool matches(const PolicyInput& input) const { return scope_.matches(input); }
    /// The first validation that does not hold; one that cannot be evaluated counts by failurePolicy.
    std::optional<Complaint> judge(const PolicyInput& input) const;

private:
    struct Named {
        std::string name;
        schema::cel::Program program;
    };
    struct Validation {
        std::string expression;
        schema::cel::Program program;
        std::optional<schema::cel::Program> message_program;
        std::string message;
        std::string reason;
    };
    class Run;
    void compile_variables(const nlohmann::json& spec, schema::FieldErrors& errors);
    void compile_conditions(const nlohmann::json& spec, schema::FieldErrors& errors);
    void compile_validations(const nlohmann::json& spec, schema::FieldErrors& errors);

    MatchResources scope_;
    schema::cel::TypePtr variables_type_;
    std::vector<Named> variables_;
    std::vector<Named> conditions_;
    std::vector<Validation> validations_;
    bool ignores_failures_ = false;
};

/// What is wrong with a policy or a binding, for its writer.
schema::FieldErrors validate_policy(const nlohmann::json& policy, const nlohmann::json* old);
schema::FieldErrors validate_policy_binding(const nlohmann::json& binding, const nlohmann::json* old);
/// Fills in the defaults that lie deeper than a schema reaches.
void prepare_policy(nlohmann::json& policy, const nlohmann::json* old, WallTime now);

}  // namespace atl::apiserver
