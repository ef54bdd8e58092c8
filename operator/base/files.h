#pragma once

#include <string>
#include <vector>

#include "operator/base/result.h"

namespace atl {

/// The file system, as the process sees it. Production binds it to the system; tests to a map.
///
/// Errors: Invalid with FileNotFound or FileForbidden, else Transient with FileFailed; the message names the path,
/// never the content.
class Files {
public:
    virtual ~Files() = default;
    /// The whole file. Files above 256 MiB are refused (Invalid, FileTooLarge); a pipe is waited for, 30 s at most.
    virtual Result<std::string> read(const std::string& path) = 0;
    /// Puts the content in place at once: a reader, or a crash at any point, sees the old file or the new one, whole.
    /// The file has mode 0600 and is on the disk when this returns.
    virtual Result<Unit> write(const std::string& path, const std::string& content) = 0;
    /// Makes the directory, with its parents, if it is not there. One made here has mode 0700; one that is there and
    /// that others can enter is narrowed to 0700.
    virtual Result<Unit> make_private_directory(const std::string& path) = 0;
    /// Removes a file, a socket or an empty directory; one that is not there is success.
    virtual Result<Unit> remove(const std::string& path) = 0;
    /// The names in a directory, sorted, without "." and "..".
    virtual Result<std::vector<std::string>> list(const std::string& path) = 0;
    /// The permission bits of a file, such as 0600. Files that are in memory only are private.
    virtual Result<unsigned> mode(const std::string& path) {
        static_cast<void>(path);
        return 0600U;
    }
    /// Whether anything has this path.
    virtual bool exists(const std::string& path) = 0;
};

}  // namespace atl
