// What the loop does with an object that is to be left alone.
#include <nlohmann/json.hpp>

#include "operator/kube/controller_loop.h"

namespace atl::kube {

namespace {

bool is_paused_by_spec(const Object& object) {
    // Before each pass: most objects do not have the word, and need not have their spec parsed for it.
    if (object.text().find("\"paused\"") == std::string::npos) return false;
    const nlohmann::json spec = object.member("spec");
    if (!spec.is_object()) return false;
    const auto paused = spec.find("paused");
    return paused != spec.end() && paused->is_boolean() && paused->get<bool>();
}

}  // namespace

bool Controller::Loop::is_to_be_left_alone(Pass& pass) const {
    const Object& object = pass.object();
    if (!options_.pause_annotation.empty()) {
        if (const auto mark = object.annotation(options_.pause_annotation)) {
            describe_moving(pass, options_.pause_annotation, *mark);
            return true;
        }
    }
    const bool paused = options_.is_paused ? options_.is_paused(object) : is_paused_by_spec(object);
    if (paused) describe_paused(pass);
    return paused;
}

Task<> Controller::Loop::leave_alone(Pass& pass) {
    record_changes(pass);
    const Result<Unit> written = co_await write_status(pass, Settled::No);
    if (!written.ok()) queue_.retry(pass.key(), written.error().retry_after());
    if (written.ok()) {
        queue_.forget(pass.key());
        send_events(pass);
    }
    expect(pass);
}

}  // namespace atl::kube
