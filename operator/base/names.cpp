#include "operator/base/names.h"

#include <algorithm>
#include <array>
#include <numeric>

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace atl {

namespace {

constexpr std::string_view kLabelMessage =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainMessage =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabelValueMessage =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kQualifiedMessage =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

bool is_lower_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alnum(char c) {
    return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}

bool is_label(std::string_view name) {
    if (name.empty() || !is_lower_alnum(name.front()) || !is_lower_alnum(name.back())) return false;
    return std::all_of(name.begin(), name.end(), [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_subdomain(std::string_view name) {
    while (true) {
        std::size_t dot = name.find('.');
        if (!is_label(name.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        name.remove_prefix(dot + 1);
    }
}

bool is_qualified_part(std::string_view name) {
    if (name.empty() || !is_alnum(name.front()) || !is_alnum(name.back())) return false;
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t limit) {
    return "must be no more than " + std::to_string(limit) + " characters";
}

std::array<unsigned char, 32> sha256(std::string_view text) {
    std::array<unsigned char, 32> digest{};
    EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
    return digest;
}

std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

std::vector<std::string> dns_label_errors(std::string_view name) {
    std::vector<std::string> errors;
    if (name.size() > kMaxLabel) errors.push_back(too_long(kMaxLabel));
    if (!is_label(name)) errors.emplace_back(kLabelMessage);
    return errors;
}

std::vector<std::string> dns_subdomain_errors(std::string_view name) {
    std::vector<std::string> errors;
    if (name.size() > kMaxSubdomain) errors.push_back(too_long(kMaxSubdomain));
    if (!is_subdomain(name)) errors.emplace_back(kSubdomainMessage);
    return errors;
}

std::vector<std::string> label_value_errors(std::string_view value) {
    std::vector<std::string> errors;
    if (value.size() > kMaxLabel) errors.push_back(too_long(kMaxLabel));
    if (!value.empty() && !is_qualified_part(value)) errors.emplace_back(kLabelValueMessage);
    return errors;
}

std::vector<std::string> qualified_name_errors(std::string_view name) {
    std::vector<std::string> errors;
    std::size_t slash = name.find('/');
    if (slash != std::string_view::npos && name.find('/', slash + 1) != std::string_view::npos) {
        errors.push_back("a qualified name " + std::string(kQualifiedMessage) +
                         " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
        return errors;
    }
    if (slash != std::string_view::npos) {
        std::string_view prefix = name.substr(0, slash);
        if (prefix.empty()) errors.emplace_back("prefix part must be non-empty");
        if (!prefix.empty())
            for (const std::string& error : dns_subdomain_errors(prefix)) errors.push_back("prefix part " + error);
        name.remove_prefix(slash + 1);
    }
    if (name.empty()) errors.emplace_back("name part must be non-empty");
    if (name.size() > kMaxLabel) errors.push_back("name part " + too_long(kMaxLabel));
    if (!is_qualified_part(name)) errors.push_back("name part " + std::string(kQualifiedMessage));
    return errors;
}

std::vector<std::string> port_name_errors(std::string_view name) {
    std::vector<std::string> errors;
    if (name.size() > 15) errors.push_back(too_long(15));
    if (name.empty() || !std::all_of(name.begin(), name.end(), [](char c) { return is_lower_alnum(c) || c == '-'; }))
        errors.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    if (!std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
        errors.emplace_back("must contain at least one letter (a-z)");
    if (name.find("--") != std::string_view::npos) errors.emplace_back("must not contain consecutive hyphens");
    if (!name.empty() && (name.front() == '-' || name.back() == '-'))
        errors.emplace_back("must not begin or end with a hyphen");
    return errors;
}

std::string bounded_name(const std::vector<std::string>& parts, std::size_t limit) {
    constexpr std::size_t kHash = 10;
    std::string name;
    std::string unambiguous;  // the lengths keep ("a-b", "c") and ("a", "b-c") apart
    for (const std::string& part : parts) {
        if (!name.empty()) name += '-';
        name += part;
        unambiguous += std::to_string(part.size()) + ":" + part;
    }
    if (name.size() <= limit) return name;
    name.resize(limit - kHash - 1);
    while (!name.empty() && !is_alnum(name.back())) name.pop_back();
    return name + "-" + short_hash(unambiguous, kHash);
}

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
    std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
    std::optional<std::string> nearest;
    for (const std::string& candidate : candidates) {
        std::size_t far = distance(word, candidate);
        if (far >= best) continue;
        best = far;
        nearest = candidate;
    }
    return nearest;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string short_hash(std::string_view text, std::size_t length) {
    constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
    auto digest = sha256(text);
    std::string name;
    for (std::size_t i = 0; i < std::min(length, digest.size()); ++i) name += kAlphabet[digest[i] & 31];
    return name;
}

}  // namespace atl
