#pragma once

#include <cstdint>
#include <string>

namespace atl {

/// Chance, as the process sees it. Production binds it to the system's secure source, simulation to a seeded one.
class Random {
public:
    virtual ~Random() = default;
    /// 64 random bits.
    virtual std::uint64_t next() = 0;

    /// Evenly distributed in [0, bound); 0 for a bound of 0.
    std::uint64_t below(std::uint64_t bound);
    /// Evenly distributed in [0, 1).
    double unit();
    /// So many random bytes, for keys and tokens.
    std::string bytes(std::size_t count);
    /// A version 4 UUID (RFC 9562), lower case.
    std::string uuid();
    /// So many characters of the alphabet that Kubernetes uses for generated names (no vowels, no look-alikes).
    std::string name_suffix(std::size_t count);
};

/// The seeded source (SplitMix64): the same seed gives the same numbers, on every machine.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() override;

private:
    std::uint64_t state_;
};

}  // namespace atl
