#include <utility>

#include <nlohmann/json.hpp>

#include "operator/apiserver/built_in_types.h"
#include "operator/apiserver/json_access.h"

namespace atl::apiserver {

using nlohmann::json;

namespace {

// v1 Event, events.k8s.io/v1 Event.
constexpr std::pair<const char*, const char*> kNames[] = {
    {"count", "deprecatedCount"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"involvedObject", "regarding"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
};

void rename(json& object, const char* from, const char* to) {
    const auto found = object.find(from);
    if (found == object.end()) return;
    json value = std::move(*found);
    object.erase(from);
    object[to] = std::move(value);
}

}  // namespace

void convert_event(json& event, const std::string& api_version) {
    if (text_of(event, "apiVersion") == api_version) return;
    for (const auto& [core, events] : kNames) {
        const bool to_core = api_version == "v1";
        rename(event, to_core ? events : core, to_core ? core : events);
    }
    event["apiVersion"] = api_version;
}

}  // namespace atl::apiserver
