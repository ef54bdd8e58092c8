#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "operator/base/files.h"
#include "operator/base/random.h"

namespace atl::sim {

/// A disk in memory that loses at a crash what was not synced: for Files and, as a file system of SQLite of the same
/// name, for databases.
///
/// A write to a database file is seen at once by every reader, and is durable only once the file was synced. crash()
/// throws away what was not, except that of each such write some sectors of 512 bytes, drawn by chance, survive: as on
/// a real disk. All that is open then is dead: it fails with an I/O error, and may be closed. Files::write is durable.
class LossyDisk final : public Files {
public:
    /// Registers the file system with SQLite; the name must be unused in this process.
    LossyDisk(std::string name, Random& random);
    LossyDisk(const LossyDisk&) = delete;
    LossyDisk& operator=(const LossyDisk&) = delete;
    ~LossyDisk() override;

    const std::string& name() const { return name_; }
    /// The power goes off and comes back.
    void crash();
    /// How often something was synced.
    std::uint64_t syncs() const { return syncs_; }
    /// Asked before each sync; true makes it fail, as a disk that is full or broken does.
    std::function<bool(const std::string& path)> fails;

    Result<std::string> read(const std::string& path) override;
    Result<Unit> write(const std::string& path, const std::string& content) override;
    Result<Unit> make_private_directory(const std::string& path) override;
    Result<Unit> remove(const std::string& path) override;
    Result<std::vector<std::string>> list(const std::string& path) override;
    bool exists(const std::string& path) override;
    Result<unsigned> mode(const std::string& path) override;
    /// The permission bits of files that are not private (0600).
    std::map<std::string, unsigned> modes;

    /// A file, as readers see it and as a crash would leave it. For the binding to SQLite.
    struct File {
        std::string live;
        std::string durable;
        std::vector<std::pair<std::size_t, std::size_t>> unsynced;  ///< offset, size
    };
    struct Locks;
    std::shared_ptr<File> open_file(const std::string& path);
    std::shared_ptr<Locks> locks_of(const std::string& path);
    bool sync(const std::string& path, File& file);
    std::uint64_t epoch() const { return epoch_; }
    Random& random() { return random_; }

private:
    std::string name_;
    Random& random_;
    std::uint64_t epoch_ = 1;
    std::uint64_t syncs_ = 0;
    std::map<std::string, std::shared_ptr<File>> files_;
    std::map<std::string, std::shared_ptr<Locks>> locks_;
    struct Binding;
    std::unique_ptr<Binding> binding_;
};

/// Who holds what of a database file. SQLite's five lock levels, and the eight slots of its shared memory.
struct LossyDisk::Locks {
    std::map<const void*, int> levels;
    std::vector<std::unique_ptr<char[]>> regions;
    std::map<int, const void*> exclusive;
    std::map<int, std::multiset<const void*>> shared;
};

}  // namespace atl::sim
