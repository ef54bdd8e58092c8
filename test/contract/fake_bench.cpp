#include "test/contract/bench.h"

namespace atl::contract {

std::unique_ptr<Bench> fake_bench() {
    return nullptr;
}

}  // namespace atl::contract
