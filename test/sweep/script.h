#pragma once

#include <functional>
#include <string>
#include <vector>

#include "test/sweep/world.h"

namespace atl::sweep {

/// One workload of the sweep: what people do, and what must be true in the end.
struct Script {
    std::string name;
    /// Brings the world to where the act begins; without faults.
    std::function<void(World&)> prepare;
    /// What people do; the operator may be crashed at each call from here on.
    std::function<void(World&)> act;
    /// Whether the world is as people asked for.
    std::function<bool(World&)> reached;
};

/// create, scale, update, delete of the example.
std::vector<Script> scripts();

/// The parts of these scripts: applies examples/local-swarm, deletes it without waiting, and whether it is there or
/// gone.
void apply_example(World& world);
void apply_stack(World& world);
void remove_example(World& world);
bool example_is_ready(World& world);
bool all_gone(World& world);

/// What there is, in a form that does not depend on ids and times: compared between a run with faults and one without.
std::vector<std::string> picture(World& world);

}  // namespace atl::sweep
