#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"

namespace atl::schema {

/// A label selector of a query (labelSelector=…): `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
class LabelSelector {
public:
    enum class Operator { Equals, NotEquals, In, NotIn, Exists, DoesNotExist, GreaterThan, LessThan };
    struct Requirement {
        std::string key;
        Operator op = Operator::Exists;
        std::vector<std::string> values;  ///< sorted
    };

    /// Errors: class Invalid, `unable to parse requirement: …` in the words of apimachinery. The empty text matches
    /// all.
    static Result<LabelSelector> parse(std::string_view text);
    /// A metav1.LabelSelector ({matchLabels, matchExpressions}).
    static Result<LabelSelector> from_json(const nlohmann::json& selector);

    /// `labels`: metadata.labels; anything but an object counts as no labels.
    bool matches(const nlohmann::json& labels) const;
    bool empty() const { return requirements_.empty(); }
    const std::vector<Requirement>& requirements() const { return requirements_; }
    /// In canonical form, as a scale's status.selector has it: "a=b,c in (d,e)".
    std::string text() const;

private:
    std::vector<Requirement> requirements_;
};

/// A field selector (fieldSelector=…): `metadata.name=a,status.phase!=b`; = and == and != only; `\` escapes , = and \.
class FieldSelector {
public:
    struct Requirement {
        std::string field;
        bool equal = true;
        std::string value;
    };

    /// Errors: class Invalid; `invalid selector: "…"; can't understand "…"`.
    static Result<FieldSelector> parse(std::string_view text);

    /// The fields it asks for that are not in `supported`: `field label not supported: spec.x` is the server's answer.
    std::vector<std::string> unsupported(const std::vector<std::string>& supported) const;
    /// Looks its fields up in the object by path; a missing field is "". Numbers and booleans compare as text.
    bool matches(const nlohmann::json& object) const;
    bool empty() const { return requirements_.empty(); }
    const std::vector<Requirement>& requirements() const { return requirements_; }
    /// The value that metadata.name must have, if the selector fixes it.
    std::string exact_name() const;

private:
    std::vector<Requirement> requirements_;
};

}  // namespace atl::schema
