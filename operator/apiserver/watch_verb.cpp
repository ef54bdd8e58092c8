#include "operator/apiserver/watch_verb.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/apiserver/json_access.h"
#include "operator/apiserver/list_options.h"
#include "operator/apiserver/object_text.h"
#include "operator/apiserver/output.h"
#include "operator/base/deadline.h"
#include "operator/schema/go_text.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

constexpr std::size_t kCatchUp = 500;
// Less than the minute after which many a client takes a silent connection for dead.
constexpr auto kBookmarkEvery = std::chrono::seconds(45);

const char* word_of(ChangeType type) {
    switch (type) {
        case ChangeType::Added:
            return "ADDED";
        case ChangeType::Modified:
            return "MODIFIED";
        case ChangeType::Deleted:
            return "DELETED";
    }
    return "ERROR";
}

std::shared_ptr<const std::string> line_of(const char* word, const std::string& object) {
    return std::make_shared<const std::string>(std::string("{\"type\":\"") + word + "\",\"object\":" + object + "}\n");
}

/// sendInitialEvents and resourceVersionMatch go together, as of Kubernetes' WatchList.
Result<Unit> check_initial(const ApiRequest& request) {
    const std::string match = request.parameter("resourceVersionMatch");
    const bool is_given = !request.parameter("sendInitialEvents").empty();
    schema::FieldErrors errors;
    if (is_given && match != "NotOlderThan") {
        errors.push_back(schema::forbidden("resourceVersionMatch",
                                           "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    }
    if (!is_given && !match.empty()) {
        errors.push_back(
            schema::forbidden("resourceVersionMatch",
                              "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    }
    if (!match.empty() && match != "NotOlderThan") {
        errors.push_back(schema::not_supported("resourceVersionMatch", match, {"NotOlderThan"}));
    }
    if (!errors.empty()) return invalid_options("ListOptions", errors);
    return ok();
}

/// One watch on its way.
class Watching {
public:
    Watching(Serving& serving, const ApiRequest& request, View view, net::ResponseWriter& writer)
        : serving_(serving), request_(request), view_(std::move(view)), writer_(writer) {}

    /// Reads the query. Errors: as of a list.
    Result<Unit> read_options();
    Task<> run();

private:
    struct Pending {
        WatchCache::Events events;
        Revision up_to = 0;
    };
    Task<> send_initial();
    Task<bool> send_pending();
    Result<Pending> pending();
    Task<> send(const WatchEvent& event);
    Task<> send_bookmark(bool ends_initial);
    Task<> send_error(const Error& error);
    Task<> wait();
    bool concerns(const Change& change) const;
    bool is_served() const;
    std::shared_ptr<const std::string> line(const WatchEvent& event, ChangeType type);

    Serving& serving_;
    const ApiRequest& request_;
    View view_;
    net::ResponseWriter& writer_;
    Selection selection_;
    bool wants_bookmarks_ = false;
    bool wants_initial_ = false;
    bool marks_initial_end_ = false;
    bool is_first_ = true;
    Revision seen_ = 0;
    Instant end_;
    Instant next_bookmark_;
};

Result<Unit> Watching::read_options() {
    auto selection = Selection::of(request_, *view_.type);
    if (!selection.ok()) return std::move(selection).error();
    selection_ = std::move(*selection);
    auto revision = read_revision(request_);
    if (!revision.ok()) return std::move(revision).error();
    seen_ = *revision;
    wants_bookmarks_ = request_.is_set("allowWatchBookmarks");
    auto matched = check_initial(request_);
    if (!matched.ok()) return matched;
    marks_initial_end_ = request_.is_set("sendInitialEvents");
    const bool wants_none = !request_.parameter("sendInitialEvents").empty() && !marks_initial_end_;
    wants_initial_ = marks_initial_end_ || (seen_ == 0 && !wants_none);
    if (seen_ == 0 && wants_none) seen_ = serving_.store.revision();
    std::int64_t seconds = 1800 + static_cast<std::int64_t>(serving_.random.below(1800));
    const std::string timeout = request_.parameter("timeoutSeconds");
    if (!timeout.empty()) {
        if (timeout.size() > 9 || timeout.find_first_not_of("0123456789") != std::string::npos) {
            return bad_request("timeoutSeconds: Invalid value: " + schema::go_quote(timeout.substr(0, 64)) +
                               ": must be a number of at most 9 digits");
        }
        if (timeout != "0") seconds = std::stoll(timeout);
    }
    end_ = serving_.clock.now() + std::chrono::seconds(seconds);
    // Not all watchers at once.
    next_bookmark_ = serving_.clock.now() + kBookmarkEvery + std::chrono::milliseconds(serving_.random.below(10'000));
    return ok();
}

Task<> Watching::run() {
    net::Headers headers;
    headers.set("Content-Type", view_.form == Form::Yaml ? "application/yaml" : "application/json");
    headers.set("Cache-Control", "no-cache, private");
    co_await writer_.start(200, headers);
    if (seen_ > serving_.store.revision()) {
        co_await send_error(too_large_version(seen_, serving_.store.revision()));
        co_return;
    }
    if (wants_initial_) co_await send_initial();
    while (co_await send_pending()) {
        if (serving_.clock.now() >= next_bookmark_) {
            co_await send_bookmark(false);
            next_bookmark_ = serving_.clock.now() + kBookmarkEvery;
        }
        if (serving_.clock.now() >= end_ || !is_served()) {
            co_await send_bookmark(false);
            co_await writer_.finish();
            co_return;
        }
        co_await wait();
    }
}

/// Everything there is, as ADDED.
Task<> Watching::send_initial() {
    Range range;
    range.resource = view_.type->storage;
    if (view_.type->namespaced && !request_.ns.empty()) range.ns = request_.ns;
    if (!request_.name.empty()) range.name = request_.name;
    if (const auto name = selection_.exact_name()) range.name = name;
    const Page page = co_await serving_.store.list(range);
    for (const Stored& object : page.objects) {
        if (!selection_.matches(*view_.type, object.text)) continue;
        const auto added = line_of("ADDED", show_event(view_, object.text, is_first_));
        is_first_ = false;
        co_await writer_.write(added);
    }
    seen_ = page.revision;
    if (marks_initial_end_) co_await send_bookmark(true);
}

/// Sends what has come since. False if the watch is over.
Task<bool> Watching::send_pending() {
    while (true) {
        auto next = pending();
        if (!next.ok()) {
            co_await send_error(next.error());
            co_return false;
        }
        for (const auto& event : next->events) co_await send(*event);
        seen_ = std::max(seen_, next->up_to);
        if (next->events.empty()) co_return true;
    }
}

/// From the ring if it reaches back, else from the log.
Result<Watching::Pending> Watching::pending() {
    Pending next;
    const std::string& resource = view_.type->storage;
    if (auto events = serving_.watches.since(resource, seen_)) {
        next.up_to = serving_.watches.revision();
        next.events = std::move(*events);
        return next;
    }
    const Revision now = serving_.store.revision();
    auto changes = serving_.store.changes(resource, seen_, kCatchUp);
    if (!changes.ok()) {
        if (changes.error().reason() != "Expired") return std::move(changes).error();
        return expired("too old resource version: " + std::to_string(seen_) + " (" + std::to_string(now) + ")");
    }
    next.up_to = changes->size() < kCatchUp ? now : changes->back().revision;
    for (Change& change : *changes) {
        auto event = std::make_shared<WatchEvent>();
        event->change = std::move(change);
        next.events.push_back(std::move(event));
    }
    return next;
}

bool Watching::concerns(const Change& change) const {
    if (view_.type->namespaced && !request_.ns.empty() && change.key.ns != request_.ns) return false;
    return request_.name.empty() || change.key.name == request_.name;
}

/// What enters the selection is ADDED, what leaves it DELETED.
Task<> Watching::send(const WatchEvent& event) {
    const Change& change = event.change;
    if (change.revision <= seen_ || !concerns(change)) co_return;
    ChangeType type = change.type;
    if (!selection_.is_all()) {
        const bool matches = change.type != ChangeType::Deleted && selection_.matches(*view_.type, change.text);
        const bool matched = !change.previous.empty() && selection_.matches(*view_.type, change.previous);
        if (!matches && !matched) co_return;
        type = !matched ? ChangeType::Added : !matches ? ChangeType::Deleted : ChangeType::Modified;
    }
    const auto text = line(event, type);
    is_first_ = false;
    co_await writer_.write(text);
}

std::shared_ptr<const std::string> Watching::line(const WatchEvent& event, ChangeType type) {
    const bool has_left = type == ChangeType::Deleted && event.change.type != ChangeType::Deleted;
    view_.now = serving_.clock.wall_now();  // ages in a Table are those of the event, not of the watch's begin
    if (has_left) {
        // The object as it matched, at the revision at which it left.
        json object = parse_stored(event.change.previous);
        object["metadata"]["resourceVersion"] = std::to_string(event.change.revision);
        return line_of(word_of(type), show_event(view_, render_whole(object), is_first_));
    }
    if (view_.form == Form::Table) return line_of(word_of(type), show_event(view_, event.change.text, is_first_));
    const std::string id =
        std::string(word_of(type)) + (view_.form == Form::Metadata ? "/metadata/" : "/") + view_.type->api_version();
    auto& shared = event.lines[id];
    if (!shared) shared = line_of(word_of(type), show_event(view_, event.change.text, is_first_));
    return shared;
}

Task<> Watching::send_bookmark(bool ends_initial) {
    if (!wants_bookmarks_ && !ends_initial) co_return;
    json metadata = {{"resourceVersion", std::to_string(seen_)}, {"creationTimestamp", nullptr}};
    if (ends_initial) metadata["annotations"] = {{"k8s.io/initial-events-end", "true"}};
    const json object = {
        {"kind", view_.type->kind}, {"apiVersion", view_.type->api_version()}, {"metadata", std::move(metadata)}};
    const std::string shown = view_.form == Form::Json ? object.dump() : show_event(view_, object.dump(), is_first_);
    const auto bookmark = line_of("BOOKMARK", shown);
    is_first_ = false;
    co_await writer_.write(bookmark);
}

Task<> Watching::send_error(const Error& error) {
    const auto event = line_of("ERROR", status_of(error).dump());
    co_await writer_.write(event);
    co_await writer_.finish();
}

Task<> Watching::wait() {
    const Instant until = std::min(end_, next_bookmark_);
    const auto woken =
        co_await with_deadline(serving_.clock, until, serving_.watches.changed(view_.type->storage, seen_), "waiting")
            .attempt();
    if (!woken.ok() && woken.error().reason() != "DeadlineExceeded") co_await fail(woken.error());
}

bool Watching::is_served() const {
    const ResourceType& type = *view_.type;
    return !type.is_custom() || serving_.registry.find(type.group, type.version, type.plural) == view_.type;
}

}  // namespace

Task<> watch_objects(Serving& serving, const ApiRequest& request, TypePtr type, net::ResponseWriter& writer) {
    View view = co_await view_of(request, std::move(type), serving.clock.wall_now());
    Watching watching(serving, request, std::move(view), writer);
    co_await watching.read_options();
    co_await watching.run();
}

}  // namespace atl::apiserver
