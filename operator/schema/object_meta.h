#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/schema/field_error.h"

namespace atl::schema {

/// How the name of a kind's objects is checked.
enum class NameRule {
    DnsSubdomain,  ///< most kinds, and all custom resources
    DnsLabel,      ///< Namespace, Service
    PathSegment,   ///< Role, ClusterRole and their bindings: anything but ".", "..", "/" and "%"
};

struct MetaRules {
    bool namespaced = true;
    NameRule name = NameRule::DnsSubdomain;
};

/// What is wrong with metadata: name, generateName, namespace, labels, annotations (256 KiB in all), finalizers,
/// ownerReferences, in the words of kube-apiserver. Types are checked first (a wrong type is TypeInvalid and nothing
/// else).
FieldErrors validate_object_meta(const Json& metadata, const MetaRules& rules);

/// What an update may not do to metadata: change name, namespace, uid or creationTimestamp, add finalizers once
/// deletion has begun.
FieldErrors validate_object_meta_update(const Json& metadata, const Json& old_metadata);

/// What is wrong with a name, in kube-apiserver's sentences; empty if it is fine.
std::vector<std::string> name_problems(std::string_view name, NameRule rule);
std::vector<std::string> dns_subdomain_problems(std::string_view name);
std::vector<std::string> dns_label_problems(std::string_view name);
/// For label keys, annotation keys and finalizers: "name part must …", "prefix part …".
std::vector<std::string> qualified_name_problems(std::string_view name);
std::vector<std::string> label_value_problems(std::string_view value);

}  // namespace atl::schema
