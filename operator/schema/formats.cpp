#include "operator/schema/formats.h"

#include <algorithm>
#include <array>

#include "operator/schema/cel/networks.h"
#include "operator/schema/cel/times.h"

namespace atl::schema {
namespace {

/// Formats that are a regular expression.
struct FormatPattern {
    std::string_view format;
    const char* pattern;
};

constexpr FormatPattern kPatterns[] = {
    {"byte", R"(^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$|^$)"},
    {"email", R"(^(?:[^<>@\s]+ <)?[^<>@\s,]+@[^<>@\s,]+>?$)"},
    {"hexcolor", R"(^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$)"},
    {"hostname",
     R"(^([\p{L}\p{S}0-9]([-\p{L}\p{S}0-9]{0,61}[\p{L}\p{S}0-9])?)(\.[\p{L}\p{S}0-9]([-\p{L}\p{S}0-9]{0,61}[\p{L}\p{S}0-9])?)*$)"},
    {"k8s-long-name", R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)"},
    {"k8s-short-name", R"(^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$)"},
    {"mac", R"(^([0-9a-fA-F]{2}[:-]){5,7}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{4}\.){2,3}[0-9a-fA-F]{4}$)"},
    {"ssn", R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)"},
    {"uri", R"(^([A-Za-z][A-Za-z0-9+.-]*:\S+|/\S*)$)"},
    {"uuid", R"((?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$)"},
    {"uuid3", R"((?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$)"},
    {"uuid4", R"((?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$)"},
    {"uuid5", R"((?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$)"},
};

constexpr std::string_view kFunctions[] = {"cidr", "date", "date-time", "datetime", "duration", "ipv4", "ipv6"};

/// kube-apiserver also takes "22 days", "3 hours": numbers with words.
bool is_worded_duration(std::string_view text) {
    static const cel::Regex words =
        *cel::Regex::compile(R"((?i)\d+\s*(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week))");
    return words.search(text);
}

bool is_date_time(std::string_view text) {
    // Unlike RFC 3339 proper, a second of 60 and an offset without limits are not its business.
    return cel::parse_timestamp(text).has_value();
}

const cel::Regex& pattern_at(std::size_t row) {
    static const auto compiled = [] {
        std::vector<cel::Regex> all;
        for (const FormatPattern& entry : kPatterns) all.push_back(*cel::Regex::compile(entry.pattern));
        return all;
    }();
    return compiled[row];
}

}  // namespace

bool is_checked_format(ValueType type, std::string_view format) {
    if (type == ValueType::Integer) return format == "int32" || format == "int64";
    if (type == ValueType::Number) return format == "float" || format == "double";
    if (type != ValueType::String && type != ValueType::Any) return false;
    return std::ranges::find(kFunctions, format) != std::end(kFunctions) ||
           std::ranges::find(kPatterns, format, &FormatPattern::format) != std::end(kPatterns);
}

bool matches_format(std::string_view format, std::string_view text) {
    if (format == "date-time" || format == "datetime") return is_date_time(text);
    if (format == "date") return cel::parse_date(text).has_value();
    if (format == "duration") return cel::parse_duration(text).has_value() || is_worded_duration(text);
    if (format == "cidr") return cel::parse_cidr(text).has_value();
    std::optional<cel::Ip> ip = format == "ipv4" || format == "ipv6" ? cel::parse_ip(text) : std::nullopt;
    if (format == "ipv4") return ip && ip->v4;
    if (format == "ipv6") return ip && !ip->v4;
    auto row = std::ranges::find(kPatterns, format, &FormatPattern::format);
    if (row == std::end(kPatterns)) return true;
    return pattern_at(static_cast<std::size_t>(row - std::begin(kPatterns))).search(text);
}

}  // namespace atl::schema
