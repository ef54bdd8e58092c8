#include "operator/net/system_random.h"

#include <cstdlib>
#include <utility>

#include <sys/random.h>

namespace atl::net {

std::uint64_t SystemRandom::next() {
    if (left_ == 0) {
        // Requests of up to 256 bytes are never cut short (getrandom(2)).
        static_assert(sizeof(pool_) <= 256);
        if (::getrandom(pool_.data(), sizeof(pool_), 0) != static_cast<ssize_t>(sizeof(pool_))) std::abort();
        left_ = pool_.size();
    }
    --left_;
    return std::exchange(pool_[left_], 0);
}

}  // namespace atl::net
