#pragma once

#include <string>
#include <vector>

#include "operator/schema/cel/program.h"
#include "operator/schema/field_path.h"
#include "operator/schema/structural.h"

namespace atl::schema {

/// One x-kubernetes-validations rule, compiled.
struct Rule {
    cel::Program program;
    std::optional<cel::Program> message_program;
    std::string text;     ///< the rule as written, trimmed
    std::string message;  ///< trimmed, may be empty
    std::string field_path;
    FieldErrorType reason = FieldErrorType::Invalid;
    bool uses_old = false;      ///< a transition rule: runs only where there is an old value
    bool optional_old = false;  ///< optionalOldSelf: runs always, oldSelf is an optional
};

/// The rules of one node and the type that its values have in them.
struct RuleSet {
    cel::TypePtr type;
    std::vector<Rule> rules;
};

/// The type by which rules see values of the node; nullptr if they cannot see it (nothing is known of it).
cel::TypePtr rule_type(const Structural& node);

/// Compiles the rules of all nodes. A rule that does not parse, type-check or evaluate to bool is an error with its
/// path.
void compile_rules(Structural& root, const std::string& path, FieldErrors& errors);

/// Runs the rules of all nodes over an object. `old`: what it replaces, nullptr on create.
void check_rules(const Structural& root, const Json& object, const Json* old, FieldErrors& errors);

}  // namespace atl::schema
