#include "cloud/docker/containers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::cloud::docker {
namespace {

using namespace std::chrono_literals;

Workload workload() {
    Workload web;
    web.path = web.name = "web";
    web.image = "busybox:local";
    return web;
}

TEST(Containers, PutLinksIntoTheEnvironmentByTheConsumersOwnWords) {
    Workload web = workload();
    web.links = {{"order-db", 5432, "db", "shop-db", 5432}, {"cache", 6379, "redis", "redis", 6379}};
    web.env = {{"CACHE_PORT", "1"}, {"A", "b=c"}};
    EXPECT_EQ(environment_of(web), (std::vector<std::string>{"A=b=c", "CACHE_HOST=redis", "CACHE_PORT=1",
                                                             "CACHE_URL=tcp://redis:6379", "ORDER_DB_HOST=shop-db",
                                                             "ORDER_DB_PORT=5432", "ORDER_DB_URL=tcp://shop-db:5432"}));
}

TEST(Containers, RefusesALinkWhosePortsDifferWithBothNumbers) {
    Workload web = workload();
    web.links = {{"db", 5432, "pg", "pg", 6432}};
    const auto result = check_workload(web);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "PortsDiffer");
    EXPECT_NE(result.error().message().find("5432"), std::string::npos);
    EXPECT_NE(result.error().message().find("6432"), std::string::npos);
    EXPECT_EQ(result.error().field(), "spec.services[web].consumes[db].port");
}

TEST(Containers, RefusesAStartupProbeAndSaysWhichCheckIsNotRun) {
    Workload web = workload();
    web.liveness = Probe{};
    web.readiness = Probe{};
    EXPECT_TRUE(check_workload(web).ok());
    bool said = false;
    for (const std::string& note : notes_of(web)) said = said || note.starts_with("livenessProbe: not run");
    EXPECT_TRUE(said);
    web.startup = Probe{};
    const auto result = check_workload(web);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().error_class(), ErrorClass::Unsupported);
    EXPECT_EQ(result.error().field(), "spec.services[web].container.startupProbe");
}

TEST(Containers, RefusesFilesThatNoEngineTakes) {
    for (const auto& [size, secret, fits] : {std::tuple(0, false, false),
                                             {1, false, true},
                                             {511'999, true, true},
                                             {512'000, true, false},
                                             {512'000, false, true},
                                             {1'024'000, false, false}}) {
        Workload web = workload();
        web.files = {{"/a", std::string(static_cast<std::size_t>(size), 'x'), secret, 0444}};
        EXPECT_EQ(check_workload(web).ok(), fits) << size << secret;
    }
}

TEST(Containers, RefusesSecretVariablesOfAnImagesOwnCommandWithoutShowingThem) {
    Workload web = workload();
    web.secret_env = {{"PASSWORD", "hunter2"}};
    const auto result = check_workload(web);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason(), "SecretInEnvironment");
    EXPECT_EQ(result.error().message().find("hunter2"), std::string::npos);
    web.command = {"serve"};
    EXPECT_TRUE(check_workload(web).ok());
    web.secret_env = {{"with-dash", "x"}};
    EXPECT_EQ(check_workload(web).error().reason(), "InvalidVariableName");
}

TEST(Containers, MovesSecretVariablesIntoAFile) {
    Workload web = workload();
    web.command = {"serve"};
    web.args = {"-p", "80"};
    web.secret_env = {{"PASSWORD", "it's"}};
    const Workload moved = with_secret_environment(web);
    ASSERT_EQ(moved.files.size(), 1U);
    EXPECT_TRUE(moved.files[0].secret);
    EXPECT_EQ(moved.files[0].content, "PASSWORD='it'\\''s'\n");
    EXPECT_EQ(moved.command.back(), "serve");
    EXPECT_EQ(moved.command.front(), "/bin/sh");
    EXPECT_EQ(moved.args, web.args);
    EXPECT_EQ(container_properties(moved).dump().find("it's"), std::string::npos);
}

TEST(Containers, RefusesAPortThatIsPublishedTwice) {
    Workload web = workload();
    web.published = {{80, 8080, "TCP", "a"}, {80, 8080, "UDP", "a"}};
    EXPECT_TRUE(check_workload(web).ok());
    web.published.push_back({80, 9090, "HTTP", "b"});
    EXPECT_EQ(check_workload(web).error().reason(), "PortPublishedTwice");
}

/// Runs a check's script in this machine's shell.
bool passes(const Properties& check) {
    const std::string script = check["command"][2];
    return std::system(("/bin/sh -c " + std::string("\"$SCRIPT\"")).c_str()) == 0 && !script.empty();
}

TEST(Containers, ATcpProbeLooksForTheListeningSocketWithTheShellAlone) {
    Workload web = workload();
    web.readiness = Probe{{}, "", 1, 0s, 1s, 1s, 3};
    const Properties check = health_check_of(web);
    ASSERT_EQ(check["command"][0], "/bin/sh");
    ::setenv("SCRIPT", check["command"][2].get<std::string>().c_str(), 1);
    EXPECT_FALSE(passes(check)) << "nothing listens on port 1";
    EXPECT_NE(check["command"][2].get<std::string>().find("*:0001\\ *"), std::string::npos);
}

/// Runs the check of an HTTP probe with nothing but this wget in the PATH; its exit code.
int check_with_wget(const std::string& body) {
    Workload web = workload();
    web.readiness = Probe{{}, "/", 1, 0s, 1s, 1s, 3};
    const auto folder = std::filesystem::path(testing::TempDir()) / ("wget-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "wget") << "#!/bin/sh\n" << body << "\n";
    std::filesystem::permissions(folder / "wget", std::filesystem::perms::owner_all);
    ::setenv("SCRIPT", health_check_of(web)["command"][2].get<std::string>().c_str(), 1);
    const int status = std::system(("PATH=" + folder.string() + " /bin/sh -c \"$SCRIPT\"").c_str());
    std::filesystem::remove_all(folder);
    return WEXITSTATUS(status);
}

TEST(Containers, AnHttpProbeBelievesItsToolButNotOneThatCrashes) {
    EXPECT_EQ(check_with_wget("exit 0"), 0);
    EXPECT_EQ(check_with_wget("exit 8"), 8);
    EXPECT_EQ(check_with_wget("kill -SEGV $$"), 1) << "the port decides, and nothing listens on port 1";
    EXPECT_EQ(check_with_wget("for word; do [ $word != -T ] || exit 9; done"), 0)
        << "the wget of Debian's busybox crashes at -T";
}

TEST(Containers, GivesAHealthCheckToTheEngineAndBackUnchanged) {
    Workload web = workload();
    EXPECT_TRUE(health_check_of(web).is_null());
    EXPECT_TRUE(health_check_from_engine(health_check_for_engine({})).is_null());
    web.liveness = Probe{{"check", "it"}, "", 0, 3s, 7s, 2s, 4};
    const Properties check = health_check_of(web);
    EXPECT_EQ(health_check_from_engine(health_check_for_engine(check)), check);
    EXPECT_EQ(health_check_for_engine(check)["Interval"], 7'000'000'000);
}

TEST(Containers, SaysWhatIsEmulated) {
    Workload web = workload();
    EXPECT_TRUE(notes_of(web).empty());
    web.readiness = Probe{{}, "/healthz", 80, 0s, 1s, 1s, 3};
    web.secret_env = {{"A", "b"}};
    web.volumes = {{"data", "/data", false, VolumeMount::Kind::Persistent, false, 1024}};
    EXPECT_EQ(notes_of(web).size(), 4U);
}

}  // namespace
}  // namespace atl::cloud::docker
