#pragma once

#include <cstdint>
#include <string_view>

#include "operator/base/files.h"
#include "operator/base/metrics.h"

namespace atl::observe {

/// What the kernel says about this process.
struct ProcessFacts {
    double cpu_seconds = 0;
    double resident_bytes = 0;
    double virtual_bytes = 0;
    double open_files = 0;
    double max_files = 0;
    double start_seconds = 0;  ///< since the epoch
};

/// Units of the kernel's tables.
struct ProcessUnits {
    double ticks_per_second = 100;
    double page_bytes = 4096;
};

/// Reads /proc; what cannot be read stays 0.
ProcessFacts read_process_facts(Files& files, ProcessUnits units = {});

/// Puts them into the process_ rows. `last` is what the call before this one gave: counters grow by the difference.
void record(Metrics& metrics, const ProcessFacts& facts, const ProcessFacts& last);

}  // namespace atl::observe
