#include "operator/kube/queue.h"

#include <algorithm>

namespace atl::kube {

namespace {

constexpr unsigned kBackgroundTurn = 8;

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

ObjectKey Queue::Lane::pop() {
    auto turn = by_namespace.upper_bound(last_served);
    if (turn == by_namespace.end()) turn = by_namespace.begin();
    last_served = turn->first;
    ObjectKey key = turn->second.begin()->second;
    turn->second.erase(turn->second.begin());
    if (turn->second.empty()) by_namespace.erase(turn);
    return key;
}

Queue::Queue(Clock& clock, Random& random, Metrics& metrics, Options options)
    : clock_(clock), random_(random), metrics_(metrics), options_(std::move(options)) {
    metrics_.add("workqueue_adds_total", {options_.name, options_.name}, 0);
    metrics_.add("workqueue_retries_total", {options_.name, options_.name}, 0);
    metrics_.set("workqueue_depth", {options_.name, options_.name, ""}, 0);
    measure();  // these series are there from the start, too
}

Queue::~Queue() {
    if (timer_) clock_.cancel_timer(*timer_);
}

void Queue::add(const ObjectKey& key, Priority priority) {
    undelay(key);
    make_ready(key, priority);
    arm();
}

void Queue::make_ready(const ObjectKey& key, Priority priority) {
    if (working_.contains(key)) {
        const auto [wish, fresh] = again_.emplace(key, priority);
        if (!fresh && priority == Priority::Fresh) wish->second = priority;
        return;
    }
    const auto found = ready_.find(key);
    if (found != ready_.end()) {
        if (priority == Priority::Fresh) raise(key, found->second);
        return;
    }
    const std::uint64_t order = next_order_++;
    ready_.emplace(key, Ready{priority, order, clock_.now()});
    lane(priority).by_namespace[key.ns].emplace(order, key);
    metrics_.add("workqueue_adds_total", {options_.name, options_.name}, 1);
    metrics_.set("workqueue_depth", {options_.name, options_.name, ""}, static_cast<double>(ready_.size()));
    if (on_ready) on_ready();
}

void Queue::raise(const ObjectKey& key, Ready& ready) {
    if (ready.priority == Priority::Fresh) return;
    auto& from = lane(Priority::Background).by_namespace;
    const auto in_namespace = from.find(key.ns);
    in_namespace->second.erase(ready.order);
    if (in_namespace->second.empty()) from.erase(in_namespace);
    ready.priority = Priority::Fresh;
    ready.order = next_order_++;
    lane(Priority::Fresh).by_namespace[key.ns].emplace(ready.order, key);
}

void Queue::undelay(const ObjectKey& key) {
    const auto found = delayed_at_.find(key);
    if (found == delayed_at_.end()) return;
    delayed_.erase({found->second, key});
    delayed_at_.erase(found);
}

void Queue::add_after(const ObjectKey& key, Duration delay) {
    if (delay <= Duration::zero()) {
        add(key, Priority::Background);
        return;
    }
    metrics_.add("workqueue_retries_total", {options_.name, options_.name}, 1);
    const Instant when = clock_.now() + delay;
    const auto found = delayed_at_.find(key);
    if (found != delayed_at_.end() && found->second <= when) return;
    undelay(key);
    delayed_at_.emplace(key, when);
    delayed_.emplace(when, key);
    arm();
}

Duration Queue::retry(const ObjectKey& key, std::optional<Duration> at_least) {
    const unsigned before = failures_[key]++;
    Duration delay = options_.backoff_max;
    if (before < 40) delay = std::min(options_.backoff_max, options_.backoff_base * (std::int64_t{1} << before));
    // Between half and the whole of it, so that keys that failed together do not come back together.
    delay = delay / 2 +
            Duration(static_cast<Duration::rep>(random_.below(static_cast<std::uint64_t>(delay.count() / 2) + 1)));
    if (at_least && *at_least > delay) delay = *at_least;
    add_after(key, delay);
    return delay;
}

void Queue::forget(const ObjectKey& key) {
    failures_.erase(key);
}

unsigned Queue::failures(const ObjectKey& key) const {
    const auto found = failures_.find(key);
    return found == failures_.end() ? 0 : found->second;
}

std::optional<ObjectKey> Queue::take() {
    if (ready_.empty()) return std::nullopt;
    const bool fresh = !lane(Priority::Fresh).by_namespace.empty();
    const bool background = !lane(Priority::Background).by_namespace.empty();
    ++turns_;
    const bool old_news = background && (!fresh || turns_ % kBackgroundTurn == 0);
    ObjectKey key = lane(old_news ? Priority::Background : Priority::Fresh).pop();
    const auto taken = ready_.extract(key);
    working_.emplace(key, clock_.now());
    metrics_.set("workqueue_depth", {options_.name, options_.name, ""}, static_cast<double>(ready_.size()));
    metrics_.observe("workqueue_queue_duration_seconds", {options_.name, options_.name},
                     seconds(clock_.now() - taken.mapped().since));
    return key;
}

void Queue::done(const ObjectKey& key) {
    const auto finished = working_.extract(key);
    if (finished.empty()) return;
    metrics_.observe("workqueue_work_duration_seconds", {options_.name, options_.name},
                     seconds(clock_.now() - finished.mapped()));
    if (const auto wish = again_.extract(key)) make_ready(key, wish.mapped());
}

std::optional<Instant> Queue::next_delayed() const {
    return delayed_.empty() ? std::nullopt : std::optional(delayed_.begin()->first);
}

void Queue::measure() {
    double sum = 0;
    double longest = 0;
    for (const auto& [key, since] : working_) {
        sum += seconds(clock_.now() - since);
        longest = std::max(longest, seconds(clock_.now() - since));
    }
    metrics_.set("workqueue_unfinished_work_seconds", {options_.name, options_.name}, sum);
    metrics_.set("workqueue_longest_running_processor_seconds", {options_.name, options_.name}, longest);
}

void Queue::arm() {
    const std::optional<Instant> next = next_delayed();
    if (timer_ && next && timer_at_ == *next) return;
    if (timer_) clock_.cancel_timer(*timer_);
    timer_.reset();
    if (!next) return;
    timer_at_ = *next;
    timer_ = clock_.call_at(timer_at_, [this] { fire(); });
}

void Queue::fire() {
    timer_.reset();
    while (!delayed_.empty() && delayed_.begin()->first <= clock_.now()) {
        const ObjectKey key = delayed_.begin()->second;
        undelay(key);
        make_ready(key, Priority::Background);
    }
    arm();
}

}  // namespace atl::kube
