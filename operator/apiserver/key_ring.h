#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "operator/base/random.h"
#include "operator/base/result.h"

namespace atl::apiserver {

/// The keys that encrypt values at rest: AES-256-GCM. The first one encrypts, all of them decrypt.
///
/// As text, which is what the key file holds: one line a key, `<id> <64 hexadecimal digits>`, the current one first. To
/// rotate, put a new line on top and restart: everything is encrypted anew, then the old line may go.
class KeyRing {
public:
    /// One fresh key.
    static KeyRing make(Random& random);
    /// Errors: Invalid with the line's number; never with its content.
    static Result<KeyRing> parse(std::string_view text);
    /// The text form of all keys.
    std::string text() const;
    /// Puts a fresh key on top.
    void rotate(Random& random);

    /// The sealed form: format, key id, nonce, ciphertext, tag. `bound_to` must be the same when it is opened: a value
    /// cannot be moved to another object.
    std::string seal(std::string_view plain, std::string_view bound_to, Random& random) const;
    /// Errors: Credentials with the reason UnknownKey or Tampered.
    Result<std::string> open(std::string_view sealed, std::string_view bound_to) const;
    /// Whether the value was sealed with the current key.
    bool is_current(std::string_view sealed) const;

private:
    std::uint32_t current_ = 0;
    std::map<std::uint32_t, std::string> keys_;
};

}  // namespace atl::apiserver
