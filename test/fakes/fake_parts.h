#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/clock.h"

namespace atl::fakes {

using Json = nlohmann::json;

/// What a fake answers.
struct FakeReply {
    int status = 200;
    Json body;
    std::string text = {};  ///< instead of the body: a stream
};
FakeReply refuse(int status, const std::string& message);

/// A request, taken apart.
struct FakeRequest {
    std::string method;
    std::vector<std::string> path;  ///< without the version: {"services", "create"}
    std::map<std::string, std::string> query;
    std::string text;  ///< the body as it came
    Json body;
    bool is(const std::string& wanted_method, std::size_t parts) const {
        return method == wanted_method && path.size() == parts;
    }
    /// The "filters" of the query: name → values. Both {"label": ["a=b"]} and {"label": {"a=b": true}}.
    std::map<std::string, std::vector<std::string>> filters() const;
};

/// Whether the labels have every "name=value" (or "name") that the filter asks for.
bool has_labels(const Json& labels, const std::vector<std::string>& wanted);
/// An id as the engine makes them: 25 characters (64 for containers and networks) that look random and depend on the
/// number only.
std::string fake_id(const std::string& kind, int number, std::size_t length);
/// "2026-01-01T00:00:00.123456Z".
std::string fake_time(const Clock& clock);

/// Faults and facts of the world that a fake engine stands in.
struct FakeWorld {
    bool lists_nothing = false;  ///< a lie: all lists are empty, while names stay taken
    std::string pull_stream;     ///< what a pull answers with 200; empty: it is refused with 404
    std::set<std::string> images = {"busybox:local", "busybox:next"};
    std::set<int> taken_ports;  ///< ports that some other program of the machine holds
    std::string hostname = "machine-1";
    /// How long after its event the death of a copy shows in a swarm's records. A real engine was seen to take 350 ms.
    Duration record_lag = std::chrono::milliseconds(0);
};

/// What a container with this image and words does after its start: its exit code, or -1 if it stays. "exit 3" among
/// the words ends with 3; "false" with 1.
int exit_code_of(const Json& command, const Json& args);

/// Receives what happens to containers: the action ("die") and the labels.
using FakeEventSink = std::function<void(const std::string& action, const std::string& container, const Json& labels)>;

}  // namespace atl::fakes
