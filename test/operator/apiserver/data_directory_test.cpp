// What the server says of a data directory that is not as it should be, and of a disk that takes no more.
#include "operator/apiserver/data_directory.h"

#include <gmock/gmock.h>

#include "test/operator/apiserver/server_fixture.h"

namespace atl::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DataDirectoryTest : public ServerFixture {
protected:
    /// What opening the server on this disk says; empty if it opens.
    std::string refusal() {
        ServerOptions options;
        options.data_directory = "data";
        options.vfs = disk.name();
        options.writer_runs = ServerOptions::WriterRuns::OnLoop;
        auto opened = Server::open(options, {loop, loop.random(), loop, disk, Log::none()});
        return opened.ok() ? "" : opened.error().message();
    }
};

TEST_F(DataDirectoryTest, SecretsThatOthersCanReadAreRefusedWithTheFileItsModeAndWhatToDo) {
    crash();
    ASSERT_TRUE(disk.write("data/tokens.csv", "t,u\n").ok());
    for (const char* file : {"data/secrets.key", "data/admin.token", "data/tokens.key", "data/tokens.csv"}) {
        for (const unsigned mode : {0644U, 0640U, 0602U}) {
            disk.modes = {{file, mode}};
            EXPECT_THAT(refusal(), HasSubstr("the file \"" + std::string(file) + "\" has mode 06")) << mode;
            EXPECT_THAT(refusal(), HasSubstr("`chmod 600 " + std::string(file) + "`"));
        }
        disk.modes = {{file, 0400U}};
        EXPECT_EQ(refusal(), "") << "a file that is read-only is fine";
    }
}

TEST_F(DataDirectoryTest, ADamagedDatabaseIsNamedWithWhatToDo) {
    crash();
    ASSERT_TRUE(disk.remove("data/store.db-wal").ok());
    ASSERT_TRUE(disk.write("data/store.db", "this is no database: " + std::string(4096, 'x')).ok());
    const std::string text = refusal();
    EXPECT_THAT(text, HasSubstr("the database \"data/store.db\" is damaged"));
    EXPECT_THAT(text, HasSubstr("put a backup in its place"));
}

TEST_F(DataDirectoryTest, AFullDiskIsNotReadyAndReadyAgainOnceThereIsRoom) {
    EXPECT_EQ(call("GET", "/readyz").text, "ok");
    disk.fails = [](const std::string& path) { return path.find("store.db") != std::string::npos; };
    EXPECT_EQ(call("GET", "/readyz").text, "ok") << "nobody has written yet";
    EXPECT_GE(call("POST", kConfigMaps, config_map("lost")).status, 500);
    const Answer full = call("GET", "/readyz");
    EXPECT_EQ(full.status, 503);
    EXPECT_THAT(full.text, HasSubstr("not ready: nothing can be stored ("));
    EXPECT_THAT(full.text, HasSubstr("free space on the disk"));
    EXPECT_EQ(call("GET", "/livez").status, 200) << "a restart would not help";
    EXPECT_EQ(call("GET", kConfigMaps).status, 200) << "reading goes on";
    disk.fails = nullptr;
    EXPECT_EQ(call("GET", "/readyz").text, "ok") << "nobody had to write for it";
    EXPECT_EQ(call("POST", kConfigMaps, config_map("kept")).status, 201);
    EXPECT_EQ(call("GET", kConfigMaps + "/lost").status, 404);
}

TEST_F(DataDirectoryTest, ACheckThatMayNotWaitHearsOfAFullDiskAndOfRoomAgain) {
    EXPECT_EQ(server->store_trouble(), "");
    disk.fails = [](const std::string& path) { return path.find("store.db") != std::string::npos; };
    EXPECT_GE(call("POST", kConfigMaps, config_map("lost")).status, 500);
    EXPECT_THAT(server->store_trouble(), HasSubstr("nothing can be stored ("));
    loop.run_for(std::chrono::seconds(1));
    EXPECT_THAT(server->store_trouble(), HasSubstr("free space on the disk"));
    disk.fails = nullptr;
    EXPECT_THAT(server->store_trouble(), HasSubstr("free space on the disk")) << "what the last write met";
    loop.run_for(std::chrono::seconds(1));
    EXPECT_EQ(server->store_trouble(), "") << "the question before this one tried the disk";
}

TEST_F(DataDirectoryTest, AConditionThatDoesNotHoldIsNoTroubleOfTheDisk) {
    ASSERT_EQ(call("POST", kConfigMaps, config_map("c")).status, 201);
    EXPECT_EQ(call("POST", kConfigMaps, config_map("c")).status, 409);
    EXPECT_EQ(call("GET", "/readyz").text, "ok");
}

}  // namespace
}  // namespace atl::apiserver
