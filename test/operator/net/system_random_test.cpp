#include "operator/net/system_random.h"

#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "operator/net/system_environment.h"

namespace atl::net {
namespace {

TEST(SystemRandom, DoesNotRepeatItself) {
    SystemRandom one;
    SystemRandom other;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) {
        seen.insert(one.next());
        seen.insert(other.next());
    }
    EXPECT_EQ(seen.size(), 2000U);
    EXPECT_NE(one.uuid(), other.uuid());
}

TEST(SystemEnvironment, TellsUnsetFromEmpty) {
    ::setenv("ATOLL_TEST_EMPTY", "", 1);
    ::unsetenv("ATOLL_TEST_UNSET");
    const SystemEnvironment environment;
    EXPECT_EQ(environment.get("ATOLL_TEST_EMPTY"), "");
    EXPECT_EQ(environment.get("ATOLL_TEST_UNSET"), std::nullopt);
}

}  // namespace
}  // namespace atl::net
