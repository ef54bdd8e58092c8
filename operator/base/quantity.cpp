#include "operator/base/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace atl {

namespace {

using Wide = __int128;
constexpr Wide kNano = 1'000'000'000;
// The largest amount, as in Kubernetes: 2^63-1 whole units.
constexpr Wide kMax = Wide{std::numeric_limits<std::int64_t>::max()} * kNano;

struct Suffix {
    std::string_view name;
    int power;  ///< of ten, or of two for the binary ones
    Quantity::Format format;
};
using enum Quantity::Format;
constexpr std::array<Suffix, 16> kSuffixes{{{"Ki", 10, BinarySi},
                                            {"Mi", 20, BinarySi},
                                            {"Gi", 30, BinarySi},
                                            {"Ti", 40, BinarySi},
                                            {"Pi", 50, BinarySi},
                                            {"Ei", 60, BinarySi},
                                            {"n", -9, DecimalSi},
                                            {"u", -6, DecimalSi},
                                            {"m", -3, DecimalSi},
                                            {"", 0, DecimalSi},
                                            {"k", 3, DecimalSi},
                                            {"M", 6, DecimalSi},
                                            {"G", 9, DecimalSi},
                                            {"T", 12, DecimalSi},
                                            {"P", 15, DecimalSi},
                                            {"E", 18, DecimalSi}}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

Error not_a_quantity(std::string_view text) {
    return invalid(
        "InvalidQuantity",
        "\"" + std::string(text.substr(0, 64)) +
            "\" is not a quantity: a number with an optional suffix of n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, "
            "Ti, Pi, Ei or an exponent, such as \"500m\", \"64Mi\" or \"1e3\"");
}

/// The digits of a number without its point; value = digits * 10^-scale.
struct Decimal {
    std::string digits;
    int scale = 0;
};

std::optional<Decimal> take_decimal(std::string_view& text) {
    Decimal number;
    std::size_t whole = 0;
    while (whole < text.size() && is_digit(text[whole])) ++whole;
    number.digits = std::string(text.substr(0, whole));
    text.remove_prefix(whole);
    std::size_t fraction = 0;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        while (fraction < text.size() && is_digit(text[fraction])) ++fraction;
        number.digits += text.substr(0, fraction);
        text.remove_prefix(fraction);
    }
    if (whole + fraction == 0) return std::nullopt;
    number.scale = static_cast<int>(std::min<std::size_t>(fraction, 100'000));
    return number;
}

std::optional<Suffix> find_suffix(std::string_view text) {
    for (const Suffix& suffix : kSuffixes)
        if (suffix.name == text) return suffix;
    if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
    text.remove_prefix(1);
    bool plus = text[0] == '+';
    if (plus) text.remove_prefix(1);
    int power = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), power);
    if (text.empty() || (plus && text[0] == '-') || code != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return Suffix{"", std::clamp(power, -100'000, 100'000), DecimalExponent};
}

/// value * 10^power, cut at kMax + 1 so that nothing overflows; rounded up.
Wide shift_decimal(Wide value, int power) {
    for (; power > 0 && value != 0; --power) {
        if (value > kMax) return kMax + 1;
        value *= 10;
    }
    bool rest = false;
    for (; power < 0 && value != 0; ++power) {
        rest = rest || value % 10 != 0;
        value /= 10;
    }
    return value + (rest ? 1 : 0);
}

/// The amount in billionths, rounded up, cut at kMax.
Wide billionths(Decimal number, const Suffix& suffix) {
    std::size_t first = number.digits.find_first_not_of('0');
    if (first == std::string::npos) return 0;
    number.digits.erase(0, first);
    // 36 digits fit beside a binary factor of up to 2^20 at a time; what is cut off only rounds up.
    bool rest = false;
    if (number.digits.size() > 28) {
        rest = number.digits.find_first_not_of('0', 28) != std::string::npos;
        number.scale -= static_cast<int>(number.digits.size()) - 28;
        number.digits.resize(28);
    }
    Wide value = 0;
    for (char digit : number.digits) value = value * 10 + (digit - '0');
    int power = 9 - number.scale;
    if (suffix.format != BinarySi) {
        value = shift_decimal(value, power + suffix.power);
    } else {
        int twos = suffix.power;
        // Multiply first while there is room: 1.1Ki must not lose its fraction.
        for (; twos > 0 && value <= (Wide{1} << 120); --twos) value *= 2;
        value = shift_decimal(value, power);
        for (; twos > 0 && value <= kMax; --twos) value *= 2;
    }
    return std::min(value + (rest ? 1 : 0), kMax);
}

std::string digits_of(Wide value) {
    if (value == 0) return "0";
    std::string text;
    for (; value > 0; value /= 10) text += static_cast<char>('0' + static_cast<int>(value % 10));
    std::reverse(text.begin(), text.end());
    return text;
}

std::string decimal_text(Wide value, Quantity::Format format) {
    int power = -9;
    while (power < 18 && value % 1000 == 0) {
        value /= 1000;
        power += 3;
    }
    if (format == DecimalExponent) return digits_of(value) + (power == 0 ? "" : "e" + std::to_string(power));
    for (const Suffix& suffix : kSuffixes)
        if (suffix.format == DecimalSi && suffix.power == power) return digits_of(value) + std::string(suffix.name);
    return digits_of(value);
}

std::string binary_text(Wide units) {
    int power = 0;
    while (power < 60 && units % 1024 == 0) {
        units /= 1024;
        power += 10;
    }
    for (const Suffix& suffix : kSuffixes)
        if (suffix.format == BinarySi && suffix.power == power) return digits_of(units) + std::string(suffix.name);
    return digits_of(units);
}

}  // namespace

Result<Quantity> Quantity::parse(std::string_view text) {
    std::string_view rest = text;
    bool negative = rest.starts_with('-');
    if (negative || rest.starts_with('+')) rest.remove_prefix(1);
    std::optional<Decimal> number = take_decimal(rest);
    if (!number) return not_a_quantity(text);
    std::optional<Suffix> suffix = find_suffix(rest);
    if (!suffix) return not_a_quantity(text);
    Quantity quantity;
    quantity.nano_ = billionths(std::move(*number), *suffix);
    if (negative) quantity.nano_ = -quantity.nano_;
    quantity.format_ = suffix->format;
    return quantity;
}

Quantity Quantity::from_bytes(std::int64_t bytes) {
    Quantity quantity;
    quantity.nano_ = Wide{bytes} * kNano;
    quantity.format_ = BinarySi;
    return quantity;
}

Quantity Quantity::from_nano(std::int64_t count) {
    Quantity quantity;
    quantity.nano_ = count;
    return quantity;
}

Result<std::int64_t> Quantity::nano() const {
    if (nano_ > std::numeric_limits<std::int64_t>::max() || nano_ < std::numeric_limits<std::int64_t>::min())
        return invalid("QuantityTooLarge", "\"" + to_string() + "\" is too large: the limit is 9223372036");
    return static_cast<std::int64_t>(nano_);
}

std::int64_t Quantity::units() const {
    Wide magnitude = nano_ < 0 ? -nano_ : nano_;
    Wide whole = (magnitude + kNano - 1) / kNano;
    return static_cast<std::int64_t>(nano_ < 0 ? -whole : whole);
}

std::string Quantity::to_string() const {
    if (nano_ == 0) return "0";
    std::string sign = nano_ < 0 ? "-" : "";
    Wide magnitude = nano_ < 0 ? -nano_ : nano_;
    // As in Kubernetes: below 1024, or with a fraction, binary amounts are written in decimal form.
    bool binary = format_ == BinarySi && magnitude % kNano == 0 && magnitude >= 1024 * kNano;
    if (binary) return sign + binary_text(magnitude / kNano);
    return sign + decimal_text(magnitude, format_ == BinarySi ? DecimalSi : format_);
}

}  // namespace atl
