#pragma once

#include <functional>
#include <string>

#include "cloud/docker/client.h"
#include "cloud/orchestrator.h"

namespace atl::cloud::docker {

/// Follows the engine's events about containers that carry a mark, and calls back for each that may change what people
/// see: a start, an end, a change of health. Runs until it is dropped; connects again, from where it was, with a
/// growing delay of at most 10 s, when the stream breaks or has been silent for five minutes.
Task<> follow_events(Client client, Clock& clock, std::function<void(const Hint&)> on_hint);

/// Follows the events of all engines of the endpoint.
Task<> follow_all(Endpoint endpoint, Surroundings surroundings, std::shared_ptr<Versions> versions,
                  std::function<void(const Hint&)> on_hint);

/// The hint in one line of the stream; nullopt for what is no news.
std::optional<Hint> hint_of(const std::string& line);

}  // namespace atl::cloud::docker
