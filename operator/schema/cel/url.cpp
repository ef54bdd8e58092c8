#include "operator/schema/cel/url.h"

#include <algorithm>
#include <charconv>

namespace atl::schema::cel {
namespace {

bool is_scheme(std::string_view text) {
    auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (text.empty() || !letter(text.front())) return false;
    return std::ranges::all_of(
        text, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; });
}

bool has_bad_escape(std::string_view text) {
    for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
        bool digits = at + 2 < text.size() && std::isxdigit(static_cast<unsigned char>(text[at + 1])) != 0 &&
                      std::isxdigit(static_cast<unsigned char>(text[at + 2])) != 0;
        if (!digits) return true;
    }
    return false;
}

bool split_host(Url& url) {
    std::string_view host = url.host;
    std::size_t colon = host.rfind(':');
    auto bracket = host.rfind(']');
    bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
    if (has_port) url.port = std::string(host.substr(colon + 1));
    if (!std::ranges::all_of(url.port, [](char c) { return c >= '0' && c <= '9'; })) return false;
    std::string_view name = host.substr(0, has_port ? colon : host.size());
    bool brackets = name.starts_with('[') && name.ends_with(']');
    if (!brackets && name.find(':') != std::string_view::npos) return false;
    if (name.find_first_of(" <>\"") != std::string_view::npos) return false;
    url.hostname = std::string(brackets ? name.substr(1, name.size() - 2) : name);
    return true;
}

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
    bool control = std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
    if (text.empty() || control || text.find(' ') != std::string_view::npos) return std::nullopt;
    Url url;
    auto question = text.find('?');
    if (question != std::string_view::npos) url.query = std::string(text.substr(question + 1));
    std::string_view rest = text.substr(0, question);
    if (!rest.starts_with('/')) {
        auto colon = rest.find(':');
        if (colon == std::string_view::npos || !is_scheme(rest.substr(0, colon))) return std::nullopt;
        url.scheme = std::string(rest.substr(0, colon));
        std::ranges::transform(url.scheme, url.scheme.begin(),
                               [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        rest.remove_prefix(colon + 1);
        if (rest.starts_with("//")) {
            rest.remove_prefix(2);
            std::string_view authority = rest.substr(0, rest.find('/'));
            rest.remove_prefix(authority.size());
            auto at = authority.rfind('@');
            url.host = std::string(at == std::string_view::npos ? authority : authority.substr(at + 1));
        }
    }
    url.path = std::string(rest);
    if (has_bad_escape(url.path) || !split_host(url)) return std::nullopt;
    return url;
}

std::map<std::string, std::vector<std::string>> query_of(const Url& url) {
    std::map<std::string, std::vector<std::string>> all;
    std::string_view rest = url.query;
    while (!rest.empty()) {
        std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        auto equal = pair.find('=');
        if (pair.empty()) continue;
        std::string value = equal == std::string_view::npos ? "" : decoded(pair.substr(equal + 1));
        all[decoded(pair.substr(0, equal))].push_back(std::move(value));
    }
    return all;
}

}  // namespace atl::schema::cel
