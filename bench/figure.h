#pragma once

#include <cstdio>
#include <cstring>
#include <string>

namespace atl::bench {

/// Whether a figure should be large or small.
enum class Better { Higher, Lower };

/// One figure: what was measured, in which unit, and the budget of docs/ it is held to (0: none).
struct Figure {
    std::string name;
    double value = 0;
    std::string unit;
    double budget = 0;
    Better better = Better::Higher;
};

/// Prints the figure as one line of JSON, for scripts/bench.
inline void print(const Figure& figure) {
    std::printf(R"({"name":"%s","value":%.6g,"unit":"%s","budget":%.6g,"better":"%s"})"
                "\n",
                figure.name.c_str(), figure.value, figure.unit.c_str(), figure.budget,
                figure.better == Better::Higher ? "higher" : "lower");
    std::fflush(stdout);
}

/// Whether the program was started with --quick: measure for a few seconds only.
inline bool is_quick(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) return true;
    }
    return false;
}

}  // namespace atl::bench
