#include "operator/base/log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test/sim/sim_loop.h"

namespace atl {
namespace {

class LogTest : public testing::Test {
protected:
    Log log(LogLevel level = LogLevel::Debug) {
        return {loop_, level, [this](const std::string& line) { lines_.push_back(line); }};
    }
    sim::SimLoop loop_;
    std::vector<std::string> lines_;
};

TEST_F(LogTest, ALineIsOneObjectWithTimeLevelAndMessageFirst) {
    log().info("Starting", {{key::kCount, std::int64_t{3}}, {key::kError, std::string("a \"b\"\nc")}});
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_EQ(lines_[0].find('\n'), std::string::npos) << "a line break in a value must not break the line";
    const auto line = nlohmann::ordered_json::parse(lines_[0]);
    EXPECT_EQ(line.begin().key(), "ts");
    EXPECT_EQ(line["level"], "info");
    EXPECT_EQ(line["msg"], "Starting");
    EXPECT_EQ(line["count"], 3);
    EXPECT_EQ(line["error"], "a \"b\"\nc");
}

TEST_F(LogTest, LeavesOutWhatIsBelowItsLevel) {
    const Log quiet = log(LogLevel::Error);
    quiet.debug("Looking");
    quiet.info("Starting");
    quiet.error("Failing");
    EXPECT_EQ(lines_.size(), 1U);
    Log::none().error("Failing");
    EXPECT_EQ(lines_.size(), 1U);
}

TEST_F(LogTest, FieldsOfItsOwnStandInEveryLineAndALaterOneWins) {
    const Log outer = log().with({{key::kController, std::string("stack")}, {key::kCount, std::int64_t{1}}});
    outer.info("Starting", {{key::kCount, std::int64_t{2}}});
    log().info("Starting");
    EXPECT_EQ(nlohmann::json::parse(lines_[0])["controller"], "stack");
    EXPECT_EQ(nlohmann::json::parse(lines_[0])["count"], 2);
    EXPECT_FALSE(nlohmann::json::parse(lines_[1]).contains("controller")) << "the first log is as it was";
}

TEST_F(LogTest, BytesThatAreNoTextDoNotThrow) {
    log().info("Failing", {{key::kError, std::string("\xff\xfe\0x", 4)}});
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_FALSE(nlohmann::json::parse(lines_[0], nullptr, false).is_discarded());
}

}  // namespace
}  // namespace atl
