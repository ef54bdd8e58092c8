#include "operator/kube/pass.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace atl::kube {

Pass::Pass(ResourceType type, Object object, Moment moment, Log log)
    : type_(std::move(type)),
      object_(std::move(object)),
      generation_(object_.meta().generation),
      deadline_(moment.deadline),
      log_(std::move(log)),
      status_before_(std::make_unique<nlohmann::json>(object_.member("status"))) {
    if (!status_before_->is_object()) *status_before_ = nlohmann::json::object();
    status_ = std::make_unique<nlohmann::json>(*status_before_);
    const auto conditions = status_->find("conditions");
    conditions_ = Conditions(conditions == status_->end() ? nlohmann::json() : *conditions, generation_, moment.wall);
    status_->erase("conditions");
    status_->erase("observedGeneration");
}

Pass::~Pass() = default;

EventSubject Pass::subject() const {
    return EventSubject{type_, object_.key(), object_.meta().uid};
}

void Pass::event(EventType type, std::string reason, std::string message) {
    events_.push_back(Event{type, std::move(reason), std::move(message)});
}

void Pass::wrote(Object object) {
    written_.push_back(Written{nullptr, object.key(), object.meta().resource_version});
    object_ = std::move(object);
}

void Pass::wrote(const Cache& cache, const Object& object) {
    written_.push_back(Written{&cache, object.key(), object.meta().resource_version});
}

}  // namespace atl::kube
