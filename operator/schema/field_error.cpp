#include "operator/schema/field_error.h"

#include <algorithm>
#include <set>
#include <span>

#include "operator/schema/go_text.h"

namespace atl::schema {
namespace {

constexpr std::size_t kLongestQuote = 8192;
constexpr std::size_t kMostErrors = 200;

struct TypeRow {
    FieldErrorType type;
    std::string_view reason;
    std::string_view words;
    bool shows_value;
};

// clang-format off
constexpr TypeRow kTypes[] = {
    {FieldErrorType::NotFound,     "FieldValueNotFound",     "Not found",         true},
    {FieldErrorType::Required,     "FieldValueRequired",     "Required value",    false},
    {FieldErrorType::Duplicate,    "FieldValueDuplicate",    "Duplicate value",   true},
    {FieldErrorType::Invalid,      "FieldValueInvalid",      "Invalid value",     true},
    {FieldErrorType::NotSupported, "FieldValueNotSupported", "Unsupported value", true},
    {FieldErrorType::Forbidden,    "FieldValueForbidden",    "Forbidden",         false},
    {FieldErrorType::TooLong,      "FieldValueTooLong",      "Too long",          false},
    {FieldErrorType::TooMany,      "FieldValueTooMany",      "Too many",          true},
    {FieldErrorType::TooFew,       "FieldValueTooFew",       "Too few",           true},
    {FieldErrorType::TypeInvalid,  "FieldValueTypeInvalid",  "Invalid value",     true},
    {FieldErrorType::Internal,     "InternalError",          "Internal error",    false},
};
// clang-format on

const TypeRow& row_of(FieldErrorType type) {
    return *std::ranges::find(kTypes, type, &TypeRow::type);
}

std::string shown(const Json& value) {
    if (value.is_string()) return go_quote(value.get_ref<const std::string&>());
    if (value.is_number_float()) return go_float(value.get<double>());
    return go_json(value);
}

/// A message quotes a part of what is long, never half of a character.
std::string shortened(std::string text) {
    if (text.size() <= kLongestQuote) return text;
    const std::size_t size = text.size();
    std::size_t end = kLongestQuote;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + "... (" + std::to_string(size) + " bytes)";
}

/// The texts of the first errors, equal ones once, in order.
std::vector<std::string> distinct_texts(const FieldErrors& errors) {
    std::vector<std::string> texts;
    std::set<std::string> seen;
    for (const FieldError& error : errors) {
        if (texts.size() == kMostErrors) {
            texts.push_back("and more: there are " + std::to_string(errors.size()) + " errors");
            break;
        }
        std::string text = error.text();
        if (seen.insert(text).second) texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace

std::string_view reason_of(FieldErrorType type) {
    return row_of(type).reason;
}

std::string FieldError::body() const {
    const TypeRow& row = row_of(type);
    std::string text(row.words);
    if (row.shows_value && bad_value)
        text +=
            ": " + shortened(is_verbatim && bad_value->is_string() ? bad_value->get<std::string>() : shown(*bad_value));
    if (!detail.empty()) text += ": " + shortened(detail);
    return text;
}

std::string FieldError::text() const {
    return field + ": " + body();
}

FieldError required(std::string field, std::string detail) {
    return {FieldErrorType::Required, std::move(field), std::nullopt, std::move(detail)};
}

FieldError invalid(std::string field, Json value, std::string detail) {
    return {FieldErrorType::Invalid, std::move(field), std::move(value), std::move(detail)};
}

FieldError type_invalid(std::string field, Json value, std::string detail) {
    return {FieldErrorType::TypeInvalid, std::move(field), std::move(value), std::move(detail)};
}

FieldError not_supported(std::string field, Json value, const std::vector<std::string>& supported) {
    std::string detail;
    for (const std::string& word : supported) detail += (detail.empty() ? "supported values: " : ", ") + go_quote(word);
    return {FieldErrorType::NotSupported, std::move(field), std::move(value), std::move(detail)};
}

FieldError duplicate(std::string field, Json value) {
    return {FieldErrorType::Duplicate, std::move(field), std::move(value), ""};
}

FieldError forbidden(std::string field, std::string detail) {
    return {FieldErrorType::Forbidden, std::move(field), std::nullopt, std::move(detail)};
}

FieldError too_long(std::string field, std::size_t max_bytes) {
    std::string detail = "may not be more than " + std::to_string(max_bytes) + (max_bytes == 1 ? " byte" : " bytes");
    return {FieldErrorType::TooLong, std::move(field), std::nullopt, std::move(detail)};
}

FieldError too_many(std::string field, std::size_t actual, std::size_t maximum) {
    std::string detail = "must have at most " + std::to_string(maximum) + (maximum == 1 ? " item" : " items");
    return {FieldErrorType::TooMany, std::move(field), Json(actual), std::move(detail)};
}

std::string aggregate_text(const FieldErrors& errors) {
    std::vector<std::string> texts = distinct_texts(errors);
    if (texts.size() == 1) return texts.front();
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return "[" + all + "]";
}

Json causes_of(const FieldErrors& errors) {
    Json causes = Json::array();
    for (const FieldError& error : std::span(errors).first(std::min(errors.size(), kMostErrors))) {
        causes.push_back({{"reason", reason_of(error.type)}, {"message", error.body()}, {"field", error.field}});
    }
    return causes;
}

Json invalid_status(const StatusSubject& subject, const FieldErrors& errors) {
    std::string kind = subject.group.empty() ? subject.kind : subject.kind + "." + subject.group;
    std::string message = kind + " " + go_quote(subject.name) + " is invalid";
    if (!errors.empty()) message += ": " + aggregate_text(errors);
    Json details = {{"name", subject.name}, {"kind", subject.kind}, {"causes", causes_of(errors)}};
    if (!subject.group.empty()) details["group"] = subject.group;
    return {{"kind", "Status"},   {"apiVersion", "v1"},  {"metadata", Json::object()}, {"status", "Failure"},
            {"message", message}, {"reason", "Invalid"}, {"details", details},         {"code", 422}};
}

}  // namespace atl::schema
