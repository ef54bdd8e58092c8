#include "operator/base/random.h"

namespace atl {

std::uint64_t Random::below(std::uint64_t bound) {
    if (bound == 0) return 0;
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
    std::uint64_t value = next();
    while (value >= limit) value = next();
    return value % bound;
}

double Random::unit() {
    return static_cast<double>(next() >> 11U) * 0x1.0p-53;
}

std::string Random::bytes(std::size_t count) {
    std::string text;
    text.reserve(count + 8);
    while (text.size() < count) {
        const std::uint64_t value = next();
        for (unsigned shift = 0; shift < 64; shift += 8) text.push_back(static_cast<char>(value >> shift & 0xffU));
    }
    text.resize(count);
    return text;
}

std::string Random::uuid() {
    std::string raw = bytes(16);
    raw[6] = static_cast<char>((static_cast<unsigned char>(raw[6]) & 0x0fU) | 0x40U);
    raw[8] = static_cast<char>((static_cast<unsigned char>(raw[8]) & 0x3fU) | 0x80U);
    constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
        const auto byte = static_cast<unsigned char>(raw[i]);
        text.push_back(kHex[byte >> 4U]);
        text.push_back(kHex[byte & 0x0fU]);
    }
    return text;
}

std::string Random::name_suffix(std::size_t count) {
    constexpr char kAlphabet[] = "bcdfghjklmnpqrstvwxz2456789";
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text.push_back(kAlphabet[below(sizeof(kAlphabet) - 1)]);
    return text;
}

std::uint64_t SeededRandom::next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

}  // namespace atl
