#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atl::cloud::docker {

/// A file of an archive.
struct TarFile {
    std::string path;  ///< without a leading slash
    std::string content;
    std::uint32_t mode = 0444;
};

/// A POSIX (ustar) archive of the files, owned by root, dated 1970; with GNU long names where a path has more than 100
/// bytes.
std::string tar_of(const std::vector<TarFile>& files);

}  // namespace atl::cloud::docker
