#include "operator/apiserver/admission_policy.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"

namespace atl::apiserver {

using nlohmann::json;
using schema::FieldErrors;
namespace cel = schema::cel;

namespace {

constexpr const char* kReasons[] = {"Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"};

bool has(const std::vector<std::string>& list, const std::string& value) {
    return std::ranges::find(list, value) != list.end();
}

bool has_or_all(const std::vector<std::string>& list, const std::string& value) {
    return has(list, "*") || has(list, value);
}

std::string operation_of(const AdmissionRequest& write) {
    if (write.verb == "create") return "CREATE";
    return write.verb == "delete" ? "DELETE" : "UPDATE";
}

/// "clusters", "clusters/status", "*", "*/*", "clusters/*", "*/status"; "*" stands for resources without subresources.
bool is_resource(const std::string& pattern, const AdmissionRequest& write) {
    const std::size_t slash = pattern.find('/');
    const std::string plural = pattern.substr(0, slash);
    if (plural != "*" && plural != write.type.plural) return false;
    if (slash == std::string::npos) return write.subresource.empty();
    const std::string subresource = pattern.substr(slash + 1);
    return subresource == "*" || subresource == write.subresource;
}

schema::LabelSelector selector_of(const json& selector, const std::string& field, FieldErrors& errors) {
    if (!selector.is_object()) return {};
    auto parsed = schema::LabelSelector::from_json(selector);
    if (parsed.ok()) return std::move(parsed).value();
    errors.push_back(schema::invalid(field, selector, parsed.error().message()));
    return {};
}

const json& labels_of(const json* object) {
    static const json none;
    return object == nullptr ? none : child(child(*object, "metadata"), "labels");
}

std::string index(const std::string& field, std::size_t at) {
    return field + "[" + std::to_string(at) + "]";
}

std::string trimmed(std::string text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The variables of every expression, in the order in which Run gives their values. A policy without variables of its
/// own knows no `variables`.
std::vector<cel::Variable> scope_with(const cel::TypePtr& variables) {
    const cel::TypePtr& dyn = cel::simple(cel::Kind::Dyn);
    std::vector<cel::Variable> scope = {{"object", dyn},          {"oldObject", dyn},
                                        {"request", dyn},         {"params", dyn},
                                        {"namespaceObject", dyn}, {"authorizer", cel::simple(cel::Kind::Authorizer)}};
    if (!variables->fields.empty()) scope.push_back({"variables", variables});
    return scope;
}

std::optional<cel::Program> compile(const json& holder, const char* member, const std::string& field,
                                    std::pair<cel::TypePtr, cel::Kind> types, FieldErrors& errors) {
    const std::string source = text_of(holder, member);
    const std::string path = field + "." + member;
    if (trimmed(source).empty()) {
        errors.push_back(schema::required(path, std::string(member) + " is not specified"));
        return std::nullopt;
    }
    auto program = cel::Program::compile(source, scope_with(types.first), types.second);
    if (program.ok()) return std::move(program).value();
    errors.push_back(schema::invalid(path, source, program.error().message()));
    return std::nullopt;
}

void fill_match_resources(json& match) {
    if (!match.contains("matchPolicy")) match["matchPolicy"] = "Equivalent";
    for (const char* selector : {"namespaceSelector", "objectSelector"}) {
        if (!match.contains(selector)) match[selector] = json::object();
    }
    for (const char* rules : {"resourceRules", "excludeResourceRules"}) {
        if (!match.contains(rules) || !match[rules].is_array()) continue;
        for (json& rule : match[rules]) {
            if (rule.is_object() && !rule.contains("scope")) rule["scope"] = "*";
        }
    }
}

}  // namespace

MatchResources::MatchResources(const json& constraints, const std::string& field, FieldErrors& errors)
    : matches_all_(!constraints.is_object()),
      rules_(rules_of(child(constraints, "resourceRules"))),
      excluded_(rules_of(child(constraints, "excludeResourceRules"))),
      namespaces_(selector_of(child(constraints, "namespaceSelector"), field + ".namespaceSelector", errors)),
      objects_(selector_of(child(constraints, "objectSelector"), field + ".objectSelector", errors)) {
    if (constraints.is_object() && !constraints.contains("resourceRules")) matches_all_ = true;
}

std::vector<MatchResources::Rule> MatchResources::rules_of(const json& list) {
    std::vector<Rule> rules;
    if (!list.is_array()) return rules;
    for (const json& item : list) {
        Rule rule;
        rule.groups = texts_of(item, "apiGroups");
        rule.versions = texts_of(item, "apiVersions");
        rule.operations = texts_of(item, "operations");
        rule.resources = texts_of(item, "resources");
        rule.names = texts_of(item, "resourceNames");
        rule.scope = text_of(item, "scope");
        rules.push_back(std::move(rule));
    }
    return rules;
}

bool MatchResources::Rule::matches(const AdmissionRequest& write) const {
    if (!has_or_all(groups, write.type.group) || !has_or_all(versions, write.type.version)) return false;
    if (!has_or_all(operations, operation_of(write))) return false;
    if (!names.empty() && !has(names, write.name)) return false;
    if (scope == "Cluster" && write.type.namespaced) return false;
    if (scope == "Namespaced" && !write.type.namespaced) return false;
    return std::ranges::any_of(resources, [&](const std::string& pattern) { return is_resource(pattern, write); });
}

bool MatchResources::matches(const PolicyInput& input) const {
    const AdmissionRequest& write = input.write;
    auto holds = [&](const Rule& rule) { return rule.matches(write); };
    if (std::ranges::any_of(excluded_, holds)) return false;
    if (!matches_all_ && !std::ranges::any_of(rules_, holds)) return false;
    const bool is_namespace = write.type.storage == "namespaces";
    const json& home = is_namespace && write.object != nullptr ? *write.object : input.namespace_object;
    if (!namespaces_.empty() && home.is_object() && !namespaces_.matches(labels_of(&home))) return false;
    if (objects_.empty()) return true;
    return (write.object != nullptr && objects_.matches(labels_of(write.object))) ||
           (write.old != nullptr && objects_.matches(labels_of(write.old)));
}

AdmissionPolicy::AdmissionPolicy(const json& policy, FieldErrors& errors)
    : scope_(child(child(policy, "spec"), "matchConstraints"), "spec.matchConstraints", errors) {
    const json& spec = child(policy, "spec");
    ignores_failures_ = text_of(spec, "failurePolicy") == "Ignore";
    compile_variables(spec, errors);
    compile_conditions(spec, errors);
    compile_validations(spec, errors);
}

void AdmissionPolicy::compile_variables(const json& spec, FieldErrors& errors) {
    auto known = std::make_shared<cel::Type>();
    known->kind = cel::Kind::Object;
    std::size_t at = 0;
    for (const json& variable : list_of(spec, "variables")) {
        // A variable sees those before it.
        auto before = std::make_shared<const cel::Type>(*known);
        const std::string name = text_of(variable, "name");
        auto program = compile(variable, "expression", index("spec.variables", at++), {before, cel::Kind::Dyn}, errors);
        if (program) variables_.push_back({name, std::move(*program)});
        known->fields[cel::escape(name)] = {name, cel::simple(cel::Kind::Dyn)};
    }
    variables_type_ = std::move(known);
}

void AdmissionPolicy::compile_conditions(const json& spec, FieldErrors& errors) {
    std::size_t at = 0;
    // Conditions do not see variables.
    auto none = std::make_shared<cel::Type>();
    none->kind = cel::Kind::Object;
    for (const json& condition : list_of(spec, "matchConditions")) {
        auto program =
            compile(condition, "expression", index("spec.matchConditions", at++), {none, cel::Kind::Bool}, errors);
        if (program) conditions_.push_back({text_of(condition, "name"), std::move(*program)});
    }
}

void AdmissionPolicy::compile_validations(const json& spec, FieldErrors& errors) {
    std::size_t at = 0;
    for (const json& item : list_of(spec, "validations")) {
        const std::string field = index("spec.validations", at++);
        auto program = compile(item, "expression", field, {variables_type_, cel::Kind::Bool}, errors);
        std::optional<cel::Program> message;
        if (!text_of(item, "messageExpression").empty()) {
            message = compile(item, "messageExpression", field, {variables_type_, cel::Kind::String}, errors);
        }
        const std::string reason = text_of(item, "reason");
        if (!reason.empty() && std::ranges::find(kReasons, reason) == std::end(kReasons)) {
            errors.push_back(
                schema::not_supported(field + ".reason", reason, {std::begin(kReasons), std::end(kReasons)}));
        }
        if (!program) continue;
        validations_.push_back({trimmed(text_of(item, "expression")), std::move(*program), std::move(message),
                                text_of(item, "message"), reason.empty() ? "Invalid" : reason});
    }
}

/// One look at one write: the values of the variables, and the budget of all expressions.
class AdmissionPolicy::Run {
public:
    Run(const AdmissionPolicy& policy, const PolicyInput& input) {
        static const json none;
        auto document = [](const json* object) { return cel::from_json(object == nullptr ? none : *object, nullptr); };
        values_ = {
            document(input.write.object),      document(input.write.old), document(&input.request), document(nullptr),
            document(&input.namespace_object), input.authorizer,          cel::Value::map({})};
        cel::Entries known;
        for (const Named& variable : policy.variables_) {
            // One that fails does no harm unless it is used.
            known.emplace_back(cel::Value::text(variable.name), evaluate(variable.program));
            values_.back() = cel::Value::map(known);
        }
    }

