#include "operator/schema/cel/regex.h"
#include "operator/schema/object_meta.h"

namespace atl::schema {
namespace {

constexpr std::string_view kLabel = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomain = R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)";
constexpr std::string_view kQualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kLabelValue = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

/// A pattern that a whole text must match.
cel::Regex whole(std::string_view pattern) {
    return *cel::Regex::compile("^" + std::string(pattern) + "$");
}

std::string sentence(std::string_view rule, std::string_view pattern, const char* examples) {
    return std::string(rule) + " (e.g. " + examples + ", regex used for validation is '" + std::string(pattern) + "')";
}

std::string too_long(std::size_t limit, const char* unit) {
    return "must be no more than " + std::to_string(limit) + " " + unit;
}

std::vector<std::string> path_segment_problems(std::string_view name) {
    std::vector<std::string> problems;
    if (name == "." || name == "..") problems.push_back("may not be '" + std::string(name) + "'");
    for (char c : {'/', '%'}) {
        if (problems.empty() && name.find(c) != std::string_view::npos) {
            problems.push_back(std::string("may not contain '") + c + "'");
        }
    }
    return problems;
}

}  // namespace

std::vector<std::string> dns_subdomain_problems(std::string_view name) {
    static const cel::Regex pattern = whole(kSubdomain);
    std::vector<std::string> problems;
    if (name.size() > 253) problems.push_back(too_long(253, "characters"));
    if (!pattern.search(name)) {
        problems.push_back(
            sentence("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
                     "'.', and must start and end with an alphanumeric character",
                     kSubdomain, "'example.com'"));
    }
    return problems;
}

std::vector<std::string> dns_label_problems(std::string_view name) {
    static const cel::Regex pattern = whole(kLabel);
    static const cel::Regex subdomain = whole(kSubdomain);
    std::vector<std::string> problems;
    if (name.size() > 63) problems.push_back(too_long(63, "characters"));
    if (pattern.search(name)) return problems;
    if (subdomain.search(name)) {
        problems.emplace_back("must not contain dots");
    } else {
        problems.push_back(
            sentence("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
                     "must start and end with an alphanumeric character",
                     kLabel, "'my-name',  or '123-abc'"));
    }
    return problems;
}

std::vector<std::string> name_problems(std::string_view name, NameRule rule) {
    switch (rule) {
        case NameRule::DnsSubdomain:
            return dns_subdomain_problems(name);
        case NameRule::DnsLabel:
            return dns_label_problems(name);
        case NameRule::PathSegment:
            return path_segment_problems(name);
    }
    return {};
}

std::vector<std::string> qualified_name_problems(std::string_view name) {
    static const cel::Regex pattern = whole(kQualified);
    const std::string rule =
        "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character";
    const char* examples = "'MyName',  or 'my.name',  or '123-abc'";
    std::vector<std::string> problems;
    auto slash = name.find('/');
    if (slash != std::string_view::npos && name.find('/', slash + 1) != std::string_view::npos) {
        problems.push_back("a valid label key " + sentence(rule, kQualified, examples) +
                           " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        return problems;
    }
    if (slash == 0) problems.emplace_back("prefix part must be non-empty");
    if (slash != std::string_view::npos && slash > 0) {
        for (const std::string& problem : dns_subdomain_problems(name.substr(0, slash))) {
            problems.push_back("prefix part " + problem);
        }
    }
    std::string_view last = slash == std::string_view::npos ? name : name.substr(slash + 1);
    if (last.empty()) problems.emplace_back("name part must be non-empty");
    if (last.size() > 63) problems.push_back("name part " + too_long(63, "bytes"));
    if (!pattern.search(last)) problems.push_back("name part " + sentence(rule, kQualified, examples));
    return problems;
}

std::vector<std::string> label_value_problems(std::string_view value) {
    static const cel::Regex pattern = whole(kLabelValue);
    std::vector<std::string> problems;
    if (value.size() > 63) problems.push_back(too_long(63, "bytes"));
    if (!pattern.search(value)) {
        problems.push_back(
            sentence("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
                     "'.', and must start and end with an alphanumeric character",
                     kLabelValue, "'MyValue',  or 'my_value',  or '12345'"));
    }
    return problems;
}

}  // namespace atl::schema
