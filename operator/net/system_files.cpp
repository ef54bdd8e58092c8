#include "operator/net/system_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::net {

namespace {

constexpr std::chrono::seconds kPipePatience{30};
constexpr std::size_t kLongestFile = std::size_t{256} * 1024 * 1024;

/// A descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }
    /// Closes now, because close may report a failed write.
    bool close() { return ::close(std::exchange(number_, -1)) == 0; }

private:
    int number_;
};

Error failure(int code, const std::string& what, const std::string& path) {
    const std::string message = what + " \"" + path + "\": " + std::generic_category().message(code);
    if (code == ENOENT || code == ENOTDIR) return invalid("FileNotFound", message);
    if (code == EACCES || code == EPERM || code == EROFS) return invalid("FileForbidden", message);
    return transient("FileFailed", message);
}

bool write_all(int descriptor, const std::string& content) {
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t count = ::write(descriptor, content.data() + done, content.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

/// Makes a rename in this directory last through a power cut.
void sync_directory(const std::string& path) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    const Descriptor directory(::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.number() >= 0) ::fsync(directory.number());
}

Result<Unit> write_temporary(Descriptor& file, const std::string& name, const std::string& content) {
    if (::fchmod(file.number(), 0600) != 0) return failure(errno, "setting the mode of", name);
    if (!write_all(file.number(), content)) return failure(errno, "writing", name);
    if (::fsync(file.number()) != 0) return failure(errno, "writing", name);
    if (!file.close()) return failure(errno, "writing", name);
    return ok();
}

/// Waits until a pipe or terminal has something to read.
bool wait_for_input(int descriptor) {
    struct pollfd wanted{descriptor, POLLIN, 0};
    const std::chrono::milliseconds patience = kPipePatience;
    return ::poll(&wanted, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace

Result<std::string> SystemFiles::read(const std::string& path) {
    // Of a FIFO without a writer nothing would ever come, not even from open().
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.number() < 0) return failure(errno, "opening", path);
    std::string content;
    char block[16384];
    while (true) {
        const ssize_t count = ::read(file.number(), block, sizeof(block));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN && wait_for_input(file.number())) continue;
        if (count < 0 && errno == EAGAIN)
            return transient("FileFailed", "nothing came out of \"" + path + "\" in 30 s");
        if (count < 0) return failure(errno, "reading", path);
        if (count == 0) return content;
        content.append(block, static_cast<std::size_t>(count));
        if (content.size() > kLongestFile) return invalid("FileTooLarge", "\"" + path + "\" is larger than 256 MiB");
    }
}

Result<Unit> SystemFiles::write(const std::string& path, const std::string& content) {
    std::string temporary = path + ".XXXXXX";
    Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.number() < 0) return failure(errno, "creating a file beside", path);
    Result<Unit> written = write_temporary(file, temporary, content);
    if (written.ok() && std::rename(temporary.c_str(), path.c_str()) != 0) {
        written = failure(errno, "replacing", path);
    }
    if (written.ok()) {
        sync_directory(path);
    } else {
        ::unlink(temporary.c_str());
    }
    return written;
}

Result<Unit> SystemFiles::make_private_directory(const std::string& path) {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent, error);
    if (error) return failure(error.value(), "making", parent.string());
    if (::mkdir(path.c_str(), 0700) == 0) return ok();
    if (errno != EEXIST) return failure(errno, "making", path);
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return failure(errno, "looking at", path);
    if (!S_ISDIR(status.st_mode)) return invalid("FileForbidden", "\"" + path + "\" is not a directory");
    const bool open_to_others = (status.st_mode & 0077U) != 0;
    if (open_to_others && ::chmod(path.c_str(), 0700) != 0) return failure(errno, "setting the mode of", path);
    return ok();
}

Result<Unit> SystemFiles::remove(const std::string& path) {
    if (std::remove(path.c_str()) == 0 || errno == ENOENT) return ok();
    return failure(errno, "removing", path);
}

Result<std::vector<std::string>> SystemFiles::list(const std::string& path) {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entry(path, error);
    while (!error && entry != std::filesystem::directory_iterator()) {
        names.push_back(entry->path().filename().string());
        entry.increment(error);
    }
    if (error) return failure(error.value(), "listing", path);
    std::sort(names.begin(), names.end());
    return names;
}

Result<unsigned> SystemFiles::mode(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return failure(errno, "looking at", path);
    return static_cast<unsigned>(status.st_mode) & 07777U;
}

bool SystemFiles::exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

}  // namespace atl::net
