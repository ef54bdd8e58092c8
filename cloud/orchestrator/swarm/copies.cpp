#include "cloud/orchestrator/swarm/copies.h"

#include <algorithm>
#include <set>

#include "cloud/docker/errors.h"
#include "cloud/docker/marks.h"
#include "operator/base/time.h"

namespace atl::cloud::swarm {

namespace {

using docker::at;
using docker::is_true_at;
using docker::list_at;
using docker::number_at;
using docker::text_at;

std::int64_t seconds_of(const std::string& time) {
    const auto parsed = parse_rfc3339(time);
    if (!parsed) return 0;
    return std::chrono::duration_cast<std::chrono::seconds>(parsed->time_since_epoch()).count();
}

/// Each port once: 20.10 lists every one twice, for IPv4 and IPv6.
Json ports_of(const Json& record) {
    std::set<std::string> ports;
    for (const Json& port : list_at(record, {"Status", "PortStatus", "Ports"})) {
        ports.insert("0.0.0.0:" + std::to_string(number_at(port, {"PublishedPort"})) + "->" +
                     std::to_string(number_at(port, {"TargetPort"})) + "/" + text_at(port, {"Protocol"}));
    }
    return Json(ports);
}

std::string address_of(const Json& record) {
    for (const Json& attachment : list_at(record, {"NetworksAttachments"})) {
        if (is_true_at(attachment, {"Network", "Spec", "Ingress"})) continue;
        for (const Json& address : list_at(attachment, {"Addresses"})) {
            if (address.is_string()) return address.get<std::string>().substr(0, address.get<std::string>().find('/'));
        }
    }
    return "";
}

/// The first distinct error of copies of the current revision, with how many had it.
std::string first_error(const Observed& service) {
    const std::string revision = text_at(service.detail, {"revision"});
    std::string error;
    int count = 0;
    for (const Json& copy : list_at(service.detail, {"copies"})) {
        const std::string text = text_at(copy, {"error"});
        if (text.empty() || text_at(copy, {"revision"}) != revision) continue;
        if (error.empty()) error = text;
        if (text == error) ++count;
    }
    return count > 1 ? error + " (" + std::to_string(count) + " times)" : error;
}

}  // namespace

Json copy_of(const Json& record, const CopyNames& names) {
    const std::string machine_id = text_at(record, {"NodeID"});
    const auto machine = names.machines.find(machine_id);
    const std::string wanted = text_at(record, {"DesiredState"});
    const std::int64_t since = seconds_of(text_at(record, {"Status", "Timestamp"}));
    const bool has_age = names.engine_time > 0 && since > 0 && names.engine_time > since;
    Json copy;
    copy["slot"] = number_at(record, {"Slot"});
    copy["state"] = text_at(record, {"Status", "State"});
    copy["wanted"] = wanted == "running" || wanted == "ready" || wanted == "accepted";
    copy["error"] = docker::steady_text(text_at(record, {"Status", "Err"}));
    copy["exitCode"] = number_at(record, {"Status", "ContainerStatus", "ExitCode"});
    copy["container"] = text_at(record, {"Status", "ContainerStatus", "ContainerID"});
    copy["machine"] = machine == names.machines.end() ? machine_id : machine->second;
    copy["address"] = address_of(record);
    copy["ports"] = ports_of(record);
    copy["image"] = text_at(record, {"Spec", "ContainerSpec", "Image"});
    const auto image = names.images.find(text_at(record, {"Status", "ContainerStatus", "ContainerID"}));
    copy["imageID"] = image == names.images.end() ? "" : image->second;
    copy["since"] = text_at(record, {"Status", "Timestamp"});
    copy["revision"] = text_at(record, {"Spec", "ContainerSpec", "Labels", docker::kRevisionLabel});
    copy["ageSeconds"] = has_age ? names.engine_time - since : 0;
    copy["created"] = text_at(record, {"CreatedAt"});
    return copy;
}

void judge(Observed& service) {
    const std::string revision = text_at(service.detail, {"revision"});
    const std::int64_t wanted = number_at(service.detail, {"replicas"});
    const std::string update = text_at(service.detail, {"update", "state"});
    std::int64_t current = 0;
    std::int64_t old = 0;
    for (const Json& copy : list_at(service.detail, {"copies"})) {
        const bool runs = is_true_at(copy, {"wanted"}) && text_at(copy, {"state"}) == "running";
        if (runs && text_at(copy, {"revision"}) == revision)
            ++current;
        else if (runs)
            ++old;
    }
    // Swarm keeps a paused update paused when its restarts have cured all: with every copy there, nothing is left to
    // halt.
    const bool left = current < wanted || old > 0;
    const bool halted = (update == "paused" && left) || update.starts_with("rollback");
    const bool updating = update == "updating";
    service.state = State::Ready;
    if (left || updating) service.state = State::Pending;
    if (halted) service.state = State::Failed;
    if (service.state == State::Ready) return;
    service.message = std::to_string(current) + " of " + std::to_string(wanted) + " copies run";
    const std::string error = first_error(service);
    const std::string reason = error.empty() && halted ? text_at(service.detail, {"update", "message"}) : error;
    if (!reason.empty()) service.message += ": " + reason;
}

}  // namespace atl::cloud::swarm
