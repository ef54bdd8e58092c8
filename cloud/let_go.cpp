#include "cloud/let_go.h"

#include <utility>

namespace atl::cloud {

namespace {

Step release_of(const Observed& observed) {
    Step step;
    step.op = Op::Release;
    step.key = observed.key;
    step.observed = observed;
    return step;
}

}  // namespace

Task<std::vector<ResourceKey>> let_go(Driver& driver, World world, Owner owner, Instant deadline) {
    std::vector<ResourceKey> kept;
    std::optional<Error> failure;
    for (const Observed& observed : world.resources) {
        if (observed.state == State::Deleting) continue;
        Batch batch{owner, {release_of(observed)}};
        const auto results = co_await driver.apply(std::move(batch), deadline).attempt();
        std::optional<Error> error;
        if (!results.ok()) error = results.error();
        if (results.ok() && !results->empty()) error = results->front().error;
        if (!error) continue;
        if (error->reason() == kMarksStay) {
            kept.push_back(observed.key);
        } else if (!failure) {
            failure = std::move(*error).during("letting go of " + observed.key.to_string());
        }
    }
    if (failure) co_await fail(std::move(*failure));
    co_return kept;
}

}  // namespace atl::cloud
