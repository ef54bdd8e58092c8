// What comparing costs: the pure difference between what is desired and what was observed.
#include <array>
#include <string>

#include "bench/figure.h"
#include "cloud/diff.h"

namespace atl::cloud {
namespace {

using bench::Better;

constexpr std::array<Field, 1> kMachineFields{{{"image", OnChange::Replace}}};
constexpr std::array<Kind, 2> kKinds{{{"network", {}}, {"machine", kMachineFields}}};

/// A network, and so many machines that refer to it.
Desired desired_of(int machines) {
    Desired desired;
    Resource network;
    network.key = {"network", "main"};
    network.properties = {{"cidr", "10.0.0.0/16"}};
    desired.add(network);
    const Properties network_id = make_reference({network.key, "id"});
    for (int i = 0; i < machines; ++i) {
        Resource machine;
        machine.key = {"machine", "pool-0/" + std::to_string(i % 3) + "/" + std::to_string(i)};
        machine.properties = {{"size", {{"cpu", 2}, {"memory", 4096}}},
                              {"image", "debian-12"},
                              {"network", network_id},
                              {"ports", {22, 2377, 7946}}};
        desired.add(std::move(machine));
    }
    return desired;
}

/// What stands there once all that is desired was made.
World made_of(const Desired& desired) {
    World world;
    for (const auto& [key, resource] : desired.resources) {
        Observed observed;
        observed.key = key;
        observed.id = "id-" + key.name;
        observed.state = State::Ready;
        observed.outputs = {{"id", observed.id}};
        if (key.kind == "machine") observed.uses = {"id-main"};
        world.resources.push_back(std::move(observed));
    }
    for (Observed& observed : world.resources) {
        observed.properties = resolve(desired.resources.at(observed.key).properties, world);
    }
    return world;
}

/// Milliseconds of CPU that one diff takes; a plan of another length than expected ends the program.
double time_of(const Desired& desired, const World& world, std::size_t steps) {
    const double begun = bench::cpu_seconds();
    const Plan plan = diff(desired, world, kKinds);
    const double spent = (bench::cpu_seconds() - begun) * 1000;
    if (plan.steps.size() != steps) std::exit(1);
    return spent;
}

void measure_big(int machines) {
    const Desired desired = desired_of(machines);
    const World world = made_of(desired);
    const std::size_t all = desired.resources.size();
    const std::string what = " of 10,000 resources";
    bench::print({"cloud: diff" + what + " that match", time_of(desired, world, 0), "ms of CPU", {}, Better::Lower});
    bench::print(
        {"cloud: diff" + what + " to be made", time_of(desired, World(), all), "ms of CPU", {}, Better::Lower});
    bench::print(
        {"cloud: diff" + what + " to be removed", time_of(nothing(), world, all), "ms of CPU", {}, Better::Lower});
}

void measure_passes(double wanted_seconds, int machines) {
    const Desired desired = desired_of(machines);
    const World world = made_of(desired);
    int passes = 0;
    const double begun = bench::cpu_seconds();
    while (bench::cpu_seconds() - begun < wanted_seconds) {
        time_of(desired, world, 0);
        ++passes;
    }
    const std::string name = "cloud: diffs of a network and " + std::to_string(machines) + " machines that match";
    bench::print({name, passes / (bench::cpu_seconds() - begun), "1/s/core", {}});
}

}  // namespace
}  // namespace atl::cloud

int main(int argc, char** argv) {
    using namespace atl;  // NOLINT(google-build-using-namespace): a program of one file
    const bench::Size size = bench::size_of(argc, argv);
    const double seconds = bench::chosen(size, 0.05, 0.4, 5.0);
    cloud::measure_passes(seconds, 3);
    cloud::measure_passes(seconds, 100);
    cloud::measure_big(bench::chosen(size, 100, 9999, 9999));
}
