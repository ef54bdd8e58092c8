#include "cloud/matrix.h"

#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace atl::cloud {
namespace {

TEST(Matrix, HasEveryPairOnce) {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    std::set<std::string_view> infrastructures;
    std::set<std::string_view> orchestrators;
    for (const Cell& cell : matrix()) {
        EXPECT_TRUE(seen.emplace(cell.infrastructure, cell.orchestrator).second);
        infrastructures.insert(cell.infrastructure);
        orchestrators.insert(cell.orchestrator);
    }
    EXPECT_EQ(seen.size(), infrastructures.size() * orchestrators.size());
}

TEST(Matrix, HasThe22PairsOfTheSourceAndEksBesideOurOwn) {
    int legal = 0;
    for (const Cell& cell : matrix()) {
        const bool ours =
            cell.infrastructure == "existing" || (cell.infrastructure == "local" && cell.orchestrator == "none");
        if (cell.state != CellState::Nonsense && !ours && cell.orchestrator != "eks") ++legal;
    }
    EXPECT_EQ(legal, 22);
    EXPECT_EQ(find_cell("aws", "eks")->state, CellState::Planned);
}

TEST(Matrix, NamesOnlyTestsThatExist) {
    for (const Cell& cell : matrix()) {
        if (cell.state != CellState::Done) continue;
        EXPECT_TRUE(std::filesystem::exists(std::string(ATOLL_SOURCE_DIR) + "/" + std::string(cell.proof)))
            << cell.proof;
    }
}

TEST(Matrix, RefusesWithTheReasonAndWhatIsPossible) {
    EXPECT_TRUE(check_pair("local", "swarm").ok());
    struct Case {
        const char* infrastructure;
        const char* orchestrator;
        const char* why;
    };
    for (const Case& c : {Case{"local", "ecs", "service of AWS"}, Case{"aws", "ecs", "planned"},
                          Case{"moon", "none", "not a pair that exists"}, Case{"", "", "not a pair that exists"}}) {
        const auto result = check_pair(c.infrastructure, c.orchestrator);
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.error().error_class(), ErrorClass::Unsupported);
        EXPECT_NE(result.error().message().find(c.why), std::string::npos) << result.error().message();
        EXPECT_NE(result.error().message().find("local with swarm"), std::string::npos);
    }
}

}  // namespace
}  // namespace atl::cloud
