#include "operator/base/random.h"

#include <regex>
#include <set>

#include <gtest/gtest.h>

namespace atl {
namespace {

/// Gives the numbers that it is told to, then the last one again and again.
class Told final : public Random {
public:
    explicit Told(std::vector<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}
    std::uint64_t next() override {
        const std::uint64_t number = numbers_.front();
        if (numbers_.size() > 1) numbers_.erase(numbers_.begin());
        return number;
    }

private:
    std::vector<std::uint64_t> numbers_;
};

TEST(Random, BelowHasNoFavourites) {
    // 2^64 is not a multiple of 3: its last number would make 0 come more often, and is passed over.
    EXPECT_EQ(Told({UINT64_MAX, 5}).below(3), 2U);
    EXPECT_EQ(Told({7}).below(0), 0U);
    EXPECT_EQ(Told({7}).below(1), 0U);
    SeededRandom random(1);
    int counts[6] = {};
    for (int i = 0; i < 60000; ++i) ++counts[random.below(6)];
    for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
}

TEST(Random, UnitIsNeverOne) {
    EXPECT_LT(Told({UINT64_MAX}).unit(), 1.0);
    EXPECT_EQ(Told({0}).unit(), 0.0);
}

TEST(Random, MakesVersion4Uuids) {
    const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    SeededRandom random(1);
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        const std::string uuid = random.uuid();
        EXPECT_TRUE(std::regex_match(uuid, form)) << uuid;
        seen.insert(uuid);
    }
    EXPECT_EQ(seen.size(), 1000U);
    EXPECT_TRUE(std::regex_match(Told({0}).uuid(), form));
    EXPECT_TRUE(std::regex_match(Told({UINT64_MAX}).uuid(), form));
}

TEST(Random, GivesBytesAndSuffixesOfTheLengthThatIsAskedFor) {
    SeededRandom random(1);
    for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 33U}) EXPECT_EQ(random.bytes(count).size(), count);
    EXPECT_TRUE(std::regex_match(random.name_suffix(200), std::regex("[bcdfghjklmnpqrstvwxz2456789]{200}")));
}

TEST(Random, TheSameSeedGivesTheSameNumbersOnEveryMachine) {
    SeededRandom random(0);
    EXPECT_EQ(random.next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4U);
}

}  // namespace
}  // namespace atl
