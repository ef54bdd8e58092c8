#pragma once

#include <memory>
#include <string>

#include "operator/apiserver/admission.h"
#include "operator/base/log.h"
#include "operator/base/spawner.h"
#include "operator/kube/admission_review.h"
#include "operator/kube/events.h"

namespace atl::commands {

/// Tells who asked for the deletion of a Cluster, a Stack or a ServiceInstance: in a line of the log and, once there is
/// a client, in an Event on the object. Called at admission, after those who may refuse it: on any API server by the
/// webhook, on the embedded one by itself. Tells the user's name, never the groups; dry runs, and what is being deleted
/// already, are left out.
class DeletionAudit {
public:
    DeletionAudit(Executor& executor, Random& random, Log log);

    /// Events are written with this client from now on; it outlives the audit. It must be free to write whoever leads:
    /// every replica serves the webhook.
    void write_with(kube::Client& client);
    /// A review of the webhook that was admitted; what is no deletion is left out.
    void note(const kube::AdmissionCall& call);
    /// A write to the embedded server that every check has admitted; what is no deletion is left out.
    void note(const apiserver::AdmissionRequest& request);

private:
    struct Deletion {
        std::string kind;
        kube::ObjectKey key;
        std::string user;
    };
    void tell(const Deletion& deletion, const nlohmann::json& object);

    Random& random_;
    Log log_;
    Spawner spawner_;
    std::unique_ptr<kube::EventRecorder> events_;
};

}  // namespace atl::commands
