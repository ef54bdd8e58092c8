#include "operator/schema/go_text.h"
#include "operator/schema/rules.h"

namespace atl::schema {
namespace {

std::string trimmed(std::string text) {
    auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string text_of(const Json& rule, const char* key) {
    auto found = rule.find(key);
    return found != rule.end() && found->is_string() ? trimmed(found->get<std::string>()) : "";
}

bool flag_of(const Json& rule, const char* key) {
    auto found = rule.find(key);
    return found != rule.end() && found->is_boolean() && found->get<bool>();
}

FieldErrorType reason_named(const std::string& name) {
    if (name == "FieldValueForbidden") return FieldErrorType::Forbidden;
    if (name == "FieldValueRequired") return FieldErrorType::Required;
    if (name == "FieldValueDuplicate") return FieldErrorType::Duplicate;
    return FieldErrorType::Invalid;
}

/// The error about a rule, which shows it as kube-apiserver does: as its Go struct, field by field.
FieldError refused_rule(std::string field, const Json& rule, std::string detail) {
    std::string shown;
    auto add = [&](const char* name, const char* key, const char* missing) {
        shown += std::string(shown.empty() ? "{" : ",") + "\"" + name +
                 "\":" + (rule.contains(key) ? go_json(rule[key]) : missing);
    };
    add("Rule", "rule", "\"\"");
    add("Message", "message", "\"\"");
    add("MessageExpression", "messageExpression", "\"\"");
    add("Reason", "reason", "null");
    add("FieldPath", "fieldPath", "\"\"");
    add("OptionalOldSelf", "optionalOldSelf", "null");
    FieldError error = invalid(std::move(field), shown + "}", std::move(detail));
    error.is_verbatim = true;
    return error;
}

class RuleCompiler {
public:
    explicit RuleCompiler(FieldErrors& errors) : errors_(errors) {}

    /// Returns whether there are rules at the node or below it.
    bool compile(Structural& node, const std::string& path, const std::string& uncorrelated) {
        bool any = !node.rule_texts.is_null();
        if (any) compile_node(node, path + ".x-kubernetes-validations", uncorrelated);
        for (auto& [name, property] : node.properties) {
            any = compile(property, path + ".properties[" + name + "]", uncorrelated) || any;
        }
        if (node.additional) any = compile(*node.additional, path + ".additionalProperties", uncorrelated) || any;
        if (node.items) {
            bool loses = node.list_type != ListType::Map && uncorrelated.empty();
            any = compile(*node.items, path + ".items", loses ? path : uncorrelated) || any;
        }
        node.has_rules_below = any;
        return any;
    }

private:
    void compile_node(Structural& node, const std::string& path, const std::string& uncorrelated) {
        auto set = std::make_shared<RuleSet>();
        set->type = rule_type(node);
        if (!set->type) {
            std::string why = "x-kubernetes-validations cannot be used where nothing is known of the value";
            errors_.push_back({FieldErrorType::Internal, path, std::nullopt, why});
            return;
        }
        for (std::size_t i = 0; i < node.rule_texts.size(); ++i) {
            std::string place = path + "[" + std::to_string(i) + "]";
            compile_rule(node.rule_texts[i], place, *set, uncorrelated);
        }
        node.rules = std::move(set);
    }

    void compile_rule(const Json& written, const std::string& path, RuleSet& set, const std::string& uncorrelated) {
        Rule rule;
        rule.optional_old = flag_of(written, "optionalOldSelf");
        cel::TypePtr old_type = rule.optional_old ? cel::optional_of(set.type) : set.type;
        std::vector<cel::Variable> variables = {{"self", set.type}, {"oldSelf", old_type}};
        rule.text = text_of(written, "rule");
        Result<cel::Program> program = cel::Program::compile(rule.text, variables, cel::Kind::Bool);
        if (!program) {
            errors_.push_back(refused_rule(path + ".rule", written, program.error().message()));
            return;
        }
        rule.program = std::move(*program);
        rule.uses_old = rule.program.uses("oldSelf");
        rule.message = text_of(written, "message");
        rule.reason = reason_named(text_of(written, "reason"));
        rule.field_path = text_of(written, "fieldPath");
        compile_message(written, path, variables, rule);
        check_old_self(written, path, rule, uncorrelated);
        set.rules.push_back(std::move(rule));
    }

    void compile_message(const Json& written, const std::string& path, const std::vector<cel::Variable>& variables,
                         Rule& rule) {
        std::string expression = text_of(written, "messageExpression");
        if (expression.empty()) return;
        Result<cel::Program> program = cel::Program::compile(expression, variables, cel::Kind::String);
        if (program) {
            rule.message_program = std::move(*program);
        } else {
            errors_.push_back(
                refused_rule(path + ".messageExpression", written, "messageExpression " + program.error().message()));
        }
    }

    void check_old_self(const Json& written, const std::string& path, const Rule& rule,
                        const std::string& uncorrelated) {
        if (rule.uses_old && !uncorrelated.empty()) {
            errors_.push_back(
                invalid(path + ".rule", rule.text,
                        "oldSelf cannot be used on the uncorrelatable portion of the schema within " + uncorrelated));
        }
        if (!rule.uses_old && written.contains("optionalOldSelf")) {
            errors_.push_back(invalid(path + ".optionalOldSelf", written["optionalOldSelf"],
                                      "may not be set if oldSelf is not used in rule"));
        }
    }

    FieldErrors& errors_;
};

}  // namespace

void compile_rules(Structural& root, const std::string& path, FieldErrors& errors) {
    RuleCompiler(errors).compile(root, path, "");
}

}  // namespace atl::schema
