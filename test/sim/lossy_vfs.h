#pragma once

#include <sqlite3.h>

#include "test/sim/lossy_disk.h"

namespace atl::sim {

/// Registers a LossyDisk as a file system of SQLite, as long as it lives.
class LossyVfs {
public:
    explicit LossyVfs(LossyDisk& disk);
    LossyVfs(const LossyVfs&) = delete;
    LossyVfs& operator=(const LossyVfs&) = delete;
    ~LossyVfs();

private:
    sqlite3_vfs vfs_{};
};

}  // namespace atl::sim
