#pragma once

#include <cstdint>
#include <functional>
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
    bool operator==(const Strike&) const = default;
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

/// Runs a script without a crash and, at each of the strikes that it comes to, goes on in a child process that is
/// crashed there, which spares the way to the strike: the outcome is that of run() with the strike. `each` gets it, as
/// soon as the child has ended; false from it makes the strike the last. A child that dies is a violation.
/// `expected`: see run().
void run_each(const Script& script, std::uint64_t seed, const std::vector<Strike>& strikes,
              const std::function<bool(const Strike&, const Run&)>& each,
              const std::vector<std::string>* expected = nullptr, const Tamper& tamper = {});

std::string to_string(sim::Point point);
inline constexpr sim::Point kPoints[] = {sim::Point::BeforeSend, sim::Point::Received, sim::Point::EffectDone,
                                         sim::Point::ResponseSent};

}  // namespace atl::sweep
