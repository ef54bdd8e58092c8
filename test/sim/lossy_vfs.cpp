#include "test/sim/lossy_vfs.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace atl::sim {

namespace {

/// An open file. SQLite allocates it; the first member must be its own.
struct Handle {
    sqlite3_file base;
    LossyDisk* disk;
    std::string path;
    std::shared_ptr<LossyDisk::File> file;
    std::shared_ptr<LossyDisk::Locks> locks;
    std::uint64_t epoch;
    bool is_temporary;

    bool is_dead() const { return epoch != disk->epoch(); }
};

Handle& of(sqlite3_file* file) {
    return *reinterpret_cast<Handle*>(file);
}

LossyDisk& disk_of(sqlite3_vfs* vfs) {
    return *static_cast<LossyDisk*>(vfs->pAppData);
}

int close_file(sqlite3_file* file) {
    Handle& handle = of(file);
    handle.locks->levels.erase(&handle);
    handle.path.~basic_string();
    handle.file.~shared_ptr();
    handle.locks.~shared_ptr();
    return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset) {
    Handle& handle = of(file);
    if (handle.is_dead()) return SQLITE_IOERR_READ;
    const std::string& live = handle.file->live;
    const auto at = static_cast<std::size_t>(offset);
    const auto size = static_cast<std::size_t>(amount);
    const std::size_t there = at < live.size() ? std::min(size, live.size() - at) : 0;
    if (there > 0) std::memcpy(to, live.data() + at, there);
    if (there == size) return SQLITE_OK;
    std::memset(static_cast<char*>(to) + there, 0, size - there);
    return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
    Handle& handle = of(file);
    if (handle.is_dead()) return SQLITE_IOERR_WRITE;
    std::string& live = handle.file->live;
    const auto at = static_cast<std::size_t>(offset);
    const auto size = static_cast<std::size_t>(amount);
    if (live.size() < at + size) live.resize(at + size, '\0');
    std::memcpy(live.data() + at, from, size);
    handle.file->unsynced.emplace_back(at, size);
    return SQLITE_OK;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    Handle& handle = of(file);
    if (handle.is_dead()) return SQLITE_IOERR_TRUNCATE;
    handle.file->live.resize(static_cast<std::size_t>(size));
    return SQLITE_OK;
}

int sync_file(sqlite3_file* file, int) {
    Handle& handle = of(file);
    if (handle.is_dead() || !handle.disk->sync(handle.path, *handle.file)) return SQLITE_IOERR_FSYNC;
    return SQLITE_OK;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(of(file).file->live.size());
    return SQLITE_OK;
}

/// Shared locks exclude an exclusive one, and at most one holds more than a shared one.
int lock_file(sqlite3_file* file, int level) {
    Handle& handle = of(file);
    if (handle.is_dead()) return SQLITE_IOERR_LOCK;
    for (const auto& [other, held] : handle.locks->levels) {
        if (other == &handle) continue;
        const bool clashes = level == SQLITE_LOCK_SHARED      ? held >= SQLITE_LOCK_PENDING
                             : level == SQLITE_LOCK_EXCLUSIVE ? held >= SQLITE_LOCK_SHARED
                                                              : held >= SQLITE_LOCK_RESERVED;
        if (clashes) return SQLITE_BUSY;
    }
    int& held = handle.locks->levels[&handle];
    held = std::max(held, level);
    return SQLITE_OK;
}

int unlock_file(sqlite3_file* file, int level) {
    Handle& handle = of(file);
    handle.locks->levels[&handle] = level;
    return SQLITE_OK;
}

int check_reserved(sqlite3_file* file, int* is_reserved) {
    *is_reserved = 0;
    for (const auto& [other, held] : of(file).locks->levels) {
        if (held >= SQLITE_LOCK_RESERVED) *is_reserved = 1;
    }
    return SQLITE_OK;
}

int file_control(sqlite3_file*, int, void*) {
    return SQLITE_NOTFOUND;
}

int sector_size(sqlite3_file*) {
    return 512;
}

int device_characteristics(sqlite3_file*) {
    return 0;
}

int shm_map(sqlite3_file* file, int region, int size, int extends, void volatile** memory) {
    Handle& handle = of(file);
    auto& regions = handle.locks->regions;
    const auto index = static_cast<std::size_t>(region);
    *memory = nullptr;
    if (handle.is_dead()) return SQLITE_IOERR_SHMMAP;
    if (index >= regions.size() && extends == 0) return SQLITE_OK;
    while (regions.size() <= index) {
        regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
    }
    *memory = regions[index].get();
    return SQLITE_OK;
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    Handle& handle = of(file);
    LossyDisk::Locks& locks = *handle.locks;
    const bool is_exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    const bool is_unlock = (flags & SQLITE_SHM_UNLOCK) != 0;
    for (int slot = offset; slot < offset + count && !is_unlock; ++slot) {
        const auto owner = locks.exclusive.find(slot);
        if (owner != locks.exclusive.end() && owner->second != &handle) return SQLITE_BUSY;
        const auto& readers = locks.shared[slot];
        if (is_exclusive && readers.size() > readers.count(&handle)) return SQLITE_BUSY;
    }
    for (int slot = offset; slot < offset + count; ++slot) {
        auto& readers = locks.shared[slot];
        if (is_exclusive && is_unlock) locks.exclusive.erase(slot);
        if (is_exclusive && !is_unlock) locks.exclusive[slot] = &handle;
        if (!is_exclusive && !is_unlock) readers.insert(&handle);
        if (!is_exclusive && is_unlock && readers.contains(&handle)) readers.erase(readers.find(&handle));
    }
    return SQLITE_OK;
}

void shm_barrier(sqlite3_file*) {}

int shm_unmap(sqlite3_file* file, int) {
    Handle& handle = of(file);
    for (auto& [slot, readers] : handle.locks->shared) readers.erase(&handle);
    std::erase_if(handle.locks->exclusive, [&](const auto& entry) { return entry.second == &handle; });
    return SQLITE_OK;
}

const sqlite3_io_methods kMethods = {
    2,           close_file,     read_file,    write_file,  truncate_file,          sync_file, file_size, lock_file,
    unlock_file, check_reserved, file_control, sector_size, device_characteristics, shm_map,   shm_lock,  shm_barrier,
    shm_unmap,   nullptr,        nullptr};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_out) {
    LossyDisk& disk = disk_of(vfs);
    auto* handle = new (file) Handle{};
    handle->base.pMethods = &kMethods;
    handle->disk = &disk;
    handle->path = name == nullptr ? "" : name;
    handle->is_temporary = name == nullptr;
    handle->file = name == nullptr ? std::make_shared<LossyDisk::File>() : disk.open_file(name);
    handle->locks = name == nullptr ? std::make_shared<LossyDisk::Locks>() : disk.locks_of(name);
    handle->epoch = disk.epoch();
    if (flags_out != nullptr) *flags_out = flags;
    return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int) {
    static_cast<void>(disk_of(vfs).remove(name));
    return SQLITE_OK;
}

