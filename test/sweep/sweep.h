#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "test/sweep/script.h"

namespace atl::sweep {

/// Where a run strikes: at the nth call of the operator since the act began, at one of its four points.
struct Strike {
    std::uint64_t call = 0;
    sim::Point point = sim::Point::BeforeSend;
};

/// One run of one script.
struct Run {
    std::set<std::string> violations;
    std::vector<std::string> picture;  ///< of the end
    std::uint64_t calls = 0;  ///< of the operator, from the act until the goal was reached and the world at rest
    std::uint64_t trace = 0;  ///< the same for the same script, seed, strike and tamper
    bool struck = false;
};

/// Runs a script in a world of its own: prepare, act, crash at the strike (if any), until the goal is reached and the
/// world has been at rest for ten virtual minutes; checks the invariants all the while and at the end. `expected`: the
/// picture of the run without a strike.
Run run(const Script& script, std::uint64_t seed, std::optional<Strike> strike,
        const std::vector<std::string>* expected = nullptr, const Tamper& tamper = {});

std::string to_string(sim::Point point);
inline constexpr sim::Point kPoints[] = {sim::Point::BeforeSend, sim::Point::Received, sim::Point::EffectDone,
                                         sim::Point::ResponseSent};

}  // namespace atl::sweep