    cel::Value evaluate(const cel::Program& program) { return program.run(values_, budget_); }

private:
    cel::Values values_;
    cel::Budget budget_;
};

std::optional<AdmissionPolicy::Complaint> AdmissionPolicy::judge(const PolicyInput& input) const {
    Run run(*this, input);
    auto failed = [&](const std::string& expression, const cel::Value& value) -> std::optional<Complaint> {
        if (ignores_failures_) return std::nullopt;
        return Complaint{"expression '" + expression + "' resulted in error: " + value.as<cel::Failure>()->message,
                         "Invalid"};
    };
    for (const Named& condition : conditions_) {
        const cel::Value value = run.evaluate(condition.program);
        if (value.failed()) return failed(condition.name, value);
        if (!value.is_true()) return std::nullopt;
    }
    for (const Validation& validation : validations_) {
        const cel::Value value = run.evaluate(validation.program);
        if (value.is_true()) continue;
        if (value.failed()) {
            if (auto complaint = failed(validation.expression, value)) return complaint;
            continue;
        }
        std::string message = validation.message;
        if (validation.message_program) {
            const std::string made = trimmed(std::string(run.evaluate(*validation.message_program).string()));
            if (!made.empty() && made.find('\n') == std::string::npos) message = made;
        }
        if (message.empty()) message = "failed expression: " + validation.expression;
        return Complaint{message, validation.reason};
    }
    return std::nullopt;
}

FieldErrors validate_policy(const json& policy, const json*) {
    FieldErrors errors;
    const json& spec = child(policy, "spec");
    if (!child(spec, "paramKind").is_null()) {
        errors.push_back(schema::forbidden("spec.paramKind", "this server has no parameters for policies"));
    }
    if (list_of(child(spec, "matchConstraints"), "resourceRules").empty()) {
        errors.push_back(schema::required("spec.matchConstraints.resourceRules", ""));
    }
    if (list_of(spec, "validations").empty() && list_of(spec, "auditAnnotations").empty()) {
        errors.push_back(schema::required("spec.validations", "validations or auditAnnotations must be non-empty"));
    }
    const std::string failures = text_of(spec, "failurePolicy");
    if (failures != "Fail" && failures != "Ignore") {
        errors.push_back(schema::not_supported("spec.failurePolicy", failures, {"Fail", "Ignore"}));
    }
    const AdmissionPolicy compiled(policy, errors);
    return errors;
}

FieldErrors validate_policy_binding(const json& binding, const json*) {
    FieldErrors errors;
    const json& spec = child(binding, "spec");
    if (text_of(spec, "policyName").empty()) errors.push_back(schema::required("spec.policyName", ""));
    if (!child(spec, "paramRef").is_null()) {
        errors.push_back(schema::forbidden("spec.paramRef", "this server has no parameters for policies"));
    }
    const std::vector<std::string> actions = texts_of(spec, "validationActions");
    if (actions.empty()) errors.push_back(schema::required("spec.validationActions", ""));
    for (const std::string& action : actions) {
        if (action == "Deny" || action == "Warn" || action == "Audit") continue;
        errors.push_back(schema::not_supported("spec.validationActions", action, {"Audit", "Deny", "Warn"}));
    }
    if (has(actions, "Deny") && has(actions, "Warn")) {
        errors.push_back(schema::invalid("spec.validationActions", child(spec, "validationActions"),
                                         "must not contain both Deny and Warn (repeating the same validation failure "
                                         "information in the API response and headers serves no purpose)"));
    }
    const MatchResources match(child(spec, "matchResources"), "spec.matchResources", errors);
    return errors;
}

void prepare_policy(json& policy, const json*, WallTime) {
    json& spec = policy["spec"];
    if (!spec.is_object()) return;
    for (const char* member : {"matchConstraints", "matchResources"}) {
        if (spec.contains(member) && spec[member].is_object()) fill_match_resources(spec[member]);
    }
}

}  // namespace atl::apiserver
