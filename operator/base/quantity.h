#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "operator/base/result.h"

namespace atl {

/// A number as Kubernetes writes amounts (k8s.io/apimachinery resource.Quantity): "500m", "1.5Gi", "2e3", "64Mi".
///
/// Held in billionths. As there: finer fractions are rounded away from zero, numbers over 2^63-1 are cut to that.
class Quantity {
public:
    enum class Format { DecimalSi, BinarySi, DecimalExponent };

    Quantity() = default;
    /// Errors (Invalid): what is not a quantity, with what is allowed.
    static Result<Quantity> parse(std::string_view text);
    static Quantity from_bytes(std::int64_t bytes);
    static Quantity from_nano(std::int64_t billionths);

    /// In billionths ("500m" of a CPU is 500,000,000). An error (Invalid) if that does not fit.
    Result<std::int64_t> nano() const;
    /// In whole units, rounded away from zero, as Quantity.Value(): bytes of memory. Always fits.
    std::int64_t units() const;
    /// Canonical form: the same format as was read, no fraction, the largest suffix that allows it: "1.5Gi" is
    /// "1536Mi", "0.5" is "500m", "1000m" is "1".
    std::string to_string() const;
    bool is_negative() const { return nano_ < 0; }
    bool is_zero() const { return nano_ == 0; }

    /// Amounts compare by value: "1" equals "1000m".
    std::strong_ordering operator<=>(const Quantity& other) const { return nano_ <=> other.nano_; }
    bool operator==(const Quantity& other) const { return nano_ == other.nano_; }

private:
    __int128 nano_ = 0;
    Format format_ = Format::DecimalSi;
};

}  // namespace atl
