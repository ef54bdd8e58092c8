#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace atl::schema {

using Json = nlohmann::json;

/// What is wrong with a field. The same set as k8s.io/apimachinery field.ErrorType.
enum class FieldErrorType {
    NotFound,
    Required,
    Duplicate,
    Invalid,
    NotSupported,
    Forbidden,
    TooLong,
    TooMany,
    TooFew,
    TypeInvalid,
    Internal,
};

/// The word that stands in a Status cause: "FieldValueInvalid".
std::string_view reason_of(FieldErrorType type);

/// One thing wrong with one field of one object. text() is what kube-apiserver writes, byte for byte; only that values
/// and details of more than 8 KiB are cut, and of many errors the first 200 are told.
struct FieldError {
    FieldErrorType type = FieldErrorType::Invalid;
    /// "spec.services[0].name"; "<nil>" for the object as a whole, as kube-apiserver writes it.
    std::string field;
    /// The value as it was sent; nullopt leaves it out of the text (also left out for Required, Forbidden, TooLong).
    std::optional<Json> bad_value;
    std::string detail;
    /// bad_value is a text that stands in the error as it is.
    bool is_verbatim = false;

    /// Without the field: `Invalid value: 0: spec.replicas in body should be greater than or equal to 1`.
    std::string body() const;
    /// `spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1`.
    std::string text() const;

    bool operator==(const FieldError&) const = default;
};

using FieldErrors = std::vector<FieldError>;

FieldError required(std::string field, std::string detail);
FieldError invalid(std::string field, Json value, std::string detail);
FieldError type_invalid(std::string field, Json value, std::string detail);
FieldError not_supported(std::string field, Json value, const std::vector<std::string>& supported);
FieldError duplicate(std::string field, Json value);
FieldError forbidden(std::string field, std::string detail);
FieldError too_long(std::string field, std::size_t max_bytes);
FieldError too_many(std::string field, std::size_t actual, std::size_t maximum);

/// All of them in one line, as Kubernetes aggregates do: the text of the only one, else "[a, b]"; equal texts once.
std::string aggregate_text(const FieldErrors& errors);

/// The `details.causes` of a Status: [{"reason", "message", "field"}].
Json causes_of(const FieldErrors& errors);

/// Which object a Status speaks of.
struct StatusSubject {
    std::string group;  ///< "" for the core group
    std::string kind;   ///< "Stack": an Invalid Status names the kind
    std::string name;
};

/// The whole v1 Status of HTTP 422: `Stack.atoll.dev "web" is invalid: spec.replicas: …`, reason Invalid, with causes.
Json invalid_status(const StatusSubject& subject, const FieldErrors& errors);

}  // namespace atl::schema
