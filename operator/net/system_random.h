#pragma once

#include <array>
#include <cstddef>

#include "operator/base/random.h"

namespace atl::net {

/// The kernel's secure source (getrandom). Fit for keys and tokens. The process ends if the kernel refuses, because
/// nothing safe can be done without it.
class SystemRandom final : public Random {
public:
    std::uint64_t next() override;

private:
    std::array<std::uint64_t, 32> pool_{};
    std::size_t left_ = 0;
};

}  // namespace atl::net
