#include "test/sweep/sweep.h"

#include <algorithm>

namespace atl::sweep {

namespace {

using namespace std::chrono_literals;

/// Lines of `before` and `after` that the other lacks, at most three.
std::string difference(const std::vector<std::string>& expected, const std::vector<std::string>& found) {
    std::vector<std::string> missing;
    std::vector<std::string> extra;
    std::ranges::set_difference(expected, found, std::back_inserter(missing));
    std::ranges::set_difference(found, expected, std::back_inserter(extra));
    std::string text;
    for (std::size_t i = 0; i < missing.size() && i < 3; ++i) text += " missing: " + missing[i];
    for (std::size_t i = 0; i < extra.size() && i < 3; ++i) text += " extra: " + extra[i];
    return text;
}

/// Nothing is written, and nothing changes, once the world is as people asked for.
void check_rest(World& world) {
    world.allow_calls(2'000);
    world.run_for(1min);
    const std::uint64_t api = world.api_writes();
    const std::uint64_t engine = world.engine_writes();
    world.run_for(10min);
    if (world.api_writes() != api) {
        world.violate("I8: " + std::to_string(world.api_writes() - api) + " writes to the API server at rest");
    }
    if (world.engine_writes() != engine) {
        world.violate("I8: " + std::to_string(world.engine_writes() - engine) + " writes to the engine at rest");
    }
}

void check_duplicates(World& world) {
    std::vector<std::string> keys = world.engine().marked_keys();
    std::ranges::sort(keys);
    for (auto twice = std::ranges::adjacent_find(keys); twice != keys.end();
         twice = std::adjacent_find(twice + 1, keys.end())) {
        world.violate("I2: there are two of " + *twice);
    }
}

}  // namespace

std::string to_string(sim::Point point) {
    switch (point) {
        case sim::Point::BeforeSend:
            return "before-send";
        case sim::Point::Received:
            return "received";
        case sim::Point::EffectDone:
            return "effect-done";
        case sim::Point::ResponseSent:
            return "response-sent";
    }
    return "";
}

Run run(const Script& script, std::uint64_t seed, std::optional<Strike> strike,
        const std::vector<std::string>* expected, const Tamper& tamper) {
    constexpr std::uint64_t kMostCalls = 5'000;  // ten times what the longest script needs
    World world(seed);
    world.tamper = tamper;
    world.allow_calls(kMostCalls);
    world.boot();
    script.prepare(world);
    Run result;
    const std::uint64_t first = world.operator_transport().calls();
    world.fault = [&](const sim::Call& call, sim::Point point) {
        if (!strike || result.struck || call.index != first + strike->call || point != strike->point) {
            return sim::Fault::None;
        }
        result.struck = true;
        return sim::Fault::Crash;
    };
    world.allow_calls(kMostCalls);
    script.act(world);
    const bool reached = world.until([&] { return script.reached(world); }, 30min);
    result.calls = world.operator_transport().calls() - first;
    if (!reached) world.violate("ESR: the world did not become what was asked for");
    check_rest(world);
    check_duplicates(world);
    if (reached && !script.reached(world)) world.violate("ESR: the world did not stay what was asked for");
    for (const std::string& touched : world.engine().missing_strangers())
        world.violate("I4: removed a stranger's " + touched);
    result.picture = picture(world);
    if (expected != nullptr && reached && result.picture != *expected) {
        world.violate("ESR: the end differs from the run without a crash:" + difference(*expected, result.picture));
    }
    result.violations = world.violations();
    result.trace = world.loop().trace();
    return result;
}

}  // namespace atl::sweep
