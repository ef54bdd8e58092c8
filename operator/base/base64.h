#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl {

/// Standard base64 with padding (RFC 4648, 4), as in a Secret's data and in a kubeconfig.
std::string encode_base64(std::string_view bytes);
/// nullopt for text that is not base64; line breaks are skipped.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace atl
