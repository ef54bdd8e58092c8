#include "cloud/docker/tar.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace atl::cloud::docker {
namespace {

TEST(Tar, IsReadByTar) {
    const auto dir = std::filesystem::temp_directory_path() / ("atoll-tar-" + std::to_string(std::rand()));
    std::filesystem::create_directories(dir);
    const std::string long_path = "deep/" + std::string(120, 'd') + "/file";
    const std::string binary("\0\xff\n", 3);
    std::ofstream(dir / "a.tar") << tar_of({{"etc/app.conf", "a=1\n", 0644},
                                            {"empty", "", 0400},
                                            {long_path, binary, 0444},
                                            {"block", std::string(512, 'x'), 0444}});
    const std::string command = "tar -C " + dir.string() + " -xf " + (dir / "a.tar").string();
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto read = [&](const std::string& path) {
        std::stringstream text;
        text << std::ifstream(dir / path).rdbuf();
        return text.str();
    };
    EXPECT_EQ(read("etc/app.conf"), "a=1\n");
    EXPECT_EQ(read(long_path), binary);
    EXPECT_EQ(std::filesystem::file_size(dir / "empty"), 0U);
    EXPECT_EQ(std::filesystem::file_size(dir / "block"), 512U);
    EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(dir / "empty").permissions()), 0400U);
    std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace atl::cloud::docker
