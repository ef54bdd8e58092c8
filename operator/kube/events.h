#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "operator/base/random.h"
#include "operator/base/spawner.h"
#include "operator/kube/client.h"

namespace atl::kube {

enum class EventType { Normal, Warning };

/// What an event is about.
struct EventSubject {
    ResourceType type;
    ObjectKey key;
    std::string uid;
};

/// Writes Events (v1), for people. Never fails and never waits: what cannot be written is dropped after its tries.
///
/// As client-go does: an event equal to one of the last 10 minutes raises its count instead; from the 10th similar one
/// (all but the message equal) on, they become one "(combined from similar events)"; each subject has a bucket of 25
/// events that refills by one in 5 minutes. Memory is bounded: 4,096 entries, the least used go first.
class EventRecorder {
public:
    struct Options {
        std::string component = "atoll";
        std::string instance;  ///< which process; may be empty
        int tries = 12;
        Duration pause = std::chrono::seconds(10);
        std::size_t remembered = 4096;
        std::size_t waiting = 1000;  ///< events not written yet; more are dropped
    };

    EventRecorder(Client& client, Random& random, Spawner& spawner, Options options);

    /// reason: CamelCase and stable; message: past tense with the value, at most 1,024 bytes are kept.
    void record(const EventSubject& subject, EventType type, const std::string& reason, const std::string& message);
    /// Events dropped so far, by the spam filter or for want of an answer.
    std::uint64_t dropped() const;

    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace atl::kube
