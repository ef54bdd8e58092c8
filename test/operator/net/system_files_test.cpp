#include "operator/net/system_files.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::net {
namespace {

class SystemFilesTest : public testing::Test {
protected:
    SystemFilesTest() {
        std::string pattern = testing::TempDir() + "/atoll-files-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
    }
    ~SystemFilesTest() override { std::filesystem::remove_all(directory_); }
    static unsigned mode_of(const std::string& path) {
        struct stat status{};
        return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0U;
    }

    SystemFiles files_;
    std::string directory_;
};

TEST_F(SystemFilesTest, WritesWholeFilesThatOnlyTheirOwnerReads) {
    const std::string path = directory_ + "/a";
    const std::string content("one\0two", 7);
    ASSERT_TRUE(files_.write(path, content).ok());
    EXPECT_EQ(*files_.read(path), content);
    EXPECT_EQ(mode_of(path), 0600U);
    ::chmod(path.c_str(), 0644);
    ASSERT_TRUE(files_.write(path, "").ok());
    EXPECT_EQ(*files_.read(path), "");
    EXPECT_EQ(mode_of(path), 0600U);
    EXPECT_THAT(*files_.list(directory_), testing::ElementsAre("a")) << "no temporary file is left";
}

TEST_F(SystemFilesTest, AFifoWithoutAWriterIsEmptyAndNoWaitForEver) {
    const std::string path = directory_ + "/fifo";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const auto content = files_.read(path);
    ASSERT_TRUE(content.ok()) << content.error().message();
    EXPECT_EQ(*content, "");
}

TEST_F(SystemFilesTest, LinksThatGoRoundInACircleAreAnError) {
    const std::string path = directory_ + "/self";
    ASSERT_EQ(::symlink("self", path.c_str()), 0);
    EXPECT_THAT(files_.read(path).error().message(), testing::HasSubstr(path));
}

TEST_F(SystemFilesTest, LeavesTheOldFileAndNothingElseWhenAWriteFails) {
    const std::string path = directory_ + "/folder";
    ASSERT_TRUE(files_.make_private_directory(path + "/inside").ok());
    EXPECT_FALSE(files_.write(path, "content").ok()) << "a directory is not replaced by a file";
    EXPECT_THAT(*files_.list(directory_), testing::ElementsAre("folder"));
    EXPECT_EQ(files_.write(directory_ + "/missing/a", "x").error().reason(), "FileNotFound");
}

TEST_F(SystemFilesTest, MakesDirectoriesPrivateAlsoThoseThatAreThere) {
    const std::string path = directory_ + "/x/y";
    ASSERT_TRUE(files_.make_private_directory(path).ok());
    EXPECT_EQ(mode_of(path), 0700U);
    ::chmod(path.c_str(), 0755);
    ASSERT_TRUE(files_.make_private_directory(path).ok());
    EXPECT_EQ(mode_of(path), 0700U);
    ASSERT_TRUE(files_.write(directory_ + "/file", "").ok());
    EXPECT_FALSE(files_.make_private_directory(directory_ + "/file").ok());
}

TEST_F(SystemFilesTest, TellsTheModeOfAFile) {
    const std::string path = directory_ + "/a";
    ASSERT_TRUE(files_.write(path, "").ok());
    EXPECT_EQ(*files_.mode(path), 0600U);
    ::chmod(path.c_str(), 0644);
    EXPECT_EQ(*files_.mode(path), 0644U);
    EXPECT_EQ(files_.mode(directory_ + "/none").error().reason(), "FileNotFound");
}

TEST_F(SystemFilesTest, NamesThePathOfWhatIsMissing) {
    const auto missing = files_.read(directory_ + "/none");
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().reason(), "FileNotFound");
    EXPECT_EQ(missing.error().error_class(), ErrorClass::Invalid);
    EXPECT_NE(missing.error().message().find(directory_ + "/none"), std::string::npos);
    EXPECT_EQ(files_.list(directory_ + "/none").error().reason(), "FileNotFound");
    EXPECT_EQ(files_.read(directory_).error().reason(), "FileFailed") << "a directory cannot be read";
}

TEST_F(SystemFilesTest, RemovesWhatIsThereAndDoesNotMindWhatIsNot) {
    const std::string path = directory_ + "/a";
    ASSERT_TRUE(files_.write(path, "x").ok());
    EXPECT_TRUE(files_.exists(path));
    EXPECT_TRUE(files_.remove(path).ok());
    EXPECT_FALSE(files_.exists(path));
    EXPECT_TRUE(files_.remove(path).ok());
    ASSERT_TRUE(files_.make_private_directory(directory_ + "/full/inside").ok());
    EXPECT_FALSE(files_.remove(directory_ + "/full").ok());
}

}  // namespace
}  // namespace atl::net
