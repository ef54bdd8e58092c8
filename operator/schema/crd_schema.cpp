#include "operator/schema/crd_schema.h"

#include <algorithm>

#include "operator/schema/decode.h"
#include "operator/schema/go_text.h"
#include "operator/schema/rules.h"
#include "operator/schema/schema_compiler.h"
#include "operator/schema/shape.h"
#include "operator/schema/value_validator.h"

namespace atl::schema {
namespace {

/// Errors that make the answers of rules meaningless.
bool blocks_rules(const FieldError& error) {
    switch (error.type) {
        case FieldErrorType::NotSupported:
        case FieldErrorType::Required:
        case FieldErrorType::TooLong:
        case FieldErrorType::TooMany:
        case FieldErrorType::TypeInvalid:
            return true;
        default:
            return false;
    }
}

/// A default must itself be what the schema allows.
void check_defaults(const Structural& node, const std::string& path, FieldErrors& errors) {
    if (node.default_value) {
        FieldErrors found;
        Structural const& schema = node;
        ValueValidator(found).check(schema, *node.default_value, FieldPath(), nullptr);
        Json kept = *node.default_value;
        if (!schema::prune(kept, node).empty()) {
            errors.push_back(invalid(path + ".default", *node.default_value, "must not have unknown fields"));
        }
        for (FieldError& error : found) {
            error.field = path + ".default" + (error.field == "<nil>" ? "" : "." + error.field);
            errors.push_back(std::move(error));
        }
    }
    for (const auto& [name, property] : node.properties) {
        check_defaults(property, path + ".properties[" + name + "]", errors);
    }
    if (node.items) check_defaults(*node.items, path + ".items", errors);
    if (node.additional) check_defaults(*node.additional, path + ".additionalProperties", errors);
}

}  // namespace

CompiledSchema CrdSchema::compile_all(const Json& schema, const CompileOptions& options) {
    CompiledSchema outcome;
    SchemaCompiler compiler(outcome.errors, options.is_resource_root);
    auto root = std::make_shared<Structural>(compiler.compile(schema, options.path));
    if (outcome.errors.empty()) check_defaults(*root, options.path, outcome.errors);
    if (outcome.errors.empty()) compile_rules(*root, options.path, outcome.errors);
    if (outcome.errors.empty()) outcome.schema.push_back(CrdSchema(std::move(root)));
    return outcome;
}

Result<CrdSchema> CrdSchema::compile(const Json& schema, const CompileOptions& options) {
    CompiledSchema outcome = compile_all(schema, options);
    if (outcome.ok()) return std::move(outcome.schema.front());
    std::string field = outcome.errors.front().field;
    return atl::invalid("InvalidSchema", aggregate_text(outcome.errors)).at_field(std::move(field));
}

CrdSchema CrdSchema::preserving() {
    auto root = std::make_shared<Structural>();
    root->type = ValueType::Object;
    root->preserve_unknown = true;
    root->embedded_resource = true;
    return CrdSchema(std::move(root));
}

void CrdSchema::apply_defaults(Json& object) const {
    if (within_depth(object)) schema::apply_defaults(object, *root_);
}

std::vector<std::string> CrdSchema::prune(Json& object) const {
    if (!within_depth(object)) return {};
    return schema::prune(object, *root_);
}

FieldErrors CrdSchema::validate(const Json& object, const Json* old) const {
    FieldErrors errors;
    if (!within_depth(object) || (old != nullptr && !within_depth(*old))) {
        errors.push_back(invalid("<nil>", Json("…"), "nested deeper than " + std::to_string(kMaxDepth) + " levels"));
        return errors;
    }
    ValueValidator(errors).check(*root_, object, FieldPath(), old);
    check_list_types(*root_, object, FieldPath(), errors);
    if (!root_->has_rules_below) return errors;
    if (std::ranges::any_of(errors, blocks_rules)) {
        errors.push_back(invalid("<nil>", nullptr,
                                 "some validation rules were not checked because the object was invalid; correct the "
                                 "existing errors to complete validation"));
    } else {
        check_rules(*root_, object, old, errors);
    }
    return errors;
}

std::string unknown_field_text(const std::string& path) {
    return "unknown field " + go_quote(path);
}

std::string strict_decoding_text(const std::vector<std::string>& complaints) {
    std::string text;
    for (const std::string& complaint : complaints)
        text += (text.empty() ? "strict decoding error: " : ", ") + complaint;
    return text;
}

}  // namespace atl::schema
