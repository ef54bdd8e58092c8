#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"
#include "operator/schema/field_error.h"

namespace atl::schema {

struct Structural;

/// How a schema is compiled.
struct CompileOptions {
    /// Where the schema stands in its CRD, for the paths of errors.
    std::string path = "spec.validation.openAPIV3Schema";
    /// Custom resources have TypeMeta and ObjectMeta at the root, whatever the schema says about them.
    bool is_resource_root = true;
};

struct CompiledSchema;

/// A structural schema (apiextensions.k8s.io/v1 openAPIV3Schema), compiled with its CEL rules. Cheap to copy: a shared,
/// immutable tree. Nothing here throws or recurses deeper than kMaxDepth; objects that are deeper are refused.
///
/// The order of a write is: prune, apply_defaults, (set server-side fields), validate.
class CrdSchema {
public:
    /// Compiles a schema, or says everything that is wrong with it, as the admission of a CRD would: what is not
    /// structural, patterns that do not compile, CEL rules that do not parse, use a field that the schema does not
    /// declare or a function that we do not have.
    static CompiledSchema compile_all(const Json& schema, const CompileOptions& options = {});

    /// compile_all, with all errors in one line; class Invalid.
    static Result<CrdSchema> compile(const Json& schema, const CompileOptions& options = {});

    /// A schema that accepts and keeps any object: x-kubernetes-preserve-unknown-fields at its root.
    static CrdSchema preserving();

    /// Sets the schema's defaults where fields are missing (null counts as missing where the field is not nullable and
    /// has a default).
    void apply_defaults(Json& object) const;

    /// Drops the fields that the schema does not declare and returns their paths in order: "spec.foo",
    /// "spec.services[0].bar". Strict and warn field validation write them as `unknown field "spec.foo"`.
    std::vector<std::string> prune(Json& object) const;

    /// What is wrong with the object, in the order that kube-apiserver reports it: values, then list types, then CEL.
    /// With `old` (an update), transition rules run, and errors under unchanged values are let through (ratcheting).
    FieldErrors validate(const Json& object, const Json* old = nullptr) const;

    /// The compiled tree, for the parts of this library that walk it (managed fields, OpenAPI).
    const Structural& root() const { return *root_; }

private:
    explicit CrdSchema(std::shared_ptr<const Structural> root) : root_(std::move(root)) {}
    std::shared_ptr<const Structural> root_;
};

/// The outcome of compile_all: `schema` exactly if there are no errors.
struct CompiledSchema {
    std::vector<CrdSchema> schema;  ///< none or one
    FieldErrors errors;
    bool ok() const { return errors.empty() && !schema.empty(); }
};

/// `unknown field "spec.foo"`, or `strict decoding error: unknown field "a", unknown field "b"` for all of them.
std::string unknown_field_text(const std::string& path);
std::string strict_decoding_text(const std::vector<std::string>& complaints);

}  // namespace atl::schema
