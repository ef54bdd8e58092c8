// The sweep: crashes the operator at every external call, four points each, for every workload.
//   sweep                              everything
//   sweep --quick                      every 7th call
//   sweep --points 8                   so many points of each workload, spread over its calls
//   sweep --workload create --call 17 --point effect-done [--seed 1]      one failing point again
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "test/sweep/sweep.h"

namespace atl::sweep {
namespace {

struct Options {
    std::uint64_t seed = 1;
    std::string workload;
    std::optional<std::uint64_t> call;
    std::string point;
    std::uint64_t stride = 1;
    std::uint64_t first = 0;   ///< with stride: a slice of the calls, for a second process
    std::uint64_t points = 0;  ///< so many for each workload, spread over its calls and over the kinds of point; 0: all
};

struct Totals {
    std::size_t workloads = 0;
    std::uint64_t calls = 0;
    std::uint64_t points = 0;
    std::uint64_t violations = 0;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string flag = argv[i];
        if (flag == "--quick") {
            options.stride = 7;
            continue;
        }
        if (i + 1 >= argc) throw std::invalid_argument(flag + " needs a value");
        const std::string value = argv[++i];
        if (flag == "--slice") {  // "1/2": the second half of the calls, interleaved
            options.first = std::stoull(value.substr(0, value.find('/')));
            options.stride = std::stoull(value.substr(value.find('/') + 1));
        } else if (flag == "--points")
            options.points = std::stoull(value);
        else if (flag == "--seed")
            options.seed = std::stoull(value);
        else if (flag == "--workload")
            options.workload = value;
        else if (flag == "--call")
            options.call = std::stoull(value);
        else if (flag == "--point")
            options.point = value;
        else
            throw std::invalid_argument("unknown flag " + flag);
    }
    return options;
}

void report(const Script& script, std::optional<Strike> strike, const Options& options, const Run& run) {
    for (const std::string& violation : run.violations) {
        std::printf("violation: %s\n  again: scripts/sweep --workload %s", violation.c_str(), script.name.c_str());
        if (strike) {
            std::printf(" --call %llu --point %s", static_cast<unsigned long long>(strike->call),
                        to_string(strike->point).c_str());
        }
        std::printf(" --seed %llu\n", static_cast<unsigned long long>(options.seed));
    }
    std::fflush(stdout);
}

/// The calls of each workload when the file was last written: fewer now means that the sweep has lost sight of
/// something.
nlohmann::json known_calls() {
    std::ifstream stream(std::string(ATOLL_SOURCE_DIR) + "/test/data/sweep-calls.json");
    return nlohmann::json::parse(stream, nullptr, false);
}

/// Where a workload of so many calls is crashed.
std::vector<Strike> strikes(const Options& options, std::uint64_t calls) {
    std::vector<Strike> all;
    for (std::uint64_t i = 0; i < options.points; ++i) {
        all.push_back({i * calls / options.points, kPoints[i % std::size(kPoints)]});
    }
    if (options.points > 0) return all;
    for (std::uint64_t call = options.call.value_or(options.first); call < calls; call += options.stride) {
        for (const sim::Point point : kPoints) {
            if (options.point.empty() || options.point == to_string(point)) all.push_back({call, point});
        }
        if (options.call) break;
    }
    return all;
}

void sweep_script(const Script& script, const Options& options, Totals& totals) {
    const Run reference = run(script, options.seed, std::nullopt);
    report(script, std::nullopt, options, reference);
    totals.violations += reference.violations.size();
    totals.calls += reference.calls;
    ++totals.workloads;
    const nlohmann::json known = known_calls();
    if (known.is_object() && reference.calls < known.value(script.name, std::uint64_t{0})) {
        std::printf("violation: %s makes %llu calls, test/data/sweep-calls.json knows %llu\n", script.name.c_str(),
                    static_cast<unsigned long long>(reference.calls),
                    static_cast<unsigned long long>(known.value(script.name, std::uint64_t{0})));
        ++totals.violations;
    }
    const auto each = [&](const Strike& strike, const Run& struck) {
        report(script, strike, options, struck);
        totals.violations += struck.violations.size();
        ++totals.points;
        return true;
    };
    run_each(script, options.seed, strikes(options, reference.calls), each, &reference.picture);
    std::printf("%s: %llu calls\n", script.name.c_str(), static_cast<unsigned long long>(reference.calls));
    std::fflush(stdout);
}

int sweep(const Options& options) {
    Totals totals;
    for (const Script& script : scripts()) {
        if (options.workload.empty() || options.workload == script.name) sweep_script(script, options, totals);
    }
    std::printf("sweep: %zu workloads, %llu calls, %llu points, %llu violations\n", totals.workloads,
                static_cast<unsigned long long>(totals.calls), static_cast<unsigned long long>(totals.points),
                static_cast<unsigned long long>(totals.violations));
    return totals.violations == 0 && totals.workloads > 0 ? 0 : 1;
}

}  // namespace
}  // namespace atl::sweep

int main(int argc, char** argv) {
    try {
        return atl::sweep::sweep(atl::sweep::parse(argc, argv));
    } catch (const std::exception& error) {
        std::cerr << "sweep: " << error.what() << "\n";
        return 2;
    }
}
