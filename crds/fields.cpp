#include "crds/fields.h"

#include <cmath>

namespace atl::crds {

using nlohmann::json;

namespace {

/// Whole numbers, also those that a client wrote with a fraction of zero.
std::optional<std::int64_t> whole_number(const json& value) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return std::nullopt;
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_number_float()) return std::nullopt;
    double number = value.get<double>();
    constexpr double kExact = 9007199254740992.0;
    if (number != std::floor(number) || std::fabs(number) > kExact) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

std::string_view type_of(const json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "a list";
    if (value.is_string()) return "a text";
    if (value.is_boolean()) return "a boolean";
    return "a number";
}

}  // namespace

void Reader::refuse(const std::string& path, const std::string& what) {
    if (!error_) error_ = invalid("InvalidObject", path + " " + what).at_field(path);
}

void Reader::refuse_type(const std::string& path, const json& value, std::string_view wanted) {
    refuse(path, "must be " + std::string(wanted) + ", not " + std::string(type_of(value)));
}

void Reader::read(const json& value, std::string& target, const std::string& path) {
    if (!value.is_string()) return refuse_type(path, value, "a text");
    target = value.get<std::string>();
}

void Reader::read(const json& value, std::int64_t& target, const std::string& path) {
    std::optional<std::int64_t> number = whole_number(value);
    if (!number && value.is_number()) return refuse(path, "must be a whole number of 64 bits");
    if (!number) return refuse_type(path, value, "a whole number");
    target = *number;
}

void Reader::read(const json& value, bool& target, const std::string& path) {
    if (!value.is_boolean()) return refuse_type(path, value, "a boolean");
    target = value.get<bool>();
}

void Reader::read(const json& value, IntOrString& target, const std::string& path) {
    if (value.is_string()) {
        target.value = value.get<std::string>();
    } else if (std::optional<std::int64_t> number = whole_number(value)) {
        target.value = *number;
    } else {
        refuse_type(path, value, "a whole number or a text");
    }
}

void Reader::read(const json& value, std::map<std::string, std::string>& target, const std::string& path) {
    if (!value.is_object()) return refuse_type(path, value, "an object");
    target.clear();
    for (const auto& [key, item] : value.items()) {
        if (!item.is_string()) return refuse_type(path + "[" + key + "]", item, "a text");
        target[key] = item.get<std::string>();
    }
}

json Writer::write(const IntOrString& value) {
    return value.is_number() ? json(value.number()) : json(value.text());
}

}  // namespace atl::crds
