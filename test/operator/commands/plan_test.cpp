#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "operator/commands/commands.h"

namespace atl::commands {
namespace {

/// What the command says of bad input, and its exit code; before any server is asked.
std::pair<int, std::string> plan_of(const PlanOptions& options) {
    testing::internal::CaptureStderr();
    const int code = plan(options);
    return {code, testing::internal::GetCapturedStderr()};
}

TEST(Plan, AFileThatIsNotThereIsExitCodeOneWithItsName) {
    const auto [code, said] = plan_of({{"/nowhere/stack.yaml"}, "", "atoll-system"});
    EXPECT_EQ(code, 1);
    EXPECT_NE(said.find("/nowhere/stack.yaml"), std::string::npos) << said;
}

TEST(Plan, AFieldThatDoesNotExistIsExitCodeOneWithFileAndField) {
    const auto path = std::filesystem::temp_directory_path() / "atoll-plan-test.yaml";
    std::ofstream(path) << "apiVersion: atoll.dev/v1alpha1\nkind: Stack\nmetadata: {name: shop}\n"
                           "spec: {clusterRef: {name: local}, services: [{name: web, contaner: {image: a}}]}\n";
    const auto [code, said] = plan_of({{path.string()}, "", "atoll-system"});
    std::filesystem::remove(path);
    EXPECT_EQ(code, 1);
    EXPECT_NE(said.find("contaner"), std::string::npos) << said;
    EXPECT_NE(said.find("atoll-plan-test.yaml"), std::string::npos) << said;
}

}  // namespace
}  // namespace atl::commands
