#include "operator/base/base64.h"

#include <algorithm>
#include <vector>

#include <openssl/evp.h>

namespace atl {

std::string encode_base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
    std::string compact(text);
    std::erase_if(compact, [](char c) { return c == '\n' || c == '\r'; });
    if (compact.size() % 4 != 0) return std::nullopt;
    // EVP_DecodeBlock takes padding anywhere; the standard wants it at the end only.
    const std::size_t first_padding = std::min(compact.find('='), compact.size());
    const std::size_t padding = compact.size() - first_padding;
    if (padding > 2 || compact.find_first_not_of('=', first_padding) != std::string::npos) return std::nullopt;
    std::string bytes(compact.size() / 4 * 3, '\0');
    const int length =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        reinterpret_cast<const unsigned char*>(compact.data()), static_cast<int>(compact.size()));
    if (length < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

}  // namespace atl
