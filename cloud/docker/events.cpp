#include "cloud/docker/events.h"

#include <algorithm>

#include "cloud/docker/marks.h"
#include "operator/base/root_task.h"

namespace atl::cloud::docker {

namespace {

using namespace std::chrono_literals;

std::string events_target(std::int64_t since) {
    Json filters;
    filters["type"] = {"container"};
    // Health checks are events too (exec_*), several a second: they are left out by the engine, not here.
    filters["event"] = {"start", "die", "oom", "health_status", "destroy"};
    filters["label"] = {kInstallationLabel};
    std::string target = "/events?filters=" + net::encode_component(filters.dump());
    if (since > 0) target += "&since=" + std::to_string(since);
    return target;
}

/// Reads one stream to its end, calling back for every whole line. Gives the time of the last event.
Task<> read_stream(Client& client, net::Limits limits, std::int64_t& since,
                   const std::function<void(const Hint&)>& on_hint) {
    const net::StreamResponse stream = co_await client.open(events_target(since), limits);
    constexpr std::size_t kLongestLine = 1024 * 1024;
    std::string buffer;
    while (true) {
        const std::optional<std::string> piece = co_await stream.body->next();
        if (!piece) co_return;
        buffer += *piece;
        for (auto end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n')) {
            const std::string line = buffer.substr(0, end);
            buffer.erase(0, end + 1);
            since = std::max(since, number_at(Json::parse(line, nullptr, false), {"time"}));
            if (const auto hint = hint_of(line)) on_hint(*hint);
        }
        if (buffer.size() > kLongestLine) co_return;
    }
}

}  // namespace

std::optional<Hint> hint_of(const std::string& line) {
    const Json event = Json::parse(line, nullptr, false);
    const Labels labels = texts_at(event, {"Actor", "Attributes"});
    const auto label = [&](std::string_view name) {
        const auto found = labels.find(std::string(name));
        return found == labels.end() ? std::string() : found->second;
    };
    Hint hint{label(kInstallationLabel), label(kOwnerLabel), label(kNameLabel), ""};
    if (hint.owner.empty()) return std::nullopt;
    hint.what = text_at(event, {"Type"}) + " " + text_at(event, {"Action"});
    return hint;
}

Task<> follow_events(Client client, Clock& clock, std::function<void(const Hint&)> on_hint) {
    std::int64_t since = 0;
    Duration delay = 500ms;
    while (true) {
        const Instant started = clock.now();
        net::Limits limits;
        limits.deadline = started + 10s;
        limits.idle = 5min;
        // Whatever ended it, the stream is opened again.
        static_cast<void>(co_await read_stream(client, limits, since, on_hint).attempt());
        delay = clock.now() - started > 30s ? Duration(500ms) : std::min<Duration>(delay * 2, 10s);
        co_await sleep_for(clock, delay);
    }
}

Task<> follow_all(Endpoint endpoint, Surroundings surroundings, std::shared_ptr<Versions> versions,
                  std::function<void(const Hint&)> on_hint) {
    std::vector<Task<>> streams;
    for (const Endpoint::Engine& engine : endpoint.engines) {
        Client client(surroundings.transport, engine.where, versions);
        streams.push_back(follow_events(std::move(client), surroundings.clock, on_hint));
    }
    co_await all(std::move(streams));
}

}  // namespace atl::cloud::docker
