#include "operator/kube/reflector.h"

#include <algorithm>
#include <map>

namespace atl::kube {

namespace {

using namespace std::chrono_literals;

constexpr Duration kHealthy = 2min;          // then the back-off starts anew
constexpr Duration kInternalErrors = 1min;   // of 500s in a watch, before a new list is tried
constexpr Duration kSuspiciouslyShort = 1s;  // a watch that ends sooner, without an event, has failed

/// Whether the version that we asked for is of no use to the server, so that only a fresh list helps.
bool version_is_useless(const Error& error) {
    return error.reason() == "Expired" || error.error_class() == ErrorClass::Invalid ||
           error.message().find("oo large resource version") != std::string::npos;
}

ReflectorState state_of(const Error& error) {
    if (error.error_class() == ErrorClass::Credentials) return ReflectorState::Forbidden;
    return error.reason() == "NoSuchType" ? ReflectorState::NoSuchType : ReflectorState::Recovering;
}

}  // namespace

std::string_view to_string(ReflectorState state) {
    switch (state) {
        case ReflectorState::Starting:
            return "Starting";
        case ReflectorState::Watching:
            return "Watching";
        case ReflectorState::Recovering:
            return "Recovering";
        case ReflectorState::Forbidden:
            return "Forbidden";
        case ReflectorState::NoSuchType:
            return "NoSuchType";
    }
    return "Starting";
}

Reflector::Reflector(Client& client, Random& random, Log log, Cache& cache, Options options)
    : client_(client),
      random_(random),
      log_(std::move(log)),
      cache_(cache),
      options_(options),
      page_size_(options.page_size) {}

Task<> Reflector::run() {
    for (;;) {
        const Result<Unit> outcome = co_await list_and_watch().attempt();
        if (!outcome.ok()) co_await pause(outcome.error());
    }
}

Task<> Reflector::list_and_watch() {
    if (options_.watch_list) {
        co_await watch_once(Start::WithPresentState);
    } else {
        co_await list_once();
    }
    for (;;) {
        const Result<Unit> outcome = co_await watch_once(Start::AtVersion).attempt();
        if (outcome.ok()) continue;
        if (needs_list(outcome.error())) {
            if (version_is_useless(outcome.error())) list_from_.clear();
            co_await fail(outcome.error());
        }
        co_await pause(outcome.error());
    }
}

bool Reflector::needs_list(const Error& error) {
    if (version_is_useless(error) || state_of(error) != ReflectorState::Recovering) return true;
    if (error.status() != 500) {
        internal_errors_since_.reset();
        return false;
    }
    const Instant now = client_.clock().now();
    if (!internal_errors_since_) internal_errors_since_ = now;
    return now - *internal_errors_since_ > kInternalErrors;
}

Task<> Reflector::list_once() {
    ListOptions options;
    options.resource_version = list_from_;
    // With a limit, a version means exactly that version, which may be gone; without, that or a later one.
    options.limit = list_from_.empty() || list_from_ == "0" ? page_size_ : 0;
    Result<ListPage> page = co_await client_.list(cache_.scope(), options).attempt();
    if (!page.ok()) {
        if (page.error().reason() == "BodyTooLarge" && page_size_ > 1) page_size_ = std::max(1, page_size_ / 4);
        if (version_is_useless(page.error())) list_from_.clear();
        co_await fail(page.error());
    }
    for (const Error& error : page->undecodable) report(error);
    if (page->resource_version.empty()) co_await fail(transient("MalformedAnswer", "the list has no resourceVersion"));
    advance(page->resource_version);
    internal_errors_since_.reset();
    cache_.replace(std::move(page->objects), version_);
}

Task<> Reflector::watch_once(Start start) {
    initial_.reset();
    if (start == Start::WithPresentState) initial_.emplace();
    WatchOptions options;
    options.resource_version = start == Start::WithPresentState ? std::string() : version_;
    options.timeout = 300s + std::chrono::seconds(random_.below(301));
    options.send_initial_events = start == Start::WithPresentState;
    const Instant begun = client_.clock().now();
    Result<std::unique_ptr<WatchStream>> opened = co_await client_.watch(cache_.scope(), options).attempt();
    if (!opened.ok()) {
        // A server that does not know sendInitialEvents refuses it.
        if (initial_ && opened.error().error_class() == ErrorClass::Invalid) options_.watch_list = false;
        co_await fail(opened.error());
    }
    if (!initial_) enter(ReflectorState::Watching, "");
    std::size_t events = 0;
    for (;; ++events) {
        const std::optional<WatchEvent> event = co_await (*opened)->next();
        if (!event) break;
        const Result<Unit> taken = take(*event);
        if (!taken.ok()) co_await fail(taken.error());
    }
    if (initial_) co_await fail(transient("WatchEnded", "the watch ended before the present state was complete"));
    if (events == 0 && client_.clock().now() - begun < kSuspiciouslyShort) {
        co_await fail(transient("WatchEnded", "the watch ended at once, without an event"));
    }
}

Result<Unit> Reflector::take(const WatchEvent& event) {
    switch (event.kind) {
        case WatchEvent::Kind::Failed:
            return *event.error;
        case WatchEvent::Kind::Undecodable:
            report(*event.error);
            return ok();
        default:
            break;
    }
    internal_errors_since_.reset();
    if (initial_) return take_initial(event);
    if (event.kind == WatchEvent::Kind::Deleted) {
        cache_.erase(*event.object);
    } else if (event.kind != WatchEvent::Kind::Bookmark) {
        cache_.put(*event.object);
    }
    advance(event.resource_version);
    cache_.reached(version_);
    return ok();
}

Result<Unit> Reflector::take_initial(const WatchEvent& event) {
    if (event.kind == WatchEvent::Kind::Bookmark && !event.initial_events_end) {
        options_.watch_list = false;
        return transient("WatchListUnknown", "the server does not mark the end of the present state");
    }
    if (event.kind == WatchEvent::Kind::Deleted) {
        initial_->erase(event.object->key());
    } else if (event.kind != WatchEvent::Kind::Bookmark) {
        initial_->insert_or_assign(event.object->key(), *event.object);
    } else {
        std::vector<Object> objects;
        for (auto& [key, object] : *initial_) objects.push_back(std::move(object));
        initial_.reset();
        advance(event.resource_version);
        cache_.replace(std::move(objects), version_);
        enter(ReflectorState::Watching, "");
    }
    return ok();
}

void Reflector::advance(const std::string& resource_version) {
    if (resource_version.empty()) return;
    version_ = resource_version;
    // A list goes on from what was seen last, so that it never shows an older state.
    list_from_ = resource_version;
}

Task<> Reflector::pause(const Error& error) {
    enter(state_of(error), error.message());
    Duration delay = next_backoff();
    if (error.retry_after()) delay = std::max<Duration>(*error.retry_after(), Duration::zero());
    co_await sleep_for(client_.clock(), delay);
}

Duration Reflector::next_backoff() {
    const Instant now = client_.clock().now();
    const bool healthy = backoff_ == Duration::zero() || now - last_failure_ > kHealthy + backoff_;
    backoff_ = healthy ? options_.backoff_base : std::min(options_.backoff_max, backoff_ * 2);
    last_failure_ = now;
    const auto jitter = static_cast<Duration::rep>(static_cast<double>(backoff_.count()) * random_.unit());
    return std::min(options_.backoff_max, backoff_ + Duration(jitter));
}

void Reflector::report(const Error& error) {
    log_.error("Leaving out an object that cannot be read",
               {{key::kResource, cache_.scope().type.to_string()}, {key::kError, error.message()}});
    if (on_undecodable) on_undecodable(cache_.scope(), error);
}

void Reflector::enter(ReflectorState state, std::string trouble) {
    if (state != state_) {
        log_.info("Following a collection", {{key::kResource, cache_.scope().type.to_string()},
                                             {key::kStatus, std::string(to_string(state))},
                                             {key::kError, trouble}});
    }
    state_ = state;
    trouble_ = std::move(trouble);
}

}  // namespace atl::kube
