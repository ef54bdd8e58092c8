#include "test/sim/lossy_disk.h"

#include <algorithm>
#include <utility>

#include "test/sim/lossy_vfs.h"

namespace atl::sim {

namespace {

constexpr std::size_t kSector = 512;

/// Puts a range of `from` into `to`.
void copy_range(const std::string& from, std::string& to, std::size_t offset, std::size_t size) {
    const std::size_t end = std::min(offset + size, from.size());
    if (offset >= end) return;
    if (to.size() < end) to.resize(end, '\0');
    to.replace(offset, end - offset, from, offset, end - offset);
}

}  // namespace

struct LossyDisk::Binding {
    explicit Binding(LossyDisk& disk) : vfs(disk) {}
    LossyVfs vfs;
};

LossyDisk::LossyDisk(std::string name, Random& random)
    : name_(std::move(name)), random_(random), binding_(std::make_unique<Binding>(*this)) {}

LossyDisk::~LossyDisk() = default;

void LossyDisk::crash() {
    ++epoch_;
    locks_.clear();
    std::map<std::string, std::shared_ptr<File>> left;
    for (auto& [path, file] : files_) {
        for (const auto& [offset, size] : file->unsynced) {
            for (std::size_t at = offset; at < offset + size; at += kSector) {
                if (random_.below(2) == 0)
                    copy_range(file->live, file->durable, at, std::min(kSector, offset + size - at));
            }
        }
        // A file of its own: what is still open writes into the void.
        auto survivor = std::make_shared<File>();
        survivor->live = survivor->durable = std::move(file->durable);
        left.emplace(path, std::move(survivor));
    }
    files_ = std::move(left);
}

bool LossyDisk::sync(const std::string& path, File& file) {
    if (fails && fails(path)) return false;
    ++syncs_;
    for (const auto& [offset, size] : file.unsynced) copy_range(file.live, file.durable, offset, size);
    file.durable.resize(file.live.size());
    file.unsynced.clear();
    return true;
}

std::shared_ptr<LossyDisk::File> LossyDisk::open_file(const std::string& path) {
    auto& file = files_[path];
    if (!file) file = std::make_shared<File>();
    return file;
}

std::shared_ptr<LossyDisk::Locks> LossyDisk::locks_of(const std::string& path) {
    auto& locks = locks_[path];
    if (!locks) locks = std::make_shared<Locks>();
    return locks;
}

Result<std::string> LossyDisk::read(const std::string& path) {
    const auto found = files_.find(path);
    if (found == files_.end()) return invalid("FileNotFound", "there is no file \"" + path + "\"");
    return found->second->live;
}

Result<Unit> LossyDisk::write(const std::string& path, const std::string& content) {
    auto file = open_file(path);
    file->live = file->durable = content;
    file->unsynced.clear();
    return ok();
}

Result<Unit> LossyDisk::make_private_directory(const std::string&) {
    return ok();
}

Result<Unit> LossyDisk::remove(const std::string& path) {
    files_.erase(path);
    return ok();
}

Result<std::vector<std::string>> LossyDisk::list(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& [name, file] : files_) {
        if (name.starts_with(path + "/")) names.push_back(name.substr(path.size() + 1));
    }
    return names;
}

Result<unsigned> LossyDisk::mode(const std::string& path) {
    const auto found = modes.find(path);
    return found == modes.end() ? 0600U : found->second;
}

bool LossyDisk::exists(const std::string& path) {
    const auto below = files_.lower_bound(path);
    return below != files_.end() && (below->first == path || below->first.starts_with(path + "/"));
}

}  // namespace atl::sim
