#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

namespace atl::bench {

/// Whether a figure should be large or small.
enum class Better { Higher, Lower };

/// One figure: what was measured, in which unit, and the budget it is held to, if it has one.
struct Figure {
    std::string name;
    double value = 0;
    std::string unit;
    std::optional<double> budget;
    Better better = Better::Higher;
};

/// Prints the figure as one line of JSON, for scripts/bench.
inline void print(const Figure& figure) {
    char budget[32] = "null";
    if (figure.budget) std::snprintf(budget, sizeof budget, "%.6g", *figure.budget);
    std::printf(R"({"name":"%s","value":%.6g,"unit":"%s","budget":%s,"better":"%s"})"
                "\n",
                figure.name.c_str(), figure.value, figure.unit.c_str(), budget,
                figure.better == Better::Higher ? "higher" : "lower");
    std::fflush(stdout);
}

/// How much is measured: Smoke shows only that the program works, in a second or two; its numbers mean nothing.
enum class Size { Smoke, Quick, Full };

/// What --smoke and --quick ask for; Full if neither is there.
inline Size size_of(int argc, char** argv) {
    Size size = Size::Full;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) size = Size::Quick;
        if (std::strcmp(argv[i], "--smoke") == 0) size = Size::Smoke;
    }
    return size;
}

/// The value for that size.
template <class T>
T chosen(Size size, T smoke, T quick, T full) {
    return size == Size::Smoke ? smoke : size == Size::Quick ? quick : full;
}

using Stopwatch = std::chrono::steady_clock;

inline double seconds_since(Stopwatch::time_point begun) {
    return std::chrono::duration<double>(Stopwatch::now() - begun).count();
}

/// Seconds of CPU that this process has used. What is told per core is measured by it: the machine may be busy
/// otherwise.
inline double cpu_seconds() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

/// What this process holds of the machine's memory, in MB (10^6 bytes).
inline double resident_mb() {
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double resident = 0;
    file >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// The value below which that share (0 to 1) of the samples lies; 0 without samples.
inline double percentile(std::vector<double> samples, double share) {
    if (samples.empty()) return 0;
    std::sort(samples.begin(), samples.end());
    return samples[std::min(samples.size() - 1, static_cast<std::size_t>(share * static_cast<double>(samples.size())))];
}

}  // namespace atl::bench