int access_file(sqlite3_vfs* vfs, const char* name, int, int* result) {
    *result = disk_of(vfs).exists(name) ? 1 : 0;
    return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
    const std::size_t length = std::strlen(name);
    if (length + 1 > static_cast<std::size_t>(size)) return SQLITE_CANTOPEN;
    std::memcpy(out, name, length + 1);
    return SQLITE_OK;
}

int randomness(sqlite3_vfs* vfs, int size, char* out) {
    const std::string bytes = disk_of(vfs).random().bytes(static_cast<std::size_t>(size));
    std::memcpy(out, bytes.data(), bytes.size());
    return size;
}

int sleep_not(sqlite3_vfs*, int microseconds) {
    return microseconds;
}

int current_time(sqlite3_vfs*, sqlite3_int64* time) {
    // 2026-01-01 in milliseconds of the Julian day.
    *time = 212'634'028'800'000;
    return SQLITE_OK;
}

int last_error(sqlite3_vfs*, int, char*) {
    return 0;
}

}  // namespace

LossyVfs::LossyVfs(LossyDisk& disk) {
    vfs_.iVersion = 2;
    vfs_.szOsFile = sizeof(Handle);
    vfs_.mxPathname = 512;
    vfs_.zName = disk.name().c_str();
    vfs_.pAppData = &disk;
    vfs_.xOpen = open_file;
    vfs_.xDelete = delete_file;
    vfs_.xAccess = access_file;
    vfs_.xFullPathname = full_path;
    vfs_.xRandomness = randomness;
    vfs_.xSleep = sleep_not;
    vfs_.xCurrentTimeInt64 = current_time;
    vfs_.xGetLastError = last_error;
    sqlite3_vfs_register(&vfs_, 0);
}

LossyVfs::~LossyVfs() {
    sqlite3_vfs_unregister(&vfs_);
}

}  // namespace atl::sim
