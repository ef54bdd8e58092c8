#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::schema::cel {

/// An IPv4 or IPv6 address, without a zone.
struct Ip {
    bool v4 = true;
    std::array<std::uint8_t, 16> bytes{};  ///< an IPv4 address fills the first four
    bool operator==(const Ip&) const = default;
    int bits() const { return v4 ? 32 : 128; }
};

/// A network: an address and how many of its leading bits count.
struct Cidr {
    Ip ip;
    int prefix = 0;
    bool operator==(const Cidr&) const = default;
};

/// Strict: no leading zeroes, no zone, no IPv4 in IPv6.
std::optional<Ip> parse_ip(std::string_view text);
std::optional<Cidr> parse_cidr(std::string_view text);
std::string ip_text(const Ip& ip);
std::string cidr_text(const Cidr& cidr);

/// The network's address, with the bits behind the prefix at 0.
Cidr masked(const Cidr& cidr);
bool contains(const Cidr& network, const Ip& ip);
bool contains(const Cidr& network, const Cidr& inner);

/// What kind of address: unspecified, loopback, link-local multicast and unicast, global unicast.
bool is_unspecified(const Ip& ip);
bool is_loopback(const Ip& ip);
bool is_link_local_multicast(const Ip& ip);
bool is_link_local_unicast(const Ip& ip);
bool is_global_unicast(const Ip& ip);

}  // namespace atl::schema::cel
