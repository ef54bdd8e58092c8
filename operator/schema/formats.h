#pragma once

#include <string_view>

#include "operator/schema/structural.h"

namespace atl::schema {

/// Whether values of the type are checked against the format; all other formats are only documentation.
bool is_checked_format(ValueType type, std::string_view format);

/// Whether a string is of a (checked) string format: date-time, date, duration, byte, ipv4, ipv6, cidr, mac, uuid…,
/// email, hostname, uri, k8s-short-name, k8s-long-name and the others that kube-apiserver knows.
bool matches_format(std::string_view format, std::string_view text);

}  // namespace atl::schema
