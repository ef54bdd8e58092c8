#include "operator/commands/command_line.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atl::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Ran {
    int code = 0;
    std::string out;
    std::string error;
};

Ran run(std::vector<const char*> words) {
    words.insert(words.begin(), "atoll");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Ran ran;
    ran.code = run_command_line(static_cast<int>(words.size()), words.data());
    ran.out = testing::internal::GetCapturedStdout();
    ran.error = testing::internal::GetCapturedStderr();
    return ran;
}

TEST(CommandLine, AMistakeIsOneLineWithTheNearestNameAndExitCode1) {
    struct Row {
        std::vector<const char*> words;
        const char* line;
    };
    const Row rows[] = {
        {{},
         "atoll: a command is required: up, operator, plan, describe, guard, check, orphans, move, rbac, matrix, crds"},
        {{"pln"}, "atoll: unknown command \"pln\"; did you mean \"plan\"? (see atoll --help)"},
        {{"xyzzy"}, "atoll: unknown command \"xyzzy\" (see atoll --help)"},
        {{"--versoin"}, "atoll: unknown option \"--versoin\""},
        {{"plan", "-f", "x", "--kubeconf", "y"},
         "atoll plan: unknown option \"--kubeconf\"; did you mean \"--kubeconfig\"?"},
        {{"plan", "-f", "x", "--kubeconf=y"}, "atoll plan: unknown option \"--kubeconf\"; did you mean"},
        {{"up", "--prot", "1"}, "atoll up: unknown option \"--prot\"; did you mean \"--port\"? (see atoll up --help)"},
        {{"up", "extra"}, "atoll up: unknown argument \"extra\""},
        {{"plan"}, "atoll plan: --filename is required"},
        {{"plan", "-f"}, "atoll plan: --filename"},
        {{"up", "--port", "70000"}, "atoll up: --port"},
        {{"up", "--port", "-1"}, "atoll up: --port"},
        {{"up", "--port", "http"}, "atoll up: --port"},
        {{"up", "--address", "localhost"}, "atoll up: --address: \"localhost\" is not an IP address such as"},
        {{"describe", "-n", "A B"}, "atoll describe: --namespace: \"A B\": a lowercase RFC 1123 label"},
        {{"up", "--log-level", "loud"}, "atoll up: --log-level: loud not in {debug,info,error}"},
    };
    for (const Row& row : rows) {
        const Ran ran = run(row.words);
        EXPECT_EQ(ran.code, 1) << row.line;
        EXPECT_THAT(ran.error, StartsWith(row.line));
        EXPECT_EQ(std::count(ran.error.begin(), ran.error.end(), '\n'), 1) << ran.error;
        EXPECT_EQ(ran.out, "") << "no page of usage for a mistake: " << row.line;
    }
}

TEST(CommandLine, AnErrorOfACommandIsOneLineWithoutUsage) {
    const Ran ran = run({"plan", "-f", "/nonexistent.yaml"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.error, "atoll plan: opening \"/nonexistent.yaml\": No such file or directory\n");
    EXPECT_EQ(ran.out, "");
}

TEST(CommandLine, EachCommandsHelpNamesItsOptionsDefaultsAndExitCodes) {
    const std::string page = options_page();
    for (const char* command :
         {"up", "operator", "plan", "describe", "guard", "rbac", "matrix", "crds", "options", "version"}) {
        const Ran ran = run({command, "--help"});
        EXPECT_EQ(ran.code, 0) << command;
        EXPECT_THAT(ran.out, HasSubstr("Exit codes: 0 done; 1 an error")) << command;
        EXPECT_THAT(page, HasSubstr(std::string("\n## atoll ") + command + "\n"));
    }
    const Ran up = run({"up", "--help"});
    EXPECT_THAT(up.out, HasSubstr("--address IP=127.0.0.1"));
    EXPECT_THAT(up.out, HasSubstr("ATOLL_DATA_DIR"));
    EXPECT_THAT(run({"operator", "--help"}).out, HasSubstr("--namespace NAME=atoll-system"));
}

TEST(CommandLine, TheVersionAndHelpAreFoundInEveryWayThatPeopleTry) {
    const Ran version = run({"version"});
    EXPECT_THAT(version.out, StartsWith("atoll "));
    const Ran flag = run({"--version"});
    EXPECT_EQ(flag.code, 0);
    EXPECT_EQ(flag.out, version.out);

    EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
    EXPECT_EQ(run({"help"}).code, 0);
    for (const char* command : {"up", "operator", "plan", "describe", "guard", "check", "rbac", "matrix", "crds",
                                "options", "version", "help"}) {
        const Ran help = run({"help", command});
        EXPECT_EQ(help.code, 0) << command;
        EXPECT_EQ(help.out, run({command, "--help"}).out);
        EXPECT_THAT(help.out, HasSubstr(std::string("atoll ") + command)) << "usage has the whole command";
        EXPECT_EQ(help.error, "");
    }
    const Ran unknown = run({"help", "pln"});
    EXPECT_EQ(unknown.code, 1);
    EXPECT_EQ(unknown.error, "atoll help: unknown command \"pln\"; did you mean \"plan\"? (see atoll --help)\n");
}

TEST(CommandLine, TheEnvironmentStandsInForOptions) {
    ::setenv("ATOLL_LOG_LEVEL", "loud", 1);
    const Ran ran = run({"operator", "--kubeconfig", "/nonexistent"});
    ::unsetenv("ATOLL_LOG_LEVEL");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.error, HasSubstr("--log-level: loud not in {debug,info,error}"));
}

TEST(CommandLine, ThePageInTheDocumentationIsThatOfTheCode) {
    std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/docs/reference/options.md");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), options_page()) << "run: build/release/atoll options > docs/reference/options.md";
    EXPECT_THAT(options_page(), Not(HasSubstr("/root"))) << "nothing of the machine that printed it";
}

}  // namespace
}  // namespace atl::commands
