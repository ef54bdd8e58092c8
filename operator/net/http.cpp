#include "operator/net/http.h"

#include <algorithm>
#include <cctype>

namespace atl::net {

namespace {

bool same_name(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    });
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::optional<std::string> Headers::find(std::string_view name) const {
    for (const auto& [field, value] : fields_) {
        if (same_name(field, name)) return value;
    }
    return std::nullopt;
}

void Headers::set(std::string name, std::string value) {
    remove(name);
    add(std::move(name), std::move(value));
}

void Headers::add(std::string name, std::string value) {
    fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::remove(std::string_view name) {
    std::erase_if(fields_, [&](const auto& field) { return same_name(field.first, name); });
}

std::string Endpoint::to_string() const {
    if (scheme == Scheme::Unix) return "unix://" + host;
    const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return (scheme == Scheme::Https ? "https://" : "http://") + shown + ":" + std::to_string(port);
}

std::string encode_component(std::string_view text) {
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
            encoded.push_back(c);
        } else {
            encoded.push_back('%');
            encoded.push_back(kHex[byte >> 4U]);
            encoded.push_back(kHex[byte & 0x0fU]);
        }
    }
    return encoded;
}

std::optional<std::string> decode_component(std::string_view text, Plus plus) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus == Plus::Space) {
            decoded.push_back(' ');
        } else if (text[i] != '%') {
            decoded.push_back(text[i]);
        } else {
            if (i + 2 >= text.size()) return std::nullopt;
            const int high = hex_digit(text[i + 1]);
            const int low = hex_digit(text[i + 2]);
            if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
            decoded.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        }
    }
    return decoded;
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> parameters;
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        if (part.empty()) continue;
        const std::size_t equals = part.find('=');
        auto name = decode_component(part.substr(0, equals), Plus::Space);
        auto value = equals == std::string_view::npos ? std::optional<std::string>("")
                                                      : decode_component(part.substr(equals + 1), Plus::Space);
        if (name && value) parameters.emplace_back(std::move(*name), std::move(*value));
    }
    return parameters;
}

}  // namespace atl::net
