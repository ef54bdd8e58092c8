#include "crds/checker.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "operator/base/names.h"

namespace atl::crds {

namespace {

std::string in_quotes(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
    if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
    return text;
}

}  // namespace

std::string at(std::string_view field, std::size_t index) {
    return std::string(field) + "[" + std::to_string(index) + "]";
}

void Checker::add(FieldError::Kind kind, std::string field, std::string value, std::string detail) {
    errors_.push_back({kind, std::move(field), std::move(value), std::move(detail)});
}

void Checker::required(std::string field, std::string detail) {
    add(FieldError::Kind::Required, std::move(field), "", std::move(detail));
}

void Checker::invalid(std::string field, std::string_view value, std::string detail) {
    add(FieldError::Kind::Invalid, std::move(field), in_quotes(value), std::move(detail));
}

void Checker::invalid(std::string field, std::int64_t value, std::string detail) {
    add(FieldError::Kind::Invalid, std::move(field), std::to_string(value), std::move(detail));
}

void Checker::duplicate(std::string field, std::string_view value, std::string detail) {
    add(FieldError::Kind::Duplicate, std::move(field), in_quotes(value), std::move(detail));
}

void Checker::not_found(std::string field, std::string_view value, const std::string& what,
                        std::vector<std::string> known) {
    std::string detail = "no such " + what;
    std::optional<std::string> nearest = nearest_name(value, known);
    if (nearest && known.size() > 1) detail += "; did you mean " + in_quotes(*nearest) + "?";
    detail += known.empty() ? "; there is none" : "; there are " + listed(known);
    if (known.size() == 1) detail = "no such " + what + "; there is " + in_quotes(known[0]);
    add(FieldError::Kind::NotFound, std::move(field), in_quotes(value), std::move(detail));
}

void Checker::forbidden(std::string field, std::string detail) {
    add(FieldError::Kind::Forbidden, std::move(field), "", std::move(detail));
}

void Checker::not_supported(std::string field, std::string_view value, std::string detail) {
    add(FieldError::Kind::NotSupported, std::move(field), in_quotes(value), std::move(detail));
}

void Checker::name(const std::string& field, const std::string& value, std::set<std::string>& seen) {
    for (const std::string& problem : dns_label_errors(value)) invalid(field, value, problem);
    if (!seen.insert(value).second) duplicate(field, value);
}

void Checker::port(const std::string& field, std::int64_t number) {
    if (number < 1 || number > 65535) invalid(field, number, "must be between 1 and 65535");
}

void Checker::printable(const std::string& field, const std::string& text) {
    if (text.find('\0') != std::string::npos)
        add(FieldError::Kind::Forbidden, field, "", "must not hold the character U+0000");
}

}  // namespace atl::crds
