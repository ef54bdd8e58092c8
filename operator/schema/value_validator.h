#pragma once

#include <map>

#include "operator/schema/field_path.h"
#include "operator/schema/structural.h"

namespace atl::schema {

/// Checks values against a compiled schema and collects what is wrong, in the words of kube-apiserver's value
/// validation (kube-openapi). Types, limits, formats, enumerations, required fields, allOf and its kin; not list types,
/// not CEL.
class ValueValidator {
public:
    explicit ValueValidator(FieldErrors& errors) : errors_(errors) {}

    /// `old`: the value that this one replaces, nullptr if none can be told. Errors of a value that did not change are
    /// let through, as kube-apiserver ratchets.
    void check(const Structural& node, const Json& value, const FieldPath& path, const Json* old);

private:
    void check_type(const Structural& node, const Json& value, const FieldPath& path);
    void check_string(const Structural& node, const Json& value, const FieldPath& path);
    void check_number(const Structural& node, const Json& value, const FieldPath& path);
    void check_bounds(const ValueChecks& checks, const Json& value, const FieldPath& path);
    void check_range(const Structural& node, const Json& value, const FieldPath& path);
    void check_list(const Structural& node, const Json& value, const FieldPath& path, const Json* old);
    void check_object(const Structural& node, const Json& value, const FieldPath& path, const Json* old);
    void check_enumeration(const Structural& node, const Json& value, const FieldPath& path);
    void check_junctors(const Structural& node, const Json& value, const FieldPath& path, const Json* old);
    void check_any_of(const Structural& node, const Json& value, const FieldPath& path, const Json* old);
    void check_one_of(const Structural& node, const Json& value, const FieldPath& path, const Json* old);
    void check_all_of(const Structural& node, const Json& value, const FieldPath& path, const Json* old);

    /// What a branch of anyOf or oneOf makes of the value.
    struct Trial {
        FieldErrors errors;
        int visited = 0;  ///< how many values the branch looked at: the one that saw most explains best
    };
    Trial attempt(const Structural& branch, const Json& value, const FieldPath& path, const Json* old);

    void report(const FieldPath& path, Json value, const std::string& problem);
    void report_whole(const std::string& problem);

    FieldErrors& errors_;
    int visited_ = 0;
};

/// The items of an old list, to be found by what replaces them: by the keys of a list of type map, else none is found.
/// The lists must outlive it.
class OldItems {
public:
    OldItems(const Structural& list, const Json* old_list);
    /// The old item with the keys of a new one; nullptr if there is none.
    const Json* find(const Json& item) const;

private:
    const Structural& list_;
    std::map<std::string, const Json*> items_;
};

/// Duplicates in lists of type set and map.
void check_list_types(const Structural& node, const Json& value, const FieldPath& path, FieldErrors& errors);

}  // namespace atl::schema
