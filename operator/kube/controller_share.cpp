// What the loop does where several replicas share the objects.
#include <algorithm>

#include "operator/kube/controller_loop.h"

namespace atl::kube {

void Controller::Loop::take_up(const Selection& which) {
    // Before that, all objects get a pass with the first list.
    if (!running_) return;
    for (const Object& object : cache_->list()) {
        if (which(object.key())) queue_.add(object.key(), Priority::Background);
    }
}

void Controller::Loop::drop(const Selection& which) {
    for (const auto& [key, job] : jobs_) {
        if (which(key)) runtime_.spawner.cancel(job);
    }
}

bool Controller::Loop::works_on(const Selection& which) const {
    return std::ranges::any_of(jobs_, [&which](const auto& job) { return which(job.first); });
}

void Controller::Loop::leave_to_others(const ObjectKey& key) {
    // What we knew of it is out of date when it comes back to us.
    queue_.done(key);
    queue_.forget(key);
    unseen_.forget(key);
    parked_.erase(key);
    troubled_since_.erase(key);
}

void Controller::Loop::end(const ObjectKey& key) {
    jobs_.erase(key);
    queue_.done(key);
}

void Controller::Loop::cut_off(const ObjectKey& key) {
    // Not from here: this runs in the midst of the Spawner's own work, perhaps its last.
    const bool before = std::exchange(dispatching_, true);
    end(key);
    dispatching_ = before;
    runtime_.spawner.post([this] { dispatch(); });
}

void Controller::take_up(const Selection& which) {
    loop_->take_up(which);
}

void Controller::drop(const Selection& which) {
    loop_->drop(which);
}

bool Controller::works_on(const Selection& which) const {
    return loop_->works_on(which);
}

}  // namespace atl::kube
