#include "operator/kube/events.h"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/base/time.h"
#include "operator/kube/status_error.h"

namespace atl::kube {

namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr double kBurst = 25;
constexpr Duration kRefill = 5min;  // for one event
constexpr Duration kWindow = 10min;
constexpr std::size_t kSimilar = 10;
constexpr std::size_t kMaxMessage = 1024;
constexpr std::size_t kMaxBaseName = 230;  // of 253, with room for the suffix
constexpr char kCombined[] = "(combined from similar events): ";

const ResourceType& event_type() {
    static const ResourceType type{"", "v1", "events", "Event", true};
    return type;
}

/// One Event object on the server.
struct Series {
    EventSubject subject;
    EventType type = EventType::Normal;
    std::string reason;
    std::string message;
    std::string name;
    std::int64_t count = 0;
    WallTime first{};
    WallTime last{};
    bool created = false;
    bool waiting = false;
};

/// The different messages of one subject and reason in the last minutes.
struct Similar {
    std::set<std::string> messages;
    Instant last{};
};

struct Bucket {
    double tokens = kBurst;
    Instant filled{};
};

/// A bounded map: the entry that was not used for the longest time goes first.
template <class T>
class Recent {
public:
    explicit Recent(std::size_t limit) : limit_(limit) {}
    T* find(const std::string& key) {
        const auto found = index_.find(key);
        if (found == index_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return &found->second->second;
    }
    T& get(const std::string& key, T fresh) {
        if (T* known = find(key)) return *known;
        entries_.emplace_front(key, std::move(fresh));
        index_[key] = entries_.begin();
        if (entries_.size() > limit_) {
            index_.erase(entries_.back().first);
            entries_.pop_back();
        }
        return entries_.front().second;
    }

private:
    std::size_t limit_;
    std::list<std::pair<std::string, T>> entries_;
    std::map<std::string, typename std::list<std::pair<std::string, T>>::iterator> index_;
};

std::string cut(const std::string& text, std::size_t limit) {
    if (text.size() <= limit) return text;
    std::size_t end = limit;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return text.substr(0, end);
}

std::string namespace_of(const EventSubject& subject) {
    return subject.key.ns.empty() ? "default" : subject.key.ns;
}

}  // namespace

struct EventRecorder::State {
    State(Client& client_in, Random& random_in, Spawner& spawner_in, Options options_in)
        : client(client_in),
          random(random_in),
          spawner(spawner_in),
          options(std::move(options_in)),
          series(options.remembered),
          similar(options.remembered),
          buckets(options.remembered) {}

    Client& client;
    Random& random;
    Spawner& spawner;
    Options options;
    Recent<std::shared_ptr<Series>> series;
    Recent<Similar> similar;
    Recent<Bucket> buckets;
    std::deque<std::shared_ptr<Series>> waiting;
    std::uint64_t dropped = 0;
    bool writing = false;

