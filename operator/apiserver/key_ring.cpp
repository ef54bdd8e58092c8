#include "operator/apiserver/key_ring.h"

#include <array>
#include <charconv>
#include <memory>

#include <openssl/evp.h>

namespace atl::apiserver {

namespace {

constexpr char kFormat = 1;
constexpr std::size_t kKeySize = 32;
constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;
constexpr std::size_t kHeadSize = 1 + 4 + kNonceSize;

using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

const unsigned char* bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

int size(std::string_view text) {
    return static_cast<int>(text.size());
}

std::string id_bytes(std::uint32_t id) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(id >> shift & 0xffU));
    return text;
}

std::uint32_t id_of(std::string_view sealed) {
    std::uint32_t id = 0;
    for (std::size_t i = 1; i <= 4; ++i) id = id << 8U | static_cast<unsigned char>(sealed[i]);
    return id;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() != 2 * kKeySize) return std::nullopt;
    std::string key;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        unsigned value = 0;
        const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
        if (error != std::errc() || end != text.data() + i + 2) return std::nullopt;
        key.push_back(static_cast<char>(value));
    }
    return key;
}

std::string to_hex(std::string_view key) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (const char c : key) {
        text.push_back(kHex[static_cast<unsigned char>(c) >> 4U]);
        text.push_back(kHex[static_cast<unsigned char>(c) & 0x0fU]);
    }
    return text;
}

}  // namespace

KeyRing KeyRing::make(Random& random) {
    KeyRing ring;
    ring.rotate(random);
    return ring;
}

void KeyRing::rotate(Random& random) {
    std::uint32_t id = 0;
    while (id == 0 || keys_.contains(id)) id = static_cast<std::uint32_t>(random.next());
    keys_[id] = random.bytes(kKeySize);
    current_ = id;
}

Result<KeyRing> KeyRing::parse(std::string_view text) {
    KeyRing ring;
    for (int number = 1; !text.empty(); ++number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.empty()) continue;
        std::uint32_t id = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), id);
        const auto rest = line.substr(static_cast<std::size_t>(end - line.data()));
        auto key = rest.starts_with(' ') ? from_hex(rest.substr(1)) : std::nullopt;
        if (error != std::errc() || id == 0 || !key) {
            return invalid("BadKeyFile", "line " + std::to_string(number) +
                                             " of the key file is not an id and 64 hexadecimal digits");
        }
        if (ring.current_ == 0) ring.current_ = id;
        if (!ring.keys_.emplace(id, std::move(*key)).second) {
            return invalid("BadKeyFile", "line " + std::to_string(number) + " of the key file has the id " +
                                             std::to_string(id) + " of a line above it");
        }
    }
    if (ring.keys_.empty()) return invalid("BadKeyFile", "the key file holds no key");
    return ring;
}

std::string KeyRing::text() const {
    std::string text = std::to_string(current_) + " " + to_hex(keys_.at(current_)) + "\n";
    for (const auto& [id, key] : keys_) {
        if (id != current_) text += std::to_string(id) + " " + to_hex(key) + "\n";
    }
    return text;
}

std::string KeyRing::seal(std::string_view plain, std::string_view bound_to, Random& random) const {
    const std::string nonce = random.bytes(kNonceSize);
    std::string sealed = kFormat + id_bytes(current_) + nonce;
    sealed.resize(kHeadSize + plain.size() + kTagSize);
    const Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
    int written = 0;
    EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes(keys_.at(current_)), bytes(nonce));
    EVP_EncryptUpdate(context.get(), nullptr, &written, bytes(bound_to), size(bound_to));
    EVP_EncryptUpdate(context.get(), bytes(sealed) + kHeadSize, &written, bytes(plain), size(plain));
    EVP_EncryptFinal_ex(context.get(), bytes(sealed) + kHeadSize + plain.size(), &written);
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagSize, bytes(sealed) + kHeadSize + plain.size());
    return sealed;
}

Result<std::string> KeyRing::open(std::string_view sealed, std::string_view bound_to) const {
    const Error tampered(ErrorClass::Credentials, "Tampered", "an encrypted value in the store was changed or cut off");
    if (sealed.size() < kHeadSize + kTagSize || sealed[0] != kFormat) return tampered;
    const auto key = keys_.find(id_of(sealed));
    if (key == keys_.end()) {
        return Error(ErrorClass::Credentials, "UnknownKey",
                     "the key file lacks key " + std::to_string(id_of(sealed)) + ", which values in the store need");
    }
    const std::string_view nonce = sealed.substr(5, kNonceSize);
    const std::string_view text = sealed.substr(kHeadSize, sealed.size() - kHeadSize - kTagSize);
    std::string tag(sealed.substr(sealed.size() - kTagSize));
    std::string plain(text.size(), '\0');
    const Context context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
    int written = 0;
    EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, bytes(key->second), bytes(nonce));
    EVP_DecryptUpdate(context.get(), nullptr, &written, bytes(bound_to), size(bound_to));
    EVP_DecryptUpdate(context.get(), bytes(plain), &written, bytes(text), size(text));
    EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagSize, tag.data());
    if (EVP_DecryptFinal_ex(context.get(), bytes(plain) + plain.size(), &written) != 1) return tampered;
    return plain;
}

bool KeyRing::is_current(std::string_view sealed) const {
    return sealed.size() >= kHeadSize && sealed[0] == kFormat && id_of(sealed) == current_;
}

}  // namespace atl::apiserver
