#include "operator/schema/cel/networks.h"

#include <algorithm>

#include <arpa/inet.h>

namespace atl::schema::cel {
namespace {

bool has_leading_zero(std::string_view text) {
    char previous = '.';
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool digit_follows = i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
        if (text[i] == '0' && previous == '.' && digit_follows) return true;
        previous = text[i];
    }
    return false;
}

std::optional<int> parse_prefix(std::string_view text, int most) {
    if (text.empty() || text.size() > 3 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
    int prefix = 0;
    for (char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        prefix = prefix * 10 + (c - '0');
    }
    if (prefix > most) return std::nullopt;
    return prefix;
}

bool is_multicast(const Ip& ip) {
    return ip.v4 ? (ip.bytes[0] & 0xF0) == 0xE0 : ip.bytes[0] == 0xFF;
}

}  // namespace

std::optional<Ip> parse_ip(std::string_view text) {
    std::string copy(text.substr(0, 64));
    Ip ip;
    if (text.find(':') == std::string_view::npos) {
        if (has_leading_zero(text) || inet_pton(AF_INET, copy.c_str(), ip.bytes.data()) != 1) return std::nullopt;
        return ip;
    }
    ip.v4 = false;
    bool mixed = text.find('.') != std::string_view::npos;
    if (mixed || inet_pton(AF_INET6, copy.c_str(), ip.bytes.data()) != 1) return std::nullopt;
    return ip;
}

std::optional<Cidr> parse_cidr(std::string_view text) {
    auto slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    std::optional<Ip> ip = parse_ip(text.substr(0, slash));
    if (!ip) return std::nullopt;
    std::optional<int> prefix = parse_prefix(text.substr(slash + 1), ip->bits());
    if (!prefix) return std::nullopt;
    return Cidr{*ip, *prefix};
}

std::string ip_text(const Ip& ip) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(ip.v4 ? AF_INET : AF_INET6, ip.bytes.data(), text.data(), text.size());
    return text.data();
}

std::string cidr_text(const Cidr& cidr) {
    return ip_text(cidr.ip) + "/" + std::to_string(cidr.prefix);
}

Cidr masked(const Cidr& cidr) {
    Cidr network = cidr;
    for (int bit = cidr.prefix; bit < cidr.ip.bits(); ++bit) {
        auto& byte = network.ip.bytes[static_cast<std::size_t>(bit / 8)];
        byte = static_cast<std::uint8_t>(byte & ~(0x80 >> (bit % 8)));
    }
    return network;
}

bool contains(const Cidr& network, const Ip& ip) {
    return network.ip.v4 == ip.v4 && masked({ip, network.prefix}).ip == masked(network).ip;
}

bool contains(const Cidr& network, const Cidr& inner) {
    return inner.prefix >= network.prefix && contains(network, inner.ip);
}

bool is_unspecified(const Ip& ip) {
    return std::ranges::all_of(ip.bytes, [](std::uint8_t byte) { return byte == 0; });
}

bool is_loopback(const Ip& ip) {
    if (ip.v4) return ip.bytes[0] == 127;
    return ip.bytes[15] == 1 &&
           std::all_of(ip.bytes.begin(), ip.bytes.end() - 1, [](std::uint8_t b) { return b == 0; });
}

bool is_link_local_multicast(const Ip& ip) {
    if (ip.v4) return ip.bytes[0] == 224 && ip.bytes[1] == 0 && ip.bytes[2] == 0;
    return ip.bytes[0] == 0xFF && (ip.bytes[1] & 0x0F) == 2;
}

bool is_link_local_unicast(const Ip& ip) {
    if (ip.v4) return ip.bytes[0] == 169 && ip.bytes[1] == 254;
    return ip.bytes[0] == 0xFE && (ip.bytes[1] & 0xC0) == 0x80;
}

bool is_global_unicast(const Ip& ip) {
    bool broadcast =
        ip.v4 && std::all_of(ip.bytes.begin(), ip.bytes.begin() + 4, [](std::uint8_t b) { return b == 255; });
    return !broadcast && !is_unspecified(ip) && !is_loopback(ip) && !is_multicast(ip) && !is_link_local_unicast(ip);
}

}  // namespace atl::schema::cel
