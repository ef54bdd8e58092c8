#pragma once

#include <string>
#include <string_view>

namespace atl {

/// SHA-256 of the text, 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view text);
/// HMAC-SHA-256 of the text under the key, 64 lower-case hexadecimal digits.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

}  // namespace atl
