#include "test/sweep/sweep.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

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

namespace {

/// Whether the operator crashes at this point of its nth call since the act began.
using Choice = std::function<bool(const Strike& here)>;

Run run_choosing(const Script& script, std::uint64_t seed, const Choice& choice,
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
        if (result.struck || call.index < first || !choice({call.index - first, point})) return sim::Fault::None;
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

/// A child process, a copy of this one, which sends what it has to say once, as JSON, and ends.
class Child {
public:
    /// True in the child.
    bool start() {
        std::fflush(nullptr);
        if (::pipe(pipe_) != 0) throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
        id_ = ::fork();
        if (id_ < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
        ::close(pipe_[id_ == 0 ? 0 : 1]);
        return id_ == 0;
    }

    [[noreturn]] void end(const Run& run) const {
        const std::string text = nlohmann::json{
            {"violations", run.violations},
            {"calls", run.calls},
            {"picture", run.picture},
            {"trace", run.trace},
            {"struck", run.struck}}.dump();
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t count = ::write(pipe_[1], text.data() + sent, text.size() - sent);
            if (count <= 0) ::_exit(3);
            sent += static_cast<std::size_t>(count);
        }
        ::_exit(0);
    }

    Run wait() const {
        std::string text;
        char buffer[4096];
        for (ssize_t count = 0; (count = ::read(pipe_[0], buffer, sizeof buffer)) > 0;) {
            text.append(buffer, static_cast<std::size_t>(count));
        }
        ::close(pipe_[0]);
        int status = 0;
        ::waitpid(id_, &status, 0);
        Run run;
        if (status != 0) {
            run.violations.insert("the operator's process died, wait status " + std::to_string(status));
            return run;
        }
        const nlohmann::json said = nlohmann::json::parse(text);
        said["violations"].get_to(run.violations);
        said["calls"].get_to(run.calls);
        said["picture"].get_to(run.picture);
        said["trace"].get_to(run.trace);
        said["struck"].get_to(run.struck);
        return run;
    }

private:
    int pipe_[2] = {-1, -1};
    pid_t id_ = -1;
};

}  // namespace

Run run(const Script& script, std::uint64_t seed, std::optional<Strike> strike,
        const std::vector<std::string>* expected, const Tamper& tamper) {
    return run_choosing(script, seed, [&](const Strike& here) { return strike == here; }, expected, tamper);
}

void run_each(const Script& script, std::uint64_t seed, const std::vector<Strike>& strikes,
              const std::function<bool(const Strike&, const Run&)>& each, const std::vector<std::string>* expected,
              const Tamper& tamper) {
    std::optional<Child> child;
    bool on = true;
    const auto choice = [&](const Strike& here) {
        if (!on || std::ranges::find(strikes, here) == strikes.end()) return false;
        child.emplace();
        if (child->start()) return true;
        on = each(here, child->wait());
        return false;
    };
    const Run run = run_choosing(script, seed, choice, expected, tamper);
    if (run.struck) child->end(run);
}

}  // namespace atl::sweep