    bool admit(const EventSubject& subject);
    std::string aggregated(const std::string& similar_key, const std::string& message);
    void enqueue(std::shared_ptr<Series> event);
    json body_of(const Series& event) const;
};

bool EventRecorder::State::admit(const EventSubject& subject) {
    const Instant now = client.clock().now();
    Bucket& bucket = buckets.get(subject.uid + "/" + subject.key.to_string(), Bucket{kBurst, now});
    const double refilled = std::chrono::duration<double>(now - bucket.filled) / std::chrono::duration<double>(kRefill);
    bucket.tokens = std::min(kBurst, bucket.tokens + refilled);
    bucket.filled = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
}

std::string EventRecorder::State::aggregated(const std::string& similar_key, const std::string& message) {
    const Instant now = client.clock().now();
    Similar& alike = similar.get(similar_key, Similar{{}, now});
    if (now - alike.last > kWindow) alike.messages.clear();
    alike.last = now;
    if (alike.messages.size() < kSimilar) alike.messages.insert(message);
    return alike.messages.size() < kSimilar ? message : std::string();
}

void EventRecorder::State::enqueue(std::shared_ptr<Series> event) {
    if (event->waiting) return;
    if (waiting.size() >= options.waiting) {
        ++dropped;
        return;
    }
    event->waiting = true;
    waiting.push_back(std::move(event));
}

json EventRecorder::State::body_of(const Series& event) const {
    const EventSubject& subject = event.subject;
    json body = {{"count", event.count}, {"lastTimestamp", format_rfc3339(event.last)}, {"message", event.message}};
    if (event.created) return body;
    body["apiVersion"] = "v1";
    body["kind"] = "Event";
    body["metadata"] = {{"name", event.name}, {"namespace", namespace_of(subject)}};
    body["involvedObject"] = {{"apiVersion", subject.type.api_version()},
                              {"kind", subject.type.kind},
                              {"name", subject.key.name},
                              {"uid", subject.uid}};
    if (!subject.key.ns.empty()) body["involvedObject"]["namespace"] = subject.key.ns;
    body["reason"] = event.reason;
    body["type"] = event.type == EventType::Normal ? "Normal" : "Warning";
    body["firstTimestamp"] = format_rfc3339(event.first);
    body["source"] = {{"component", options.component}};
    body["reportingComponent"] = options.component;
    body["reportingInstance"] = options.instance;
    return body;
}

namespace {

using StatePtr = std::shared_ptr<EventRecorder::State>;

Task<> write_one(StatePtr state, std::shared_ptr<Series> event) {
    const json body = state->body_of(*event);
    if (event->created) {
        const Target target(event_type(), ObjectKey(namespace_of(event->subject), event->name));
        const Result<Object> patched = co_await state->client.merge_patch(target, body, "atoll-events").attempt();
        if (patched.ok()) co_return;
        if (!is_not_found(patched.error())) co_await fail(patched.error());
        event->created = false;  // it has expired on the server
        co_await write_one(state, event);
        co_return;
    }
    co_await state->client.create(event_type(), body);
    event->created = true;
}

bool is_worth_another_try(const Error& error) {
    return error.error_class() == ErrorClass::Transient || error.error_class() == ErrorClass::Throttled;
}

Task<> write_with_tries(StatePtr state, std::shared_ptr<Series> event) {
    for (int i = 0; i < state->options.tries; ++i) {
        const Result<Unit> written = co_await write_one(state, event).attempt();
        if (written.ok()) co_return;
        if (!is_worth_another_try(written.error())) break;
        const double factor = 0.75 + 0.5 * state->random.unit();
        const std::chrono::duration<double> pause = std::chrono::duration<double>(state->options.pause) * factor;
        co_await sleep_for(state->client.clock(), std::chrono::duration_cast<Duration>(pause));
    }
    ++state->dropped;
}

/// Writes what waits, one by one, oldest first.
Task<> write_all(StatePtr state) {
    while (!state->waiting.empty()) {
        const std::shared_ptr<Series> event = state->waiting.front();
        state->waiting.pop_front();
        event->waiting = false;
        co_await write_with_tries(state, event);
    }
    state->writing = false;
}

}  // namespace

EventRecorder::EventRecorder(Client& client, Random& random, Spawner& spawner, Options options)
    : state_(std::make_shared<State>(client, random, spawner, std::move(options))) {}

std::uint64_t EventRecorder::dropped() const {
    return state_->dropped;
}

void EventRecorder::record(const EventSubject& subject, EventType type, const std::string& reason,
                           const std::string& message) {
    if (!state_->admit(subject)) {
        ++state_->dropped;
        return;
    }
    const std::string kind =
        subject.uid + "/" + subject.key.to_string() + "/" + reason + (type == EventType::Normal ? "/N" : "/W");
    const std::string kept = cut(message, kMaxMessage);
    const std::string own = state_->aggregated(kind, kept);
    auto& slot = state_->series.get(kind + "/" + own, nullptr);
    if (!slot) {
        slot = std::make_shared<Series>();
        slot->subject = subject;
        slot->type = type;
        slot->reason = reason;
        slot->name = cut(subject.key.name, kMaxBaseName) + "." + state_->random.name_suffix(12);
        slot->first = state_->client.clock().wall_now();
    }
    slot->message = own.empty() ? kCombined + kept : kept;
    slot->last = state_->client.clock().wall_now();
    ++slot->count;
    state_->enqueue(slot);
    if (std::exchange(state_->writing, true)) return;
    state_->spawner.start("events", write_all(state_));
}

}  // namespace atl::kube
